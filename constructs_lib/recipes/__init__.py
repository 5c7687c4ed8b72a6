"""Recipes: the facts of the programs that people run on a GPU, as arguments of `GpuWorkload`. Pure: values in, manifests out."""
