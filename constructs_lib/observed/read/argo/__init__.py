"""Argo."""
