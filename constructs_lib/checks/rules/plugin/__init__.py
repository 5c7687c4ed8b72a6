"""Rules about device plugins."""
