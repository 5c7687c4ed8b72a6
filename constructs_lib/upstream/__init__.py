"""Facts about Talos, NVIDIA and Kubernetes: versions, names, defaults and limits, each with its source. Imports no
other part of this library."""
