"""How implementations plug in."""
