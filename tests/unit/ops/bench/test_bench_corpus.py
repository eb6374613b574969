"""Large corpora made of real chunks."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from ingest.ports import IndexEntry
from ops.bench.stores import DAY, KEEPS_A_FIFTH, KEPT, Corpus, fill, open_store, real_entries
from ops.config import Config
from rag_core.documents import content_hash
from tests.fakes.documents import make_write
from tests.fakes.indexes import EMBEDDER, vectorised

REAL = vectorised(make_write())


def passes(entry: IndexEntry) -> bool:
    chunk = entry.passage.chunk
    return entry.passage.version.holds_on(DAY) and not (KEEPS_A_FIFTH.places or frozenset()).isdisjoint(chunk.regions)


def test_a_corpus_is_the_same_every_time_and_each_chunk_another() -> None:
    first, again = (list(Corpus(REAL, 95).entries()) for _ in range(2))
    assert [each.passage for each in first] == [each.passage for each in again]
    assert all(np.array_equal(one.vector, two.vector) for one, two in zip(first, again, strict=True))
    assert len({each.passage.chunk.chunk_id for each in first}) == 95
    assert len({each.passage.chunk.content_hash for each in first}) == 95
    assert first[0].passage != next(Corpus(REAL, 95, seed=5).entries()).passage


def test_the_filter_keeps_a_fifth() -> None:
    entries = list(Corpus(REAL, 20_000).entries())
    share = sum(map(passes, entries)) / len(entries)
    assert abs(share - KEPT) < 0.01
    assert len({each.passage.chunk.policy_source for each in entries}) > 5


def test_vectors_are_of_unit_length_and_near_a_real_one() -> None:
    for number, entry in enumerate(islice(Corpus(REAL, 200).entries(), 200)):
        assert abs(float(np.linalg.norm(entry.vector)) - 1.0) < 1e-5
        assert 0.7 < float(entry.vector @ REAL[number % len(REAL)].vector) < 0.99


def test_documents_come_one_by_one() -> None:
    documents = Corpus(REAL, 10**12).documents()
    assert [len(document.write.chunks) for document in islice(documents, 3)] == [40, 40, 40]


async def test_a_store_takes_the_documents_and_gives_them_back(tmp_path: Path) -> None:
    corpus = Corpus(REAL, 90)
    async with open_store(Config(data_dir=tmp_path)) as store:
        await fill(store, EMBEDDER.model, corpus.documents())
        stored = {each.passage.chunk.chunk_id: each for each in await real_entries(store, EMBEDDER.model)}
    made = list(corpus.entries())
    assert stored.keys() == {each.passage.chunk.chunk_id for each in made}
    for each in made:
        chunk, found = each.passage.chunk, stored[each.passage.chunk.chunk_id]
        assert np.array_equal(found.vector, each.vector)
        assert replace(found.passage.chunk, char_start=0, char_end=0) == replace(chunk, char_start=0, char_end=0)
        assert chunk.content_hash == content_hash(chunk.policy_path, chunk.lead_in, chunk.chunk_text)
