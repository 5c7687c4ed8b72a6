"""What a change of the files does to the GPUs: two sides of a repository, and what differs between them."""
