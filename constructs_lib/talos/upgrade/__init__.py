"""The upgrade of a class of GPU nodes to another Talos: a table of steps, and a table of commands for each tool."""
