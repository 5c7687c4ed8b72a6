"""Rules about GPUs and memory that are requested, against those that are there."""
