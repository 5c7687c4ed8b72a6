"""The OS layer: from a class of GPU nodes to the image and the machine configuration that its nodes need. It never starts Node."""
