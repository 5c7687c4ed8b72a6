"""Rules about the pods that use GPUs."""
