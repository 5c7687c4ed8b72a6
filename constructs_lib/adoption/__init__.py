"""Adoption: the cluster file that describes somebody's tree, and the differences between what it synthesizes and what is there."""
