"""Usage: the GPUs that workloads take from each class of nodes."""
