"""Signed checkpoints of the record: the keys, and making them in time."""
