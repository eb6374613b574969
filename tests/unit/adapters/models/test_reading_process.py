"""The reading process counts as the embedding model does, and says it where it cannot."""

import asyncio
import os
import sys
from datetime import date
from pathlib import Path

import pytest

from adapters.models.model_files import files_of, reading_program
from adapters.models.onnx import OnnxEmbedder
from ingest.reader.contents import ReadingTask
from ingest.reader.local import read_here
from ingest.reader.process import ReadingProcess
from rag_core.errors import Misconfigured

LONG = b"# Beer\n\n" + b"\n\n".join(
    b"Advertisements for hyperfermented beverages of brand %d are unacceptable in Belgium." % n for n in range(60)
)


def task(content: bytes) -> ReadingTask:
    return ReadingTask(content, "text/markdown", "beer.md", {}, True, "global", "sections", date(2026, 6, 1))


async def test_documents_are_cut_as_the_model_counts() -> None:
    embedder = OnnxEmbedder()
    process = ReadingProcess(lambda: reading_program(None), processes=1)
    try:
        there = await process.read(task(LONG))
    finally:
        await process.aclose()
    assert len(there.drafts) > 3
    assert there == read_here(task(LONG), embedder.count_tokens, embedder.max_tokens)


def test_its_limit_is_the_models_own(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"")
    (tmp_path / "tokenizer.json").write_bytes(files_of(None).tokenizer.read_bytes())
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": 77}', encoding="utf-8")
    assert reading_program(tmp_path)[2:] == (str(tmp_path / "tokenizer.json"), "77")
    assert OnnxEmbedder(tmp_path).max_tokens == 77


async def test_an_unreadable_tokenizer_is_no_fault_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    process = ReadingProcess(lambda: reading_program(tmp_path), processes=1)
    try:
        for _ in range(2):
            with pytest.raises(Misconfigured, match="embedding_model_unreadable"):
                await process.read(task(LONG))
    finally:
        await process.aclose()


async def test_it_does_not_load_what_runs_the_model() -> None:
    code = "import sys, adapters.models.reading_process; print(*sys.modules)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    )
    loaded, _ = await process.communicate()
    assert {b"tokenizers", b"ingest.reader.contents"} <= set(loaded.split())
    assert {b"onnxruntime", b"numpy", b"sqlalchemy"}.isdisjoint(loaded.split())
