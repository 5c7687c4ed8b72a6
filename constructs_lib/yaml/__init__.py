"""YAML: values with their places, edits that keep every other byte, and writers."""
