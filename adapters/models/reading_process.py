"""The process that reads documents, with the tokens counted as an embedding model counts them.

`python -m adapters.models.reading_process TOKENIZER MAX_TOKENS MEGABYTES SECONDS`. The model itself is not loaded.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from adapters.models.token_counts import token_counter
from adapters.models.tokenizer_files import read_tokenizer
from ingest.reader import child
from rag_core.errors import Misconfigured


def main(tokenizer: Path, max_tokens: int, megabytes: int, seconds: float) -> None:
    child.main(megabytes, seconds, _counter(tokenizer), max_tokens)


def _counter(path: Path) -> Callable[[str], int]:
    """Of an unreadable tokenizer: one that says so for every document, as no fault of theirs."""
    try:
        return token_counter(read_tokenizer(path))
    except Misconfigured as error:
        code, details = error.code, error.details

    def unreadable(_: str) -> int:
        raise Misconfigured(code, **details)

    return unreadable


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
