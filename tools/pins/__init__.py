"""`make pins`: read what upstream publishes, and write the tables of constructs_lib/upstream as one diff to review."""
