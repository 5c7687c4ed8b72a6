"""Kustomize."""
