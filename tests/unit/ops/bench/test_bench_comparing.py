"""The whole way of a made corpus on the embedded default: store, rebuild, search beside the libraries alone."""

import re
from pathlib import Path

import numpy as np

from adapters.models.onnx import OnnxEmbedder
from ingest.ports import IndexEntry
from ops.bench.comparing import BareLocal, local_against_bare, open_index, prepared, words_of
from ops.bench.processes import rebuild_in_own_process
from ops.bench.stores import DAY, KEEPS_A_FIFTH, Corpus, fill, open_store
from ops.config import Config
from tests.fakes.documents import entries_of
from tests.fakes.indexes import one_chunk

TEXTS = ("alcohol ads to adults", "no weapons in ads", "gambling with a licence", "political ads say who pays")
CHUNKS = 1_200


async def made_corpus(embedder: OnnxEmbedder) -> Corpus:
    writes = [one_chunk(f"acme_{number}", text) for number, text in enumerate(TEXTS)]
    vectors = await embedder.embed([write.chunks[0].search_text for write in writes])
    real: list[IndexEntry] = []
    for write, vector in zip(writes, vectors, strict=True):
        real += entries_of(write, [vector])
    return Corpus(real, CHUNKS)


async def test_a_made_corpus_is_rebuilt_and_found_as_the_libraries_find_it(tmp_path: Path) -> None:
    embedder, config = OnnxEmbedder(), Config(data_dir=tmp_path / "local")
    corpus = await made_corpus(embedder)
    async with open_store(config) as store:
        await fill(store, embedder.model, corpus.documents())
    rebuilt = await rebuild_in_own_process(config)
    assert rebuilt.seconds > 0
    assert 0 <= rebuilt.grown < rebuilt.peak

    questions = await prepared([*TEXTS, TEXTS[0]], embedder)
    assert questions.texts == TEXTS
    bare = BareLocal(tmp_path / "bare", corpus.entries(), CHUNKS, KEEPS_A_FIFTH)
    async with open_index(config) as index:
        for number, query in enumerate(questions.queries):
            ours = [hit.chunk_id for hit in (await index.search(query)).hits]
            theirs = [chunk_id for chunk_id, _ in bare.search(questions.words[number], questions.vectors[number], 10)]
            assert len(ours) == len(theirs) == 10
            assert len(set(ours) & set(theirs)) >= 7
    line = await local_against_bare(config, tmp_path / "bare2", corpus, questions, 1.6)
    assert re.match(
        r"LocalIndex against bare tantivy \+ numpy, .*: \d+\.\d\d times at p50 \(target at most 1\.6\)", line
    )


def test_the_bare_filter_is_the_filter(tmp_path: Path) -> None:
    real = entries_of(one_chunk("acme_a", "alcohol ads"), [np.eye(1, 8, dtype=np.float32)[0]])
    corpus = Corpus(real, CHUNKS)
    bare = BareLocal(tmp_path / "bare", corpus.entries(), CHUNKS, KEEPS_A_FIFTH)
    by_id = {entry.passage.chunk.chunk_id: entry.passage for entry in corpus.entries()}
    assert 0.1 < bare.kept / CHUNKS < 0.3
    found = bare.search("alcohol ads", real[0].vector, 50)
    assert len(found) == 50
    for chunk_id, _ in found:
        assert by_id[chunk_id].version.holds_on(DAY)
        assert set(by_id[chunk_id].chunk.regions) & {"uk", "global"}


def test_words_of_a_question_are_no_operators() -> None:
    assert words_of('Can I "advertise" beer AND (wine)? beer:x') == [
        "can", "i", "advertise", "beer", "and", "wine", "x",
    ]  # fmt: skip
