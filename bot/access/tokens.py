"""Bearer tokens of the web listener: what they look like, what they allow, and where they are kept."""

import hashlib
import re
import secrets
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

PREFIX = "adpolicy_"
"""Scanners for secrets find a token by it."""

MOST_DAYS = 366
"""No token is good for longer: one that nobody replaces is one that nobody knows of any more."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_DIGITS = 44  # of base 62: 262 bits
_CHECK_DIGITS = 6  # of base 62: room for 32 bits
_TOKEN = re.compile(rf"{PREFIX}([0-9A-Za-z]{{{_SECRET_DIGITS}}})([0-9A-Za-z]{{{_CHECK_DIGITS}}})")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class Permission(StrEnum):
    """What a caller may do."""

    ASK = "ask"
    """Ask questions, send feedback, read his own answers."""

    READ = "read"
    """Search, read passages, documents, changes and source pages."""

    METRICS = "metrics"
    """Read the figures of the process."""


@dataclass(frozen=True, slots=True)
class ApiToken:
    """What is kept of a token: everything but the token. `groups`: the operator's names of those it may see for.

    A `name` belongs to one token that is not revoked.
    """

    token_id: str
    name: str
    permissions: frozenset[Permission]
    groups: frozenset[str]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def holds_at(self, now: datetime) -> bool:
        """Whether it lets anybody in."""
        return self.revoked_at is None and self.created_at <= now < self.expires_at


@dataclass(frozen=True, slots=True)
class PageSession:
    """A person who signed in to the pages with a token; it ends with the token, if not before."""

    token_id: str
    created_at: datetime
    expires_at: datetime


class ApiTokens(Protocol):
    """Tokens by the hash of what their holders present. Raises Unavailable."""

    async def with_hash(self, hash_: str) -> ApiToken | None:
        """The token, revoked and expired ones too."""
        ...

    async def used(self, token_id: str, at: datetime) -> None:
        """It was used; kept to some minutes."""
        ...


class PageSessions(Protocol):
    """Who is signed in, by the hash of what his browser presents. Raises Unavailable."""

    async def open(self, hash_: str, session: PageSession) -> None:
        """Keep it; those that are over are removed."""
        ...

    async def token_of(self, hash_: str, now: datetime) -> ApiToken | None:
        """The token that was signed in with, unless the session is over."""
        ...

    async def close(self, hash_: str) -> None:
        """Sign out; what is not there is signed out already."""
        ...


def new_token(below: Callable[[int], int] = secrets.randbelow) -> str:
    """A token that nobody guesses, with a checksum at its end. `below(n)`: a random number from 0 to n - 1."""
    secret = "".join(_DIGITS[below(len(_DIGITS))] for _ in range(_SECRET_DIGITS))
    return f"{PREFIX}{secret}{_checksum(secret)}"


def is_token(text: str) -> bool:
    """Whether `text` was made as a token, and is complete: nobody need be asked about anything else."""
    match = _TOKEN.fullmatch(text)
    return match is not None and _checksum(match[1]) == match[2]


def hash_of(secret: str) -> str:
    """What is kept of a secret that has 256 random bits: SHA-256. No salt is needed, and finding it in a table tells
    nothing about how much of a wrong one was right. `secret` may be what is no text, as bytes of a header are."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def _checksum(secret: str) -> str:
    """CRC-32 of prefix and secret, in base 62."""
    rest, found = zlib.crc32(f"{PREFIX}{secret}".encode()), ""
    for _ in range(_CHECK_DIGITS):
        rest, digit = divmod(rest, len(_DIGITS))
        found = _DIGITS[digit] + found
    return found
