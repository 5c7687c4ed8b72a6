"""Nodes: labels, settings, extensions, and the GPUs that each offers."""
