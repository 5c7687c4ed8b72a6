"""Talos' image: schematic, extensions, boot media."""
