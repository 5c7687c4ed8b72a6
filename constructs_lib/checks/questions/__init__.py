"""What rules ask of everything that was read, each answered once: who makes a label, which taints there are, where a runtime is the default."""
