"""Credentials."""
