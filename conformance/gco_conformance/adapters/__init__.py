"""How implementations plug in: the interface is in `answer`, the way to name one in `spec`."""
