"""NVIDIA's DRA driver and the claims of pods."""
