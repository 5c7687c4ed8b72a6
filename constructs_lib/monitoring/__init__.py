"""Monitoring of GPUs: which metrics there are, the counters that an exporter is asked for, and what is made of them. It never starts Node."""
