"""Credentials: their names, shapes and places, and the one reader that hides them."""
