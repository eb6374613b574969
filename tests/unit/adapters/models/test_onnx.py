"""The ONNX embedder beyond what every embedder must do."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from adapters.models.model_files import packaged_files
from adapters.models.onnx import OnnxEmbedder
from rag_core.errors import Misconfigured


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


async def test_a_vector_does_not_depend_on_its_neighbours(embedder: OnnxEmbedder) -> None:
    text = "Ads for alcohol must not be shown to minors."
    alone = (await embedder.embed([text]))[0]
    among = await embedder.embed(["short", text, "a much longer neighbour " * 30])
    assert np.array_equal(alone, among[1])


async def test_a_long_text_is_embedded_to_its_end(embedder: OnnxEmbedder) -> None:
    """The last words are far beyond what the model reads at once, and still change the vector."""
    beginning = "Gambling ads need a licence of the country they are shown in. " * 40
    assert embedder.count_tokens(beginning) > 2 * embedder.max_tokens
    ending = "Ads for wine, beer and spirits are allowed for adults. " * 20
    query, plain, longer = await embedder.embed(["beer and wine adverts", beginning, beginning + ending])
    assert query @ longer > query @ plain
    assert np.linalg.norm(longer) == pytest.approx(1.0, abs=1e-5)


async def test_meaning_beats_words(embedder: OnnxEmbedder) -> None:
    question, near, far = await embedder.embed(
        ["may I promote whisky", "Alcoholic drinks can be advertised.", "May I promote my landing page?"]
    )
    assert question @ near > question @ far


async def test_loads_once_for_many_callers() -> None:
    embedder = OnnxEmbedder()
    await asyncio.gather(*(embedder.load() for _ in range(4)), embedder.embed(["one"]))
    first = embedder._loaded
    await embedder.embed(["two"])
    assert embedder._loaded is first


async def test_a_folders_dimensions_are_read_from_its_model(tmp_path: Path) -> None:
    files = packaged_files()
    (tmp_path / "model.onnx").symlink_to(files.model)
    (tmp_path / "tokenizer.json").symlink_to(files.tokenizer)
    embedder, packaged = OnnxEmbedder(tmp_path, threads=1), OnnxEmbedder()
    assert embedder.dimensions == 384
    assert embedder.model != packaged.model
    (mine,), (theirs,) = await embedder.embed(["alcohol"]), await packaged.embed(["alcohol"])
    assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"not a model", b"{}", b'{"model": 1}', b""])
async def test_a_broken_file_is_named(tmp_path: Path, broken: str, content: bytes) -> None:
    files = packaged_files()
    (tmp_path / "model.onnx").write_bytes(files.model.read_bytes())
    (tmp_path / "tokenizer.json").write_bytes(files.tokenizer.read_bytes())
    (tmp_path / broken).write_bytes(content)
    with pytest.raises(Misconfigured, match="embedding_model_unreadable") as caught:
        await OnnxEmbedder(tmp_path).load()
    assert caught.value.details["path"] == str(tmp_path / broken)


async def test_a_missing_folder_is_named_at_first_use(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(tmp_path / "nowhere")
    with pytest.raises(Misconfigured, match="embedding_model_missing"):
        await embedder.embed(["x"])
