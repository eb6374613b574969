"""What the libraries do without us: the least that somebody would write for one hybrid search."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tantivy import Document, FieldType, Index, Occur, Query, SchemaBuilder

from ingest.ports import IndexEntry
from rag_core.documents import PolicyChunk
from rag_core.ports import IndexFilter, Vector

_DEPTH = 100
_NEVER = 10_000_000
_HEAP_BYTES = 64_000_000


class BareLocal:
    """tantivy and numpy: one text field, the filter's clauses in the keyword query, its rows known beforehand."""

    def __init__(self, folder: Path, entries: Iterable[IndexEntry], count: int, filter_: IndexFilter) -> None:
        builder = SchemaBuilder()
        builder.add_unsigned_field("row", fast=True)
        builder.add_text_field("text", tokenizer_name="en_stem")
        builder.add_text_field("place", tokenizer_name="raw", index_option="basic")
        builder.add_integer_field("starts", fast=True)
        builder.add_integer_field("ends", fast=True)
        self._schema = builder.build()
        self._filter = filter_
        self.ids: list[str] = []
        folder.mkdir(parents=True)
        self._index = Index(self._schema, path=str(folder))
        self._fill(entries, count)
        self._searcher = self._index.searcher()
        self._filters = self._clauses()

    @property
    def kept(self) -> int:
        """How many chunks the filter keeps."""
        return len(self._rows)

    def search(self, words: str, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """Chunk ids and scores, both legs stretched over [0, 1] and added."""
        scores: dict[int, float] = {}
        for leg in (self._by_words(words), self._by_meaning(vector)):
            values = [score for _, score in leg]
            low, high = min(values, default=0.0), max(values, default=0.0)
            for row, score in leg:
                scores[row] = scores.get(row, 0.0) + ((score - low) / (high - low) if high > low else 1.0) / 2
        best = sorted(scores.items(), key=lambda scored: -scored[1])[:limit]
        return [(self.ids[row], score) for row, score in best]

    def _by_words(self, words: str) -> list[tuple[int, float]]:
        query = Query.boolean_query([(Occur.Must, self._index.parse_query(words, ["text"])), *self._filters])
        hits = self._searcher.search(query, _DEPTH, count=False).hits
        rows = self._searcher.fast_field_values("row", [address for _, address in hits])
        return [(int(row or 0), score) for (score, _), row in zip(hits, rows, strict=True)]

    def _by_meaning(self, vector: Vector) -> list[tuple[int, float]]:
        scores = (self._matrix @ vector)[self._rows]
        best = np.argpartition(-scores, _DEPTH)[:_DEPTH] if len(scores) > _DEPTH else np.arange(len(scores))
        return list(zip(self._rows[best].tolist(), scores[best].tolist(), strict=True))

    def _clauses(self) -> list[tuple[Occur, Query]]:
        places = [(Occur.Should, Query.term_query(self._schema, "place", each)) for each in self._filter.places or ()]
        clauses = [Query.boolean_query(places)] if places else []
        if self._filter.day is not None:
            day = self._filter.day.toordinal()
            clauses.append(Query.range_query(self._schema, "starts", FieldType.Integer, None, day))
            clauses.append(Query.range_query(self._schema, "ends", FieldType.Integer, day + 1, None))
        return [(Occur.Must, Query.const_score_query(clause, 0.0)) for clause in clauses]

    def _fill(self, entries: Iterable[IndexEntry], count: int) -> None:
        writer = self._index.writer(_HEAP_BYTES, 1)
        kept: list[int] = []
        matrix: npt.NDArray[np.float32] | None = None
        for row, entry in enumerate(entries):
            if matrix is None:
                matrix = np.empty((count, len(entry.vector)), dtype=np.float32)
            matrix[row] = entry.vector
            chunk = entry.passage.chunk
            self.ids.append(chunk.chunk_id)
            if self._passes(chunk):
                kept.append(row)
            writer.add_document(_document(row, chunk))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._matrix = matrix if matrix is not None else np.empty((0, 1), dtype=np.float32)
        self._rows = np.asarray(kept, dtype=np.int64)

    def _passes(self, chunk: PolicyChunk) -> bool:
        day, places = self._filter.day, self._filter.places
        in_force = day is None or (
            chunk.effective_from <= day and (chunk.effective_to is None or day < chunk.effective_to)
        )
        return in_force and (places is None or not places.isdisjoint(chunk.regions))


def _document(row: int, chunk: PolicyChunk) -> Document:
    document = Document()
    document.add_unsigned("row", row)
    document.add_text("text", chunk.search_text)
    for region in chunk.regions:
        document.add_text("place", region)
    document.add_integer("starts", chunk.effective_from.toordinal())
    document.add_integer("ends", chunk.effective_to.toordinal() if chunk.effective_to else _NEVER)
    return document


def words_of(question: str) -> Sequence[str]:
    """Every word once, without what a query parser could take for an operator."""
    return list(dict.fromkeys("".join(each if each.isalnum() else " " for each in question.lower()).split()))
