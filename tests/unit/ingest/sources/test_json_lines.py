import json
import os
import tracemalloc
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web

from ingest.fetching.addresses import any_address
from ingest.fetching.fetcher import Fetcher, FetchLimits
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.local import read_document
from ingest.sources import json_lines
from ingest.sources.json_lines import JsonLinesSource
from rag_core.documents import Classification, PolicySource
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))
NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    fetcher = Fetcher("adpolicy-tests", FetchLimits(attempts=1, interval_seconds=0.0), may_connect=any_address)
    yield fetcher
    await fetcher.aclose()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.jsonl"


@pytest.fixture
def source(path: Path, fetcher: Fetcher) -> JsonLinesSource:
    return JsonLinesSource("acme-records", path, DEFAULTS, fetcher)


def write(path: Path, *lines: dict[str, object] | str | bytes) -> None:
    encoded = [
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    path.write_bytes(b"\n".join(encoded) + b"\n")


async def read(source: JsonLinesSource) -> dict[str, RawDocument | PolicyBotError | None]:
    found: dict[str, RawDocument | PolicyBotError | None] = {}
    for item in await source.discover():
        try:
            found[item.origin] = await source.fetch(item)
        except PolicyBotError as error:
            found[item.origin] = error
    return found


async def one(source: JsonLinesSource) -> RawDocument:
    (raw,) = (await read(source)).values()
    if isinstance(raw, PolicyBotError):
        raise raw
    assert raw is not None
    return raw


async def test_a_record_becomes_a_document(path: Path, source: JsonLinesSource) -> None:
    write(
        path,
        {
            "id": "ACME-12",
            "title": "Beer",
            "text": "# Beer\n\nAdults only.",
            "url": "https://acme.example/beer",
            "regions": ["GB", "fr"],
            "effective_from": "2026-01-05",
            "effective_to": "2026-07-01",
            "content_type": "image",
            "labels": {"Stage": "Live"},
            "author": "keeper",
            "posted_at": "2026-01-04T10:00:00Z",
            "post_number": 3,
            "parent_id": "ACME-1",
            "classification": "restricted",
            "allowed_groups": ["legal"],
            "extra": {"colour": "red"},
        },
    )

    raw = await one(source)
    version = read_document(raw, "x", DEFAULTS, NOW, len, 400).arrival.version

    assert (raw.origin, raw.content, raw.chunked) == ("ACME-12", b"# Beer\n\nAdults only.", True)
    assert (version.document_id, version.title, version.url) == ("acme_12", "Beer", "https://acme.example/beer")
    assert (version.author, version.post_number, version.posted_at) == (
        "keeper",
        3,
        datetime(2026, 1, 4, 10, tzinfo=UTC),
    )
    assert (version.classification, version.allowed_groups) == (Classification.RESTRICTED, frozenset({"legal"}))
    assert version.labels == {"stage": "live", "parent": "acme-1"}
    assert raw.facts["regions"] == ["uk", "fr"]
    assert (raw.facts["effective_from"], raw.facts["effective_to"]) == ("2026-01-05", "2026-07-01")


async def test_a_record_that_ends_before_it_begins_is_refused(path: Path, source: JsonLinesSource) -> None:
    write(path, {"id": "a", "text": "Words.", "effective_from": "2026-01-05", "effective_to": "2026-01-04"})

    with pytest.raises(Rejected) as refused:
        await one(source)

    assert refused.value.code == "record_invalid"
    assert (refused.value.details["key"], refused.value.details["line"]) == ("effective_to", 1)


async def test_a_record_without_text_is_made_of_its_fields(path: Path, source: JsonLinesSource) -> None:
    write(
        path,
        {
            "id": 7,
            "title": "Banner *large*",
            "regions": "uk",
            "labels": {"stage": "live"},
            "extra": {"max_size_kb": 150, "formats": ["png", "jpg"], "animated": False, "none": None, "note": "a\nb_c"},
        },
    )

    assert (await one(source)).content.decode() == (
        "# Banner \\*large\\*\n\nRegions: uk  \nStage: live  \nMax size kb: 150  \nFormats: png, jpg  \nAnimated: no"
        "  \nNote: a b\\_c"
    )


async def test_chunking_can_be_switched_off(path: Path, source: JsonLinesSource) -> None:
    write(path, {"id": "a", "text": "Words.", "chunk": False})

    assert (await one(source)).chunked is False


async def test_what_the_text_says_of_itself_does_not_count(path: Path, source: JsonLinesSource) -> None:
    write(path, {"id": "a", "text": "---\nclassification: public\n---\n\nWords.", "classification": "restricted"})

    version = read_document(await one(source), "x", DEFAULTS, NOW, len, 400).arrival.version

    assert version.classification is Classification.RESTRICTED


async def test_only_a_changed_line_is_read_again(path: Path, source: JsonLinesSource) -> None:
    write(path, {"id": "a", "text": "One."}, {"id": "b", "text": "Two."})
    before = {item.origin: item.revision for item in await source.discover()}
    write(path, {"id": "new", "text": "Zero."}, {"id": "a", "text": "One."}, {"id": "b", "text": "Two, changed."})

    found = {item.origin: await source.fetch(item, before.get(item.origin)) for item in await source.discover()}

    assert found["a"] is None
    assert [raw.content for raw in found.values() if raw] == [b"Zero.", b"Two, changed."]


async def test_a_broken_line_is_named_and_the_rest_read(path: Path, source: JsonLinesSource) -> None:
    write(
        path,
        b"\xef\xbb\xbf" + b'{"id": "a", "text": "One."}\r',
        '{"id": "b", "text": ',
        "",
        '["no object"]',
        b'{"id": "c", "text": "\xff"}',
        {"text": "no id"},
        {"id": True, "text": "x"},
        {"id": "d" * 151, "text": "x"},
        {"id": "e", "txt": "x"},
        {"id": "f", "regions": ["atlantis"], "text": "x"},
        {"id": "g"},
        {"id": "line:2", "text": "x"},
        {"id": "h", "text": "Last.", "posted_at": "2026-01-04T10:00:00"},
        {"id": "early", "text": "x", "posted_at": "0001-01-01T00:00:00+14:00"},
        {"id": "late", "text": "x", "posted_at": "9999-12-31T23:59:59-14:00"},
        {"id": "many", "text": "x", "post_number": 2**31},
    )

    found = await read(source)

    problems = {
        origin: (error.code, error.details["line"]) for origin, error in found.items() if isinstance(error, Rejected)
    }
    assert problems == {
        "line:2": ("record_invalid", 2),
        "line:4": ("record_invalid", 4),
        "line:5": ("record_invalid", 5),
        "line:6": ("record_invalid", 6),
        "line:7": ("record_invalid", 7),
        "line:8": ("record_invalid", 8),
        "e": ("record_field_unknown", 9),
        "f": ("record_invalid", 10),
        "g": ("record_empty", 11),
        "line:12": ("record_invalid", 12),
        "early": ("record_invalid", 14),
        "late": ("record_invalid", 15),
        "many": ("record_invalid", 16),
    }
    unknown, wrong = found["e"], found["f"]
    assert isinstance(unknown, Rejected)
    assert isinstance(wrong, Rejected)
    assert (unknown.details["key"], unknown.details["near"]) == ("txt", "text")
    assert str(wrong.details["key"]).startswith("regions")
    last = found["h"]
    assert isinstance(last, RawDocument)
    assert last.facts["posted_at"] == "2026-01-04T10:00:00+00:00"
    assert [raw.content for raw in found.values() if isinstance(raw, RawDocument)] == [b"One.", b"Last."]


async def test_an_id_that_comes_twice_is_named(path: Path, source: JsonLinesSource) -> None:
    write(path, {"id": "a-b", "text": "One."}, {"id": "a-b", "text": "Two."}, {"id": "a b", "text": "Three."})

    found = await read(source)

    assert isinstance(found["a-b"], RawDocument)
    twins = [error for error in found.values() if isinstance(error, Rejected)]
    assert [(error.code, error.details["line"], error.details["first_line"]) for error in twins] == [
        ("record_id_taken", 2, 1),
        ("record_id_taken", 3, 1),
    ]


async def test_ids_of_any_kind(path: Path, source: JsonLinesSource) -> None:
    write(path, {"id": "酒", "text": "One."}, {"id": "2026-01-05", "text": "Two."}, {"id": "x" * 140, "text": "Three."})

    found = [raw for raw in (await read(source)).values() if isinstance(raw, RawDocument)]
    versions = [read_document(raw, "x", DEFAULTS, NOW, len, 400).arrival for raw in found]

    assert len({arrival.version.document_id for arrival in versions}) == 3
    assert [arrival.stated for arrival in versions] == [None, None, None]


async def test_a_record_nested_too_deeply_is_refused_and_the_next_one_read(path: Path, source: JsonLinesSource) -> None:
    deep = '{"id": "deep", "extra": {"a": ' + "[" * 200_000 + "]" * 200_000 + "}}"
    write(path, deep, {"id": "beer", "text": "Beer."})

    found = await read(source)

    refused = found["line:1"]
    assert isinstance(refused, Rejected)
    assert refused.code == "record_invalid"
    assert "recursion limit" in str(refused.details["problem"])
    assert isinstance(found["beer"], RawDocument)


async def test_no_file_no_record(path: Path, source: JsonLinesSource, tmp_path: Path, fetcher: Fetcher) -> None:
    with pytest.raises(Misconfigured, match="source_file_missing"):
        await source.discover()
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(Rejected, match="document_no_file"):
            await JsonLinesSource("acme-records", place, DEFAULTS, fetcher).discover()
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(Rejected, match="source_file_unreadable"):
        await JsonLinesSource("acme-records", tmp_path / "circle", DEFAULTS, fetcher).discover()
    write(path, "")
    with pytest.raises(Rejected, match="records_none"):
        await source.discover()
    write(path, '[\n{"id": 1},\n]')
    with pytest.raises(Rejected, match="records_none") as refused:
        await source.discover()
    assert refused.value.details["line"] == 1


async def test_a_file_that_is_written_to_meanwhile(path: Path, source: JsonLinesSource) -> None:
    write(path, {"id": "a", "text": "One."})
    (item,) = await source.discover()
    write(path, {"id": "b", "text": "Two."})

    with pytest.raises(Unavailable, match="source_file_changed"):
        await source.fetch(item)


async def test_a_line_without_end(path: Path, source: JsonLinesSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 1000)
    write(path, {"id": "a", "text": "x" * 200_000}, {"id": "b", "text": "One."})

    found = await read(source)

    assert isinstance(found["b"], RawDocument)
    assert isinstance(found["line:1"], Rejected)
    assert found["line:1"].code == "record_too_long"


async def test_a_large_file_is_not_held_in_memory(path: Path, source: JsonLinesSource) -> None:
    line = json.dumps({"id": "%d", "text": "word " * 20_000}).encode()
    write(path, *(line.replace(b"%d", str(number).encode()) for number in range(300)))  # 30 MB
    tracemalloc.start()
    try:
        items = await source.discover()
        raw = await source.fetch(items[-1])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert raw is not None
    assert (len(items), raw.origin) == (300, "299")
    assert peak < 3_000_000


async def test_from_an_address(fetcher: Fetcher) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=b'{"id": "a", "text": "One."}\n')

    app = web.Application()
    app.router.add_get("/records.jsonl", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        source = JsonLinesSource("acme-records", f"{address}/records.jsonl", DEFAULTS, fetcher)
        assert (await one(source)).content == b"One."
        with pytest.raises(Rejected, match="document_gone"):
            await JsonLinesSource("acme-records", f"{address}/none", DEFAULTS, fetcher).discover()
    finally:
        await runner.cleanup()
