"""Search backends beside the libraries alone, and several callers beside one; all in turns, in one process."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tantivy import Document, FieldType, Index, Occur, Query, SchemaBuilder

from ingest.ports import IndexEntry
from ops.backends import build_embedder, build_index, connect_opensearch
from ops.bench import wording
from ops.bench.stores import KEEPS_A_FIFTH, Corpus
from ops.bench.timing import Ask, Latency, in_turns, throughput
from ops.config import Config
from rag_core.documents import PolicyChunk
from rag_core.ports import Embedder, IndexFilter, IndexQuery, SearchIndex, Vector
from rag_core.questions import QueryTerm
from rag_core.retrieval.fusion import Fusion, FusionMethod

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


_LIMIT = 10
_ROUNDS = 3
_CALLERS = 4
_OTHER_TEXT = "Ads must not promise what the landing page does not keep. " * 8


@dataclass(frozen=True, slots=True)
class Amounts:
    """`questions` at most (None: all); how often several callers and one take turns, and for how long."""

    questions: int | None = None
    turns: int = 9
    turn_seconds: float = 0.7


FULL, SMALLEST = Amounts(), Amounts(questions=3, turns=1, turn_seconds=0.05)


@dataclass(frozen=True, slots=True)
class Questions:
    """Texts with their words and vectors, and as an index is asked: every word a term, a filter that keeps a fifth."""

    texts: tuple[str, ...]
    words: tuple[str, ...]
    vectors: tuple[Vector, ...]
    queries: tuple[IndexQuery, ...]


async def prepared(texts: Sequence[str], embedder: Embedder) -> Questions:
    """The questions, each once."""
    texts = tuple(dict.fromkeys(texts))
    words = [words_of(text) for text in texts]
    vectors = tuple(await embedder.embed(texts))
    queries = tuple(
        IndexQuery(tuple(QueryTerm(word) for word in each), vector, KEEPS_A_FIFTH, _LIMIT)
        for each, vector in zip(words, vectors, strict=True)
    )
    return Questions(texts, tuple(" ".join(each) for each in words), vectors, queries)


async def local_against_bare(config: Config, folder: Path, corpus: Corpus, questions: Questions, target: float) -> str:
    """LocalIndex beside tantivy + numpy over the same chunks, with the same threads."""
    bare = await asyncio.to_thread(BareLocal, folder, corpus.entries(), corpus.chunks, KEEPS_A_FIFTH)

    async def alone(number: int) -> object:
        return bare.search(questions.words[number], questions.vectors[number], _LIMIT)

    async with open_index(config) as index:
        ours, theirs = await _in_turns(index, alone, questions)
    return wording.against_bare("LocalIndex", "bare tantivy + numpy", ours, theirs, target)


async def cluster_against_bare(config: Config, questions: Questions, target: float) -> str:
    """OpenSearchIndex beside opensearch-py with the same query."""
    from ops.bench.scifact import BareOpenSearch  # noqa: PLC0415 - the light install has no opensearch-py

    client = connect_opensearch(config)
    if client is None:
        raise ValueError("no cluster is set")
    bare = BareOpenSearch(client.settings)
    try:
        await bare.learn(questions.queries, build_embedder(config), Fusion(FusionMethod(config.fusion)))
        async with open_index(config) as index:
            ours, theirs = await _in_turns(index, bare.search, questions)
    finally:
        await bare.aclose()
        await client.aclose()
    return wording.against_bare("OpenSearchIndex", "bare opensearch-py", ours, theirs, target)


async def several_callers(name: str, config: Config, questions: Questions, amounts: Amounts) -> list[str]:
    """One caller and several: searching only, embedding as well, and beside somebody else's embedding."""
    embedder = build_embedder(config)
    count = len(questions.texts)
    async with open_index(config) as index:

        async def search(number: int) -> object:
            return await index.search(questions.queries[number % count])

        async def embed_and_search(number: int) -> object:
            await embedder.embed([questions.texts[number % count]])
            return await index.search(questions.queries[number % count])

        lines = [
            await _callers(name, search, wording.SEARCHING, amounts),
            await _callers(name, embed_and_search, wording.EMBEDDING_AND_SEARCHING, amounts),
        ]
        async with _busy(embedder):
            lines.append(await _callers(name, search, wording.BESIDE_AN_INGEST, amounts))
    return lines


@asynccontextmanager
async def open_index(config: Config) -> AsyncIterator[SearchIndex]:
    """The search index of these settings."""
    client = connect_opensearch(config)
    index, _ = build_index(config, build_embedder(config), client)
    try:
        yield index
    finally:
        await index.aclose()
        if client is not None:
            await client.aclose()


async def _in_turns(index: SearchIndex, alone: Ask, questions: Questions) -> tuple[Latency, Latency]:
    async def search(number: int) -> object:
        return await index.search(questions.queries[number])

    await in_turns(search, alone, len(questions.texts), 1)  # caches
    return await in_turns(search, alone, len(questions.texts), _ROUNDS)


async def _callers(name: str, ask: Ask, doing: str, amounts: Amounts) -> str:
    measured = await throughput(ask, callers=_CALLERS, rounds=amounts.turns, seconds=amounts.turn_seconds)
    return wording.several_callers(name, measured, doing)


@asynccontextmanager
async def _busy(embedder: Embedder) -> AsyncIterator[None]:
    """The embedder has a text to embed at any moment, as while documents are read."""

    async def embed() -> None:
        while True:
            await embedder.embed([_OTHER_TEXT])

    task = asyncio.create_task(embed())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
