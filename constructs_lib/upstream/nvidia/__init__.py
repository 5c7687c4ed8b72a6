"""Nvidia."""
