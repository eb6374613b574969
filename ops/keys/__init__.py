"""The keys that encrypt at rest: which are in use, and how a new one takes the place of an old one."""
