"""Kubernetes objects in streams of YAML and JSON, and from programs."""
