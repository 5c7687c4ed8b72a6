"""Objects and releases by name, and the values of charts."""
