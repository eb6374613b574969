"""Signed checkpoints of the audit chain: how far it had come cannot be denied later."""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from bot.audit.entries import FORMAT, body_of, canonical, moment


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
    """`statement`: the canonical bytes that were signed. The rest repeats what they say; `database_id` "": it names no
    database, as those of earlier versions."""

    head: ChainHead
    database_id: str
    at: str
    key_id: str
    statement: bytes
    signature: str


@dataclass(frozen=True, slots=True)
class RecordDatabase:
    """Which database a record is in: two may be used with one data folder, one after the other. `has_unnamed`: the
    record is older than the id, so checkpoints that name no database are taken for its own."""

    database_id: str
    has_unnamed: bool = False

    def is_of(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint is one of this database."""
        return checkpoint.database_id == self.database_id or (self.has_unnamed and not checkpoint.database_id)


@dataclass(frozen=True, slots=True)
class RecordHead:
    """The last records of all chains of a database at a moment, to be kept elsewhere. `statement`: the canonical bytes
    that were signed."""

    heads: tuple[ChainHead, ...]
    database_id: str
    at: str
    key_id: str
    statement: bytes
    signature: str


HEAD_PREFIX = "adpolicy-head:"
"""What the line of a RecordHead begins with."""


def head_line(heads: Iterable[ChainHead], database_id: str, at: datetime, signer: Signer) -> str:
    """A RecordHead as one line: the prefix, the statement in URL-safe base64, a full stop, the signature."""
    statement = canonical(
        {
            "format": FORMAT,
            "database": database_id,
            "heads": {each.chain: [each.count, each.hash] for each in heads},
            "at": moment(at),
            "key": signer.key_id,
        }
    )
    return f"{HEAD_PREFIX}{base64.urlsafe_b64encode(statement).decode()}.{signer.sign(statement)}"


def read_head_line(line: str) -> RecordHead:
    """What `head_line` made; whether the signature holds is not looked at. Raises ValueError for what is none."""
    encoded, _, signature = line.removeprefix(HEAD_PREFIX).partition(".")
    try:
        statement = base64.b64decode(encoded, altchars=b"-_", validate=True)
        body = body_of(statement)
        heads = tuple(ChainHead(chain, int(count), str(hash_)) for chain, (count, hash_) in body["heads"].items())
        return RecordHead(heads, str(body["database"]), str(body["at"]), str(body["key"]), statement, signature)
    except (KeyError, TypeError, AttributeError) as exc:
        raise ValueError("no head of the record") from exc


def sign_head(head: ChainHead, at: datetime, signer: Signer, database_id: str = "") -> Checkpoint:
    """Of a chain of this database; "" names none."""
    said = moment(at)
    statement = canonical(
        {
            "format": FORMAT,
            "chain": head.chain,
            "count": head.count,
            "head": head.hash,
            "at": said,
            "key": signer.key_id,
            **({"database": database_id} if database_id else {}),
        }
    )
    return Checkpoint(head, database_id, said, signer.key_id, statement, signer.sign(statement))


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
    return Checkpoint(head, str(body.get("database", "")), str(body["at"]), str(body["key"]), statement, signature)
