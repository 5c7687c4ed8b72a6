"""`GpuWorkload` and the objects around a workload."""
