"""`python -m tests.counted FILE [pytest options]`: pytest, with the lines and branches that it covers kept in FILE.

SlipCover's own command loads packages so that pytest cannot import what is in them.
"""

import json
import sys
from pathlib import Path

import pytest
import slipcover

SOURCES = ["rag_core", "bot", "ingest"]
OMITTED = ["*/__main__.py"]


def main(kept: Path, options: list[str]) -> int:
    counting = slipcover.Slipcover(branch=True, source=SOURCES, omit=OMITTED)
    with slipcover.ImportManager(counting, slipcover.FileMatcher(sources=SOURCES, omit=OMITTED)):
        code = pytest.main(options)
    kept.write_text(json.dumps(counting.get_coverage()), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
