import subprocess
import sys
from pathlib import Path

import pytest

from ingest.model.document_types import READ_TYPES, mime_type_of
from ingest.reader.parsing import parse
from rag_core.errors import Rejected

ROOT = Path(__file__).resolve().parents[3]
PARSERS = {"ingest.reader.parsing", "pypdfium2", "pdfplumber", "pdfminer", "mammoth", "markdown_it"}


@pytest.mark.parametrize("program", ["ingest.cli", "ingest.__main__", "ingest.reader.process"])
def test_what_starts_ingest_loads_no_parser(program: str) -> None:
    """They cost a third of a second, and are used in the reading process only."""
    code = f"import sys, {program}; print(*sorted(name for name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert PARSERS.isdisjoint(loaded.stdout.split())


def test_a_name_promises_a_type_that_is_read() -> None:
    names = ["a.md", "a.MARKDOWN", "a.html", "a.htm", "a.PDF", "a.docx"]
    assert {mime_type_of(name) for name in names} == READ_TYPES
    assert [mime_type_of(name) for name in ("a.doc", "a", "a.md.bak", ".md")] == [None] * 4


def test_every_type_has_its_parser() -> None:
    for mime_type in READ_TYPES:
        with pytest.raises(Rejected) as refused:
            parse(b"", mime_type)
        assert refused.value.code != "document_type_unknown"
    with pytest.raises(Rejected, match="document_type_unknown"):
        parse(b"Words.", "text/csv")
