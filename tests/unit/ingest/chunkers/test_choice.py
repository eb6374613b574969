"""Which chunker a document gets when it is read."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ingest.chunkers.factory import chunker_of
from ingest.ports import RawDocument
from ingest.reader.local import read_document
from ingest.reader.version import Reading, is_read_alike, pipeline_of
from tests.fakes.sources import ACME_DEFAULTS

BOOK = "# Code\n\n" + "\n\n".join(f"1.{rule} Ads must be fair to people." for rule in range(1, 12)) + "\n"


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text)) + 2


def read(chunker: str, *, chunked: bool = True) -> Reading:
    raw = RawDocument("code.md", "code.md", BOOK.encode(), "text/markdown", chunked=chunked)
    defaults = replace(ACME_DEFAULTS, chunker=chunker)
    return read_document(raw, "code", defaults, datetime(2026, 1, 1, tzinfo=UTC), count, 256)


@pytest.mark.parametrize(("chunker", "chunks"), [("sections", 11), ("auto", 11), ("semantic", 11), ("rules", 11)])
def test_the_source_says_which(chunker: str, chunks: int) -> None:
    reading = read(chunker)

    assert len(reading.drafts) == chunks
    assert chunker_of(chunker).name in reading.arrival.version.pipeline


def test_another_chunker_reads_the_same_bytes_anew() -> None:
    version = read("sections").arrival.version

    assert is_read_alike(version, ACME_DEFAULTS, 256)
    assert not is_read_alike(version, replace(ACME_DEFAULTS, chunker="rules"), 256)


def test_a_document_that_is_not_cut_stays_one_chunk() -> None:
    reading = read("rules", chunked=False)

    (draft,) = reading.drafts
    assert reading.text[draft.start : draft.end] == BOOK.strip()
    assert reading.arrival.version.pipeline != read("rules").arrival.version.pipeline


def test_the_pipeline_is_known_before_reading() -> None:
    raw = RawDocument("code.md", "code.md", BOOK.encode(), "text/markdown")

    assert pipeline_of(replace(ACME_DEFAULTS, chunker="auto"), raw, 256) == read("auto").arrival.version.pipeline
