"""Readers: one module for each form in which a cluster is printed. Each reader adds to a `Dump`."""
