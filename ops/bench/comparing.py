"""Search backends beside the libraries alone, and several callers beside one; all in turns, in one process."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ops.backends import build_embedder, build_index, connect_opensearch
from ops.bench import wording
from ops.bench.bare import BareLocal, words_of
from ops.bench.corpus import KEEPS_A_FIFTH, Corpus
from ops.bench.rounds import Ask, Latency, in_turns, throughput
from ops.config import Config
from rag_core.ports import Embedder, IndexQuery, SearchIndex, Vector
from rag_core.questions import QueryTerm
from rag_core.retrieval.fusion import Fusion, FusionMethod

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
    from ops.bench.cluster import BareOpenSearch  # noqa: PLC0415 - the light install has no opensearch-py

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
            await _callers(name, search, wording.searching(), amounts),
            await _callers(name, embed_and_search, wording.embedding_and_searching(), amounts),
        ]
        async with _busy(embedder):
            lines.append(await _callers(name, search, wording.beside_an_ingest(), amounts))
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
