"""NVIDIA's device plugin and the DaemonSets beside it."""
