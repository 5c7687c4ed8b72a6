"""Placement: the nodes that a pod selects and tolerates."""
