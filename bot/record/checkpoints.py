"""Signed statements of how far a chain had come: what is cut off behind them cannot be denied."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from bot.record.canonical import canonical
from bot.record.entries import FORMAT, body_of, moment


class Signer(Protocol):
    """Ed25519. `key_id` names the key: the SHA-256 of its public half, in hexadecimal."""

    @property
    def key_id(self) -> str: ...

    def sign(self, text: bytes) -> str:
        """The signature, in base64."""
        ...


class SignatureCheck(Protocol):
    """The public keys that are trusted."""

    def knows(self, key_id: str) -> bool: ...

    def holds(self, key_id: str, text: bytes, signature: str) -> bool:
        """Whether it is this key's signature of `text`. False for a key that is not trusted."""
        ...


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The last record of a chain: as many as `count` there are, and its hash."""

    chain: str
    count: int
    hash: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`statement`: the canonical bytes that were signed. The rest repeats what they say."""

    head: ChainHead
    at: str
    key_id: str
    statement: bytes
    signature: str


def sign_head(head: ChainHead, at: datetime, signer: Signer) -> Checkpoint:
    said = moment(at)
    statement = canonical(
        {
            "format": FORMAT,
            "chain": head.chain,
            "count": head.count,
            "head": head.hash,
            "at": said,
            "key": signer.key_id,
        }
    )
    return Checkpoint(head, said, signer.key_id, statement, signer.sign(statement))


def checkpoint_json(checkpoint: Checkpoint) -> dict[str, str]:
    """As it is exported: the statement as text, to be checked letter for letter."""
    return {"statement": checkpoint.statement.decode(), "signature": checkpoint.signature, "key": checkpoint.key_id}


def checkpoint_from(value: Mapping[str, Any]) -> Checkpoint:
    """What `checkpoint_json` wrote. Raises ValueError, KeyError, TypeError or AttributeError for what is none."""
    return read_statement(value["statement"].encode(), value["signature"])


def read_statement(statement: bytes, signature: str) -> Checkpoint:
    """Raises as `checkpoint_from`."""
    body = body_of(statement)
    head = ChainHead(str(body["chain"]), int(body["count"]), str(body["head"]))
    return Checkpoint(head, str(body["at"]), str(body["key"]), statement, signature)
