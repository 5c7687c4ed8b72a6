"""Kubernetes."""
