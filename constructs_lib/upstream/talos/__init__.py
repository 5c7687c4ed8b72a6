"""Facts about Talos."""
