"""Checks of arguments: error messages, names, quantities and YAML."""
