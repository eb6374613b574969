"""A name for a key that says nothing of it."""

import hashlib

_LENGTH = 16


def fingerprint(key: str) -> str:
    """The same for the same key. Keys are 32 random bytes: no hash leads back to one."""
    return hashlib.sha256(b"adpolicy key\0" + key.strip().encode()).hexdigest()[:_LENGTH]
