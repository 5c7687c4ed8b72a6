"""Talos' machine configuration for GPU nodes."""
