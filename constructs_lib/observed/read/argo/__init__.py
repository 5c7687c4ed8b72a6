"""Argo CD's Applications and ApplicationSets."""
