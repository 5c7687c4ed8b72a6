"""How arguments are read and refused: errors, names, quantities and YAML."""
