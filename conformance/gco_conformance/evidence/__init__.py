"""What was seen of an implementation, and what must be true of it."""
