"""Personal fields: beside the record, which holds no more than a salted hash of each.

Without its salt a hash tells nothing of the value, however few values there are to try; so forgetting both leaves the
record, and the chain over it, as they were.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

PERSON = "person"
"""The field that says who it was; by it, records of a person are found to be forgotten."""


@dataclass(frozen=True, slots=True)
class PersonalValue:
    """`salt`: 16 random bytes, in hexadecimal."""

    salt: str
    value: str


PersonalFields = Mapping[str, PersonalValue]


def salted(fields: Mapping[str, str], new_salt: Callable[[], str]) -> tuple[dict[str, str], dict[str, PersonalValue]]:
    """The hashes for the record, and what is to be kept beside it."""
    kept = {name: PersonalValue(new_salt(), value) for name, value in fields.items()}
    return {name: personal_hash(each) for name, each in kept.items()}, kept


def personal_hash(field: PersonalValue) -> str:
    """SHA-256 (hex) over the salt's bytes and the value in UTF-8. Raises ValueError for a salt that is none."""
    return hashlib.sha256(bytes.fromhex(field.salt) + field.value.encode("utf-8", "surrogatepass")).hexdigest()
