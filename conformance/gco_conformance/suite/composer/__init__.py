"""Checks of composers."""
