"""Facts about NVIDIA's cards, drivers and programs."""
