"""Agents of GPU nodes: device plugins, exporters, discovery, the GPU operator, DRA drivers."""
