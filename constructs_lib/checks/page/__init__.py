"""A cluster's own page: Markdown with a diagram, made from what was read."""
