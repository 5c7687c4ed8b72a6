"""Volumes of a workload."""
