"""Known failure modes of NVIDIA GPUs on Talos, found in anybody's YAML: readers, questions about what was read, rules
that check it, and formats."""
