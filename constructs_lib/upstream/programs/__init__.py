"""Facts about programs that run on GPU clusters."""
