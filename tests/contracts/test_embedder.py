"""What every embedder keeps to."""

import asyncio

import numpy as np
import pytest
from blockbuster import blockbuster_ctx

from adapters.models.onnx import OnnxEmbedder
from rag_core.ports import Embedder
from tests.fakes.embedder import FakeEmbedder

ODD_TEXTS = [
    "",
    "   \n\t",
    "!!!",
    "\x00\x1b[31m",
    "\ud800",
    "\u202eright to left",
    "Werbung für Bier",
    "酒精广告",
    "🍺🍷",
    "a" * 10_000,
    "beer " * 3_000,
]


@pytest.fixture(scope="module", params=["onnx", "fake"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return OnnxEmbedder() if request.param == "onnx" else FakeEmbedder()


async def test_unit_vectors_of_the_size_it_says_in_order(embedder: Embedder) -> None:
    texts = ["alcohol ads", "gambling ads", "alcohol ads"]
    vectors = await embedder.embed(texts)
    assert [vector.shape for vector in vectors] == [(embedder.dimensions,)] * 3
    assert all(vector.dtype == np.float32 for vector in vectors)
    assert [float(np.linalg.norm(vector)) for vector in vectors] == pytest.approx([1.0] * 3, abs=1e-5)
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.array_equal(vectors[0], vectors[1])


async def test_the_same_text_gives_the_same_vector_again(embedder: Embedder) -> None:
    assert np.array_equal((await embedder.embed(["tobacco"]))[0], (await embedder.embed(["tobacco"]))[0])


async def test_no_texts_no_vectors(embedder: Embedder) -> None:
    assert await embedder.embed([]) == []


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
async def test_any_text_has_a_finite_unit_vector(embedder: Embedder, text: str) -> None:
    (vector,) = await embedder.embed([text])
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-4)
    assert embedder.count_tokens(text) >= 2


async def test_alike_is_nearer_than_unlike(embedder: Embedder) -> None:
    question, near, far = await embedder.embed(["alcohol ads for adults", "ads for alcohol", "export of lithium"])
    assert question @ near > question @ far


async def test_counting_grows_with_the_text(embedder: Embedder) -> None:
    assert embedder.count_tokens("one two three") > embedder.count_tokens("one")
    assert embedder.max_tokens > 2


async def test_many_callers_at_once(embedder: Embedder) -> None:
    texts = [f"text number {number}" for number in range(8)]
    alone = [(await embedder.embed([text]))[0] for text in texts]
    together = await asyncio.gather(*(embedder.embed([text]) for text in texts))
    assert all(np.array_equal(one, other[0]) for one, other in zip(alone, together, strict=True))


async def test_the_event_loop_is_not_blocked(embedder: Embedder) -> None:
    fresh: Embedder = OnnxEmbedder() if isinstance(embedder, OnnxEmbedder) else embedder
    with blockbuster_ctx():
        assert len(await fresh.embed(["one", "two", "three"])) == 3
