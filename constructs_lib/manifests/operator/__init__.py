"""NVIDIA's GPU operator, its validation bridge, and node feature discovery."""
