"""Pods and pod templates of every kind, and the GPUs that they request."""
