"""Helm: values, templates and wrapper charts."""
