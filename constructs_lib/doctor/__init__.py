"""The doctor: from what kubectl and talosctl printed of a cluster to the cause of a missing GPU."""
