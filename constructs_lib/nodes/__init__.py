"""`GpuNodes` and its parts: one class of GPU nodes, from which everything else is derived."""
