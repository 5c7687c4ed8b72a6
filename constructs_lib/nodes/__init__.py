"""`GpuNodes` and its parts: one class of GPU nodes. All manifests and machine configurations are derived from it."""

GPU_MEMORY_ANNOTATION = "talos-gpu/gpu-memory"
"""The annotation of a pod with the GPU memory that it uses, as a Kubernetes quantity."""
