"""Rules about NVIDIA's DRA driver and the claims of its devices."""
