"""Passages of real documents that people labelled by reading, and where they stand in the text a document is cut from.

How they were labelled is told in `tests/golden/labelled_passages.md`.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

OPTIONAL = "~"
"""In front of a heading in `path`: one that readers differ on."""

Split = Literal["dev", "test"]


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """`at`: offset in the file read as UTF-8, where `anchor` stands. `also`: regions neither wrong nor missed.
    `lead_in`: words of each sentence or item that must go with it, outermost first."""

    file: str
    at: int
    anchor: str
    regions: frozenset[str]
    also: frozenset[str]
    excluded: frozenset[str]
    mentioned: frozenset[str]
    path: tuple[str, ...]
    lead_in: tuple[str, ...]
    split: Split


def read_passages(path: Path) -> tuple[LabelledPassage, ...]:
    """The passages of a JSON lines file."""
    return tuple(_passage(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line)


def _passage(row: dict[str, object]) -> LabelledPassage:
    return LabelledPassage(
        file=str(row["file"]),
        at=int(str(row["at"])),
        anchor=str(row["anchor"]),
        regions=frozenset(_texts(row["regions"])),
        also=frozenset(_texts(row.get("regions_also"))),
        excluded=frozenset(_texts(row["excluded"])),
        mentioned=frozenset(_texts(row["mentioned_at_least"])),
        path=_texts(row["path"]),
        lead_in=_texts(row["lead_in"]),
        split="test" if row["split"] == "test" else "dev",
    )


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text in lower case, without what mark-up hides, and where each begins."""

    words: tuple[str, ...]
    starts: tuple[int, ...]


_HIDDEN = re.compile(
    r"\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)|<!--.*?-->|</?[a-z][^<>]*>|<https?://[^>]*>", re.S
)
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> Words:
    """Addresses of links, comments and tags are no words; apostrophes and hyphens end one."""
    shown = _HIDDEN.sub(lambda hidden: " " * len(hidden[0]), text)
    found = list(_WORD.finditer(shown))
    return Words(tuple(each[0].casefold() for each in found), tuple(each.start() for each in found))


def plain(text: str) -> str:
    """The words of `text` with one space around each, to look for some in a row."""
    return f" {' '.join(words_of(text).words)} "


def locate(raw: Words, at: int, anchor: str, text: Words) -> int | None:
    """The offset in `text` of what stands at `at` in `raw`; None where its words are not there any more.

    Of several places with the same words, the one with the most same words around it; then the one as far down.
    """
    wanted = words_of(anchor).words
    origin = next((index for index, start in enumerate(raw.starts) if start >= at), len(raw.starts))
    places = [
        index for index, word in enumerate(text.words)
        if word == wanted[0] and text.words[index : index + len(wanted)] == wanted
    ]  # fmt: skip
    if not places:
        return None

    def likeness(index: int) -> tuple[int, float]:
        around = _alike(raw.words[:origin][::-1], text.words[:index][::-1]) + _alike(
            raw.words[origin:], text.words[index:]
        )
        return around, -abs(index / len(text.words) - origin / len(raw.words))

    return text.starts[max(places, key=likeness)]


def _alike(one: Sequence[str], other: Iterable[str]) -> int:
    """How many words at the beginning are the same."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
