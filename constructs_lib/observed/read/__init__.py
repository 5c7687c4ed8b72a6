"""Readers: how each file format becomes objects, chart releases and node configurations."""
