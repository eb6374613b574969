"""Large corpora, made of real chunks; they are not embedded, and say so in their pipeline.

Each chunk repeats a real one: its vector with seeded noise, at unit length again (cosine to the real one about
0.9), its text with a part of the words replaced by words of other chunks. Place, source and days are drawn anew.
Embedding 100,000 chunks would take an hour, and would say no more about an index.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from random import Random

import numpy as np

from ingest.ports import IndexEntry, VersionWrite
from rag_core.documents import (
    DocumentVersion,
    Passage,
    PolicyChunk,
    PolicySource,
    VersionStatus,
    chunk_id,
    content_hash,
)
from rag_core.ports import IndexFilter, Vector

DAY = date(2026, 6, 1)
KEEPS_A_FIFTH = IndexFilter(places=frozenset({"uk", "global"}), excluding=frozenset({"uk"}), day=DAY)
"""Two in five chunks hold in these places, and half of the documents on this day."""

KEPT = 0.2
"""The share of chunks that it keeps."""

SOURCES = tuple(PolicySource(f"made{number}", f"Made {number}") for number in range(12))
"""What a store must know before it takes the documents."""

_PIPELINE = "made-not-embedded"
_CHUNKS_OF_A_DOCUMENT = 40
_NOISE = 0.5
_REPLACED = 0.2
_REGIONS = {"global": 30, "uk": 10, "us": 15, "de": 12, "fr": 10, "eu": 10, "ca": 8, "au": 5}
_SEEN_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MadeDocument:
    """A version as a store takes it, and a vector for each of its chunks."""

    write: VersionWrite
    vectors: tuple[Vector, ...]

    def entries(self) -> list[IndexEntry]:
        """The chunks as an index takes them."""
        return [
            IndexEntry(Passage(chunk, self.write.version), vector)
            for chunk, vector in zip(self.write.chunks, self.vectors, strict=True)
        ]


class Corpus:
    """`chunks` chunks made of the `real` ones; the same every time it is read. Holds only the real ones."""

    def __init__(self, real: Sequence[IndexEntry], chunks: int, seed: int = 4) -> None:
        self._real = [entry.passage.chunk for entry in real]
        self._vectors = np.stack([entry.vector for entry in real])
        self._words = [word for chunk in self._real for word in chunk.chunk_text.split()]
        self.chunks = chunks
        self._seed = seed

    def documents(self) -> Iterator[MadeDocument]:
        """One document after the other; the last one may be shorter."""
        for number, first in enumerate(range(0, self.chunks, _CHUNKS_OF_A_DOCUMENT)):
            yield self._document(number, first, min(_CHUNKS_OF_A_DOCUMENT, self.chunks - first))

    def entries(self) -> Iterator[IndexEntry]:
        """One chunk after the other."""
        for document in self.documents():
            yield from document.entries()

    def _document(self, number: int, first: int, count: int) -> MadeDocument:
        random = Random(f"{self._seed}:{number}")  # noqa: S311 - no secret
        version = _version(number, count)
        rows = [(first + place) % len(self._real) for place in range(count)]
        text, chunks = f"# {version.title}\n\n", []
        for index, row in enumerate(rows):
            chunk = self._chunk(version, index, self._real[row], random)
            text += f"## {chunk.policy_section}\n\n"
            chunks.append(replace(chunk, char_start=len(text), char_end=len(text) + len(chunk.chunk_text)))
            text += f"{chunk.chunk_text}\n\n"
        return MadeDocument(VersionWrite(version, "made", text, tuple(chunks)), self._noisy(number, rows))

    def _chunk(self, version: DocumentVersion, index: int, real: PolicyChunk, random: Random) -> PolicyChunk:
        body = self._varied(real.chunk_text, random)
        hash_ = content_hash(real.policy_path, "", body)
        return replace(
            real,
            chunk_id=chunk_id(version.doc_id, index, hash_),
            doc_id=version.doc_id,
            chunk_index=index,
            chunk_text=body,
            lead_in="",
            policy_source=version.policy_source,
            regions=tuple(random.choices([*_REGIONS], weights=[*_REGIONS.values()])),
            regions_excluded=(),
            regions_mentioned=(),
            effective_from=version.effective_from,
            effective_to=version.effective_to,
            content_hash=hash_,
            created_at=_SEEN_AT,
            doc_url=version.url,
        )

    def _varied(self, text: str, random: Random) -> str:
        """Line by line, so that a list stays one; a number at the end makes every text another."""
        lines = [" ".join(self._instead_of(word, random) for word in line.split(" ")) for line in text.split("\n")]
        return "\n".join(lines) + f" {random.randrange(10**9)}"

    def _instead_of(self, word: str, random: Random) -> str:
        return random.choice(self._words) if word.isalpha() and random.random() < _REPLACED else word

    def _noisy(self, number: int, rows: Sequence[int]) -> tuple[Vector, ...]:
        noise = np.random.default_rng((self._seed, number)).standard_normal((len(rows), self._vectors.shape[1]))
        vectors = self._vectors[rows] + noise * (_NOISE / np.sqrt(self._vectors.shape[1]))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return tuple(vectors.astype(np.float32))


def _version(number: int, chunks: int) -> DocumentVersion:
    """Every other one ended before `DAY`."""
    name = f"made_{number:06}"
    begins = date(2024, 1 + number % 12, 1 + number % 28)
    return DocumentVersion(
        doc_id=f"{name}_{begins.isoformat()}",
        document_id=name,
        policy_source=SOURCES[number // 2 % len(SOURCES)].slug,
        title=f"Made policy {number}",
        url=None,
        mime_type="text/markdown",
        sha256=sha256(name.encode()).hexdigest(),
        size=0,
        origin=name,
        pipeline=_PIPELINE,
        status=VersionStatus.LIVE,
        effective_from=begins,
        effective_to=date(2025, 12, 1) if number % 2 else None,
        seen_at=_SEEN_AT,
        checked_at=_SEEN_AT,
        chunk_count=chunks,
    )
