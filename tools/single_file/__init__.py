"""`talos-gpu` as one file of Python: what the file holds, and how it starts."""
