"""Gangs of pods, quotas, and queues for GPUs."""
