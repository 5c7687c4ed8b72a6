"""Facts about Kubernetes."""
