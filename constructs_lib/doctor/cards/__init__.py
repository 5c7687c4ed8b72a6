"""The judges of a card by subject: its links, its MIG instances, and its use."""
