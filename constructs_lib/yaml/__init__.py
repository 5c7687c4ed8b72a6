"""Yaml."""
