"""The tokenizer of a model, out of its file."""

from pathlib import Path

from tokenizers import Tokenizer

from rag_core.errors import Misconfigured


def read_tokenizer(path: Path) -> Tokenizer:
    """Neither cuts nor pads. Raises Misconfigured("embedding_model_unreadable", path, reason)."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as exc:  # the library raises nothing more specific
        raise Misconfigured("embedding_model_unreadable", path=str(path), reason=str(exc)) from exc
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
