"""`GpuNodes` and its parts: one class of GPU nodes. All manifests and machine configurations are derived from it."""
