"""Manifests and commands in Markdown pages."""
