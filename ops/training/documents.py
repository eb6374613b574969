"""The documents that the reader learns from, as numbered rules."""

import base64
import hashlib
import random
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ingest.model.document_types import mime_type_of
from ingest.reader.parsing import parse
from rag_core.layout import write_blocks
from rag_core.rules.structure import RuleKind, Span, rules_of

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parents[3] / "shared" / "data"
"""Where real policies lie: never part of the repository, see the README of `data`."""

_WORD = re.compile(r"[a-z0-9]+")
_HEADINGS = 3
_PUBLISHERS = {"instagram": "facebook", "gmail": "google", "pilot": "pilot"}


@dataclass(frozen=True, slots=True)
class TrainingRule:
    """A rule of a document. `key` names it by its words, so that it is found again when the text around it moves."""

    key: str
    kind: RuleKind
    title: str
    path: tuple[str, ...]
    lead: str
    body: str
    header: str = ""
    """Of a table's row: the row above all others."""


@dataclass(frozen=True)
class TrainingDocument:
    """`name`: its path under `data/documents` or, behind "shared:", in the folder of real policies."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        parsed = parse(self.path.read_bytes(), mime_type_of(self.path.name) or "text/markdown")
        return write_blocks(parsed.blocks)

    @cached_property
    def title(self) -> str:
        parsed = parse(self.path.read_bytes(), mime_type_of(self.path.name) or "text/markdown")
        return parsed.title or self.path.stem.replace("-", " ").replace("_", " ")

    @property
    def platform(self) -> str:
        """Who publishes it: what is held out together."""
        folder = self.path.parent.name
        if self.name.startswith("shared:github"):
            return "github"
        return self.path.stem if folder in ("documents", "invented") else folder.lower()

    @cached_property
    def rules(self) -> tuple[TrainingRule, ...]:
        text = self.text

        def said(span: Span) -> str:
            return text[span.start : span.end]

        found = []
        for rule in rules_of(text):
            lead = [said(each) for each in rule.lead]
            is_row = rule.kind is RuleKind.ROW and lead and lead[-1].count(" | ") == said(rule.body).count(" | ")
            header = lead.pop() if is_row else ""
            key = rule_key(rule.path, said(rule.body))
            path = tuple(each for each in rule.path if each != self.title)[-_HEADINGS:]
            found.append(TrainingRule(key, rule.kind, self.title, path, " ".join(lead), said(rule.body), header))
        return tuple(found)


def rule_key(path: tuple[str, ...], body: str) -> str:
    """Ten letters and digits (base 32) of the SHA-1 of the words of a rule and of the heading above it."""
    words = _WORD.findall(f"{path[-1] if path else ''} {body}".lower())
    digest = hashlib.sha1(" ".join(words).encode(), usedforsecurity=False).digest()
    return base64.b32encode(digest).decode().lower()[:10]


def document(name: str) -> TrainingDocument:
    """The document of this name. Raises FileNotFoundError."""
    path = SHARED / name.removeprefix("shared:") if name.startswith("shared:") else DATA / "documents" / name
    if not path.is_file():
        raise FileNotFoundError(path)
    return TrainingDocument(name, path)


def publisher(platform: str) -> str:
    """Whose words a platform's policies are: two that share them are never on both sides."""
    first = platform.split("-")[0]
    return _PUBLISHERS.get(first, first)


def fold_of(platform: str, folds: int) -> int:
    """The fold that leaves `platform` out; the same each time."""
    return random.Random(publisher(platform)).randrange(10_000) % folds
