"""Rules about the GPU operator, and about how charts are delivered."""
