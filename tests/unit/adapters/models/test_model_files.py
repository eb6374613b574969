"""Finding the embedding model's files."""

import hashlib
import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from adapters.models import model_files
from adapters.models.model_files import folder_files, packaged_files
from rag_core.errors import Misconfigured


def model_folder(folder: Path) -> Path:
    """A folder as an operator would make it, with the packaged model."""
    files = packaged_files()
    folder.mkdir()
    shutil.copy(files.model, folder / "model.onnx")
    shutil.copy(files.tokenizer, folder / "tokenizer.json")
    return folder


def test_packaged_files_exist_and_their_packages_are_not_imported() -> None:
    files = packaged_files()
    assert files.model.is_file()
    assert files.tokenizer.is_file()
    assert (files.dimensions, files.max_tokens) == (384, 256)
    assert not {model_files.WEIGHTS_PACKAGE, model_files.TOKENIZER_PACKAGE} & sys.modules.keys()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Misconfigured, match="embedding_model_missing") as caught:
        packaged_files()
    assert caught.value.details["package"] == model_files.WEIGHTS_PACKAGE


def test_a_package_without_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "WEIGHTS_PACKAGE", "rag_core")
    with pytest.raises(Misconfigured, match="embedding_model_missing") as caught:
        packaged_files()
    assert str(caught.value.details["path"]).endswith("model.onnx")


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_needs_both_files(tmp_path: Path, missing: str) -> None:
    folder = model_folder(tmp_path / "tiny")
    (folder / missing).unlink()
    with pytest.raises(Misconfigured, match="embedding_model_missing") as caught:
        folder_files(folder)
    assert caught.value.details["path"] == str(folder / missing)


def test_a_folders_name_tells_weights_apart(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "tiny")
    digest = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    assert folder_files(folder).name == f"tiny-onnx-{digest[:8]}"
    with (folder / "model.onnx").open("ab") as stream:
        stream.write(b"\0")
    assert folder_files(folder).name != f"tiny-onnx-{digest[:8]}"


def test_how_much_a_folders_model_reads_comes_from_its_config(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "tiny")
    assert folder_files(folder).max_tokens == 256
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 64}')
    assert folder_files(folder).max_tokens == 64
    (folder / "sentence_bert_config.json").write_text("64")
    with pytest.raises(Misconfigured, match="embedding_model_unreadable"):
        folder_files(folder)
