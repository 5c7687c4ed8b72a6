"""Readers of live dumps: bundles, archives, the outputs of kubectl and talosctl, logs."""
