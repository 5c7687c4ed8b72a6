"""Objects and settings that have to go when GPU nodes move to another Talos."""
