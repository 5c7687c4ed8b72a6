"""Leftovers."""
