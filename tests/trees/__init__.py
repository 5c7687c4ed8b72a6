"""Trees of files that a seed makes: clusters that work, in the layouts of the community, and the same with one planted fault."""
