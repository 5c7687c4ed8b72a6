"""Arguments."""
