"""Checks of arguments: error messages, names, quantities, credentials, and the commands that are printed."""
