"""Campaigns as pytest items, one for each part, so that pytest-xdist plays the parts side by side."""
