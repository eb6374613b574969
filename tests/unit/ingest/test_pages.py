from datetime import UTC, datetime
from pathlib import Path

from ingest.model.document_types import PDF, mime_type_of
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.contents import page_at, page_starts
from ingest.reader.local import read_document
from ingest.reader.parsing import parse
from ingest.reader.version import chunks_of
from rag_core.documents import PolicySource
from rag_core.layout import write_blocks
from tests.fakes.pdfs import long_policy


def test_every_place_of_the_text_has_its_page() -> None:
    document = parse(long_policy(3), PDF)
    text = write_blocks(document.blocks)

    starts = page_starts(text, document.pages)

    assert [page for _, page in starts] == [1, 2, 3]
    for number in (1, 2, 3):
        at = text.index(f"Goods of kind {number}")
        assert page_at(starts, at) == page_at(starts, text.rindex("\n", 0, at) + 1 if number > 1 else 0) == number
        assert page_at(starts, text.index(f"Condition 6 for goods of kind {number}")) == number


def test_every_chunk_has_the_page_that_it_begins_on() -> None:
    raw = RawDocument("rules.pdf", "rules.pdf", long_policy(3), PDF)
    defaults = SourceDefaults(PolicySource("acme", "Acme"))

    reading = read_document(
        raw, "rules", defaults, datetime(2026, 7, 1, tzinfo=UTC), lambda text: len(text.split()), 200
    )
    chunks = chunks_of(reading.arrival.version, reading)

    assert reading.arrival.version.pages == 3
    assert {(chunk.policy_path.split("kind ")[1][0], chunk.page) for chunk in chunks} == {("1", 1), ("2", 2), ("3", 3)}


def test_a_document_without_pages_has_none() -> None:
    assert page_starts("Text\n", {}) == ()
    assert page_at((), 3) is None


def test_the_name_of_a_file_tells_its_type() -> None:
    assert [mime_type_of(f"a{Path(name).suffix}") is not None for name in ("x.PDF", "x.docx", "x.doc", "x.md")] == [
        True,
        True,
        False,
        True,
    ]
