"""Foreign."""
