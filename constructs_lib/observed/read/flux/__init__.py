"""Flux."""
