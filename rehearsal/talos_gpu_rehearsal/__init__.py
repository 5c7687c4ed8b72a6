"""A GPU node without a GPU: the programs of a Talos node and NVIDIA's own on a mock card."""
