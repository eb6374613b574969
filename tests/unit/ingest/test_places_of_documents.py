"""What is stored of the places of a document: its title's, and the doubts of its words."""

from datetime import UTC, datetime

from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.local import read_document
from ingest.reader.version import chunks_of
from rag_core.documents import PolicyChunk, PolicySource

_NOW = datetime(2026, 7, 1, tzinfo=UTC)


def chunks(text: str, region: str = "global") -> tuple[PolicyChunk, ...]:
    raw = RawDocument("rules.md", "rules.md", text.encode(), "text/markdown")
    defaults = SourceDefaults(PolicySource("acme", "Acme"), region=region)
    reading = read_document(raw, "rules", defaults, _NOW, lambda part: len(part.split()) + 2, 200)
    return chunks_of(reading.arrival.version, reading)


def test_the_title_of_the_front_matter_limits_the_whole_document() -> None:
    (chunk,) = chunks("---\ntitle: Raffles in Norway\n---\n\nA permit is needed.\n")
    assert (chunk.regions, chunk.region_doubt) == (("no",), False)


def test_what_the_front_matter_says_of_its_region_goes_before_its_title() -> None:
    (chunk,) = chunks("---\ntitle: Raffles in Norway\nregions: [se]\n---\n\nA permit is needed.\n")
    assert chunk.regions == ("se",)


def test_the_source_says_where_a_document_holds_that_says_nothing() -> None:
    (chunk,) = chunks("# Raffles\n\nA permit is needed.\n", region="de")
    assert chunk.regions == ("de",)


def test_an_exception_in_the_text_is_mentioned_and_a_doubt_but_hides_nothing() -> None:
    (chunk,) = chunks("# Raffles\n\nRaffles are allowed in all countries except Norway.\n")
    assert (chunk.regions, chunk.regions_excluded, chunk.regions_mentioned) == (("global",), (), ("no",))
    assert chunk.region_doubt


def test_an_exception_in_the_heading_is_excluded() -> None:
    (chunk,) = chunks("# Raffles (all countries except Norway)\n\nA permit is needed.\n")
    assert (chunk.regions, chunk.regions_excluded, chunk.region_doubt) == (("global",), ("no",), False)
