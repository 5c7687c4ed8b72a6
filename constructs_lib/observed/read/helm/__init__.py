"""Helm."""
