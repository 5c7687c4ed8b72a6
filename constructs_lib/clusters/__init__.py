"""Whole clusters without cdk8s: the parts that the constructs emit, their neighbours, and the file that describes a
cluster."""
