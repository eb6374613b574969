"""What a run of ingest did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rag_core.errors import Misconfigured, PolicyBotError, Unavailable


class Progress(Protocol):
    """Told how far a run is: `done` of `total` documents, and which one (or which step) is at work."""

    def __call__(self, done: int, total: int, what: str) -> None: ...


def no_progress(done: int, total: int, what: str) -> None:
    """A `Progress` for where nobody watches."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that was left out, and why. `origin` is the document, "" where it is the whole source."""

    source_id: str
    origin: str
    code: str
    details: Mapping[str, object] = field(default_factory=dict)
    operator: bool = False
    """Whether the operator must act on it before it can work."""


def failure(source_id: str, origin: str, error: PolicyBotError) -> Failure:
    return Failure(source_id, origin, error.code, dict(error.details), isinstance(error, Misconfigured))


@dataclass(frozen=True, slots=True)
class Note:
    """Something about a document that was read, or left as it is, which a person should know. No failure."""

    source_id: str
    origin: str
    code: str
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class IngestReport:
    """Counts are of documents, but for `chunks` (written), `embedded` (chunks the model had to embed) and `rules_read`
    (chunks whose rules were read)."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    embedded: int = 0
    rules_read: int = 0
    failed: list[Failure] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    not_indexed: Unavailable | None = None
    """Why the index has not learned of it yet. What is stored is safe: it is indexed as soon as the index answers."""
    rules_not_read: PolicyBotError | None = None
    """Why rules, or some of them, have not been read yet. Documents are found all the same."""

    @property
    def documents(self) -> int:
        """How many documents the sources hold that could be read."""
        return self.new + self.changed + self.unchanged
