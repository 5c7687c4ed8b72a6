"""How files become objects, chart releases and node configurations: one small module for each kind of input."""
