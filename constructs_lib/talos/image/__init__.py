"""Image."""
