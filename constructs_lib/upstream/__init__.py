"""What is true of Talos, NVIDIA and Kubernetes: versions, names, defaults and limits, each with its source. It imports nothing of ours."""
