"""The forges: what `talos-gpu diff` found, as a comment and as a check of a pull request. `python -m constructs_lib.forges` is the only program that sends anything."""
