"""Flux's releases, resource sets and variables."""
