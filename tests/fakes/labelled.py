"""How often real documents are read as people read them: places, headings and lead-ins of labelled passages."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.model.document_types import mime_type_of
from ingest.model.names import slug
from ingest.places import mentioned
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.local import read_document
from ingest.reader.version import Reading
from rag_core.documents import PolicySource
from rag_core.regions import GLOBAL

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


_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"^(?:\(?[0-9a-z]{1,2}[.)] ?)?(?:\d+\.)*\d*[.)]?\s+(?=\S)", re.I)


@dataclass(frozen=True, slots=True)
class Found:
    """What the chunk that covers a passage says of it. `text`: what a reader of the chunk has seen before the passage.
    Nothing at all where no chunk covers it."""

    passage: LabelledPassage
    regions: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()
    path: tuple[str, ...] = ()
    text: str = ""
    is_covered: bool = False

    @property
    def placed(self) -> frozenset[str]:
        return self.regions - {GLOBAL} - self.passage.also

    @property
    def to_place(self) -> frozenset[str]:
        return self.passage.regions - {GLOBAL}

    @property
    def path_is_right(self) -> bool:
        """The document's title may be left out."""
        wanted = self.passage.path
        return self.is_covered and (same_path(wanted, self.path) or same_path(wanted[1:], self.path))

    @property
    def lead_in_is_there(self) -> bool:
        seen = plain(self.text)
        return self.is_covered and all(plain(each) in seen for each in self.passage.lead_in)


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares from 0 to 1. Regions are counted as pairs of a passage and a place, `global` being none."""

    passages: int
    region_pairs: int
    region_precision: float
    region_recall: float
    paths: float
    lead_ins: float
    excluded: float
    mentioned: float


def figures_of(found: Sequence[Found]) -> Figures:
    right = sum(len(each.placed & each.to_place) for each in found)
    pairs = sum(len(each.to_place) for each in found)
    items = [each for each in found if each.passage.lead_in]
    return Figures(
        passages=len(found),
        region_pairs=pairs,
        region_precision=_share(right, sum(len(each.placed) for each in found)),
        region_recall=_share(right, pairs),
        paths=_share(sum(each.path_is_right for each in found), len(found)),
        lead_ins=_share(sum(each.lead_in_is_there for each in items), len(items)),
        excluded=_covered((each.passage.excluded, each.excluded) for each in found),
        mentioned=_covered((each.passage.mentioned, each.mentioned) for each in found),
    )


def _covered(pairs: Iterable[tuple[frozenset[str], frozenset[str]]]) -> float:
    listed = list(pairs)
    return _share(sum(len(wanted & there) for wanted, there in listed), sum(len(wanted) for wanted, _ in listed))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def same_path(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether these are the same headings. Those of `wanted` are shortened, and optional where marked so. Numbers
    in front do not count."""
    if not wanted:
        return not found
    head, optional = wanted[0].removeprefix(OPTIONAL), wanted[0].startswith(OPTIONAL)
    if found and _begins(found[0], head) and same_path(wanted[1:], found[1:]):
        return True
    return optional and same_path(wanted[1:], found)


def _begins(heading: str, words: str) -> bool:
    return plain(_NUMBER.sub("", heading)).startswith(plain(_NUMBER.sub("", words)))


def find_all(
    passages: Iterable[LabelledPassage], data: Path, count: TokenCounter, max_tokens: int
) -> tuple[Found, ...]:
    """What is found for each passage, in the order of the files. Every file is read and cut as `preview` does it."""
    by_file: dict[str, list[LabelledPassage]] = {}
    for passage in passages:
        by_file.setdefault(passage.file, []).append(passage)
    return tuple(each for file, own in by_file.items() for each in _find(own, data / file, count, max_tokens))


def _find(passages: Sequence[LabelledPassage], path: Path, count: TokenCounter, max_tokens: int) -> list[Found]:
    content = path.read_bytes()
    folder = path.parent.name
    source = PolicySource(slug(folder) or "documents", folder)
    raw = RawDocument(path.name, path.name, content, mime_type_of(path.name) or "")
    reading = read_document(raw, slug(path.stem), SourceDefaults(source, guessed=True), _NOW, count, max_tokens)
    before, after = words_of(content.decode("utf-8")), words_of(reading.text)
    return [_found(each, reading, before, after) for each in passages]


def _found(passage: LabelledPassage, reading: Reading, before: Words, after: Words) -> Found:
    at = locate(before, passage.at, passage.anchor, after)
    draft = next((each for each in reading.drafts if at is not None and each.start <= at < each.end), None)
    if at is None or draft is None:
        return Found(passage)
    return _of_chunk(passage, draft, reading, at)


def _of_chunk(passage: LabelledPassage, draft: ChunkDraft, reading: Reading, at: int) -> Found:
    places, text = draft.places, reading.text[draft.start : draft.end]
    named = frozenset(mentioned(f"{draft.lead_in}\n{text}"))
    return Found(
        passage,
        regions=frozenset(places.regions),
        excluded=frozenset(places.excluded),
        mentioned=named | frozenset(places.regions) | frozenset(places.excluded),
        path=draft.path,
        text="\n".join((*draft.path, draft.lead_in, reading.text[draft.start : at])),
        is_covered=True,
    )


LABELLED = Path(__file__).resolve().parents[1] / "golden" / "labelled_passages.jsonl"
SPLITS: tuple[Split, ...] = ("dev", "test")
