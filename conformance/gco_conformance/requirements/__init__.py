"""The requirement catalogue."""
