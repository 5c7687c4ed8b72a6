"""The links of the chain, from the image of a node to the program that sees its GPU. One module for each link."""
