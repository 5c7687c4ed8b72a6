"""Talos: machine configurations, patches, schematics, and the tools that make them."""
