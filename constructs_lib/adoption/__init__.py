"""Adoption: the cluster file that describes somebody's tree, and the first file of a new cluster."""
