"""EmbeddingStore: nothing is embedded twice, and what comes back is what went in, to the bit."""

import numpy as np
import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.tables.policies import embeddings
from rag_core.errors import Rejected
from rag_core.ports import Vector


@pytest.fixture
def store(engine: AsyncEngine) -> SqlEmbeddingStore:
    return SqlEmbeddingStore(engine)


def unit_vectors(count: int, dimensions: int = 384) -> dict[str, Vector]:
    drawn = np.random.default_rng(7).normal(size=(count, dimensions)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return {f"hash-{n}": vector for n, vector in enumerate(drawn)}


async def test_vectors_come_back_to_the_bit(store: SqlEmbeddingStore) -> None:
    vectors = unit_vectors(2500)
    await store.keep("minilm", vectors)
    known = await store.known("minilm", [*vectors, "unknown", "hash-1"])
    assert known.keys() == vectors.keys()
    for hash_, vector in known.items():
        assert vector.dtype == np.float32
        np.testing.assert_array_equal(vector, vectors[hash_])
    assert await store.known("minilm", []) == {}


async def test_each_model_has_its_own(store: SqlEmbeddingStore) -> None:
    await store.keep("minilm", unit_vectors(2))
    await store.keep("other", unit_vectors(1, dimensions=8))
    assert len((await store.known("other", ["hash-0", "hash-1"]))["hash-0"]) == 8
    assert (await store.known("minilm", ["hash-0", "hash-1"])).keys() == {"hash-0", "hash-1"}
    assert await store.known("Minilm", ["hash-0"]) == {}


@pytest.mark.parametrize(
    "change", [{"vector": bytes(4 * 384)}, {"checksum": ""}, {"content_hash": "hash-1"}, {"model": "other"}]
)
async def test_a_vector_that_was_changed_in_the_database_is_not_known_until_it_is_made_again(
    engine: AsyncEngine, store: SqlEmbeddingStore, change: dict[str, object]
) -> None:
    vectors = unit_vectors(1)
    await store.keep("minilm", vectors)
    async with engine.begin() as connection:
        await connection.execute(update(embeddings).values(change))
    assert [await store.known(model, ["hash-0", "hash-1"]) for model in ("minilm", "other")] == [{}, {}]
    await store.keep("minilm", vectors)
    np.testing.assert_array_equal((await store.known("minilm", ["hash-0"]))["hash-0"], vectors["hash-0"])
    await store.keep("minilm", {})


@pytest.mark.parametrize(
    "vector",
    [
        np.array([0.5, np.nan], dtype=np.float32),
        np.array([np.inf, 0.5], dtype=np.float32),
        np.ones((2, 2), dtype=np.float32),
    ],
)
async def test_what_is_no_vector_is_rejected_and_nothing_kept(store: SqlEmbeddingStore, vector: Vector) -> None:
    with pytest.raises(Rejected, match="vector_not_usable") as caught:
        await store.keep("minilm", {**unit_vectors(1), "bad": vector})
    assert caught.value.details["content_hash"] == "bad"
    assert await store.known("minilm", ["hash-0", "bad"]) == {}


@pytest.mark.parametrize(
    "changes", [{"dimensions": 3}, {"dimensions": 0, "vector": b""}, {"vector": None}, {"vector": b"1234"}]
)
async def test_the_database_itself_refuses_a_length_that_cannot_be(
    engine: AsyncEngine, store: SqlEmbeddingStore, changes: dict[str, object]
) -> None:
    await store.keep("minilm", unit_vectors(1, dimensions=4))
    async with engine.connect() as connection:
        with pytest.raises(IntegrityError):
            await connection.execute(update(embeddings).values(changes))
