"""Rules about what the whole cluster shares: namespaces, labels, taints and the values of charts."""
