"""Whatever is handed over as a document: it is read, or refused by name, in bounded time, and always alike."""

import random
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunkers.drafts import PATH_SEPARATOR
from ingest.chunkers.factory import chunker_of
from ingest.fetching.addresses import any_address
from ingest.fetching.fetcher import Fetcher
from ingest.model.document_types import DOCX, PDF
from ingest.parsers.parsed import ParsedDocument
from ingest.places import Places
from ingest.ports import SourceDefaults
from ingest.reader.parsing import parse
from ingest.reader.process import ReadingLimits, ReadingProcess
from ingest.sources.folder import FolderSource
from ingest.sources.json_lines import JsonLinesSource
from ingest.wording import knows
from rag_core.documents import PolicySource, search_text
from rag_core.errors import PolicyBotError
from rag_core.layout import BlockKind, read_blocks, write_blocks
from tests.fakes.docx import cell, docx, note, note_mark, paragraph, row, run, table
from tests.fakes.pdfs import long_policy
from tests.fakes.readers import counts_words
from tests.fakes.workshop import Workshop

MARKDOWN = """---
title: Alcohol
regions: [uk]
---
# Alcohol

**Germany**

Ads for beer need a *licence*, see [below](#wine).

> - a list within a quote:
>   1. one
>   2. two

| Country | Beer | Wine |
|---|---|---|
| Spain* | yes | no |
| France | no | no |

<details><summary>Wine</summary><p>Not <del>yet</del>.</p></details>

Term
: What it means.

Cider
-----

\\* Only *below* 2.8%.[^1] 4.2 Ads must be true. `code`
"""
HTML = """<!doctype html><html><head><meta charset="utf-8"><title>Alcohol</title></head><body><nav>Menu</nav><main>
<h1 id="top">Alcohol</h1><p>Ads for beer are <b>not</b> allowed in:<br>• Spain<br>• France</p><aside class="note">Except
ciders.</aside><table><tr><th rowspan="2">Country</th><th colspan="2">Ads</th></tr><tr><th>Beer</th><th>Wine</th></tr>
<tr><td>Spain</td><td colspan="2">no</td></tr></table><dl><dt>Beer</dt><dd>A drink</dd></dl><ul><li>one<ol start="3">
<li>two</ol></ul><button aria-expanded="false">More</button><div><h3>Red</h3>x</div></main>
<footer>Imprint</footer></html>"""
WORD = docx(
    paragraph("Alcohol", "Title")
    + paragraph("Beer", "heading1")
    + paragraph(run("Not allowed") + note_mark(2) + run(":"))
    + paragraph("beer", item=(1, 0))
    + table(row(cell("Country"), cell("Ads"), header=True), row(cell("Spain", across=2))),
    note(2, "Except cider."),
)
DOCUMENTS = {
    "text/markdown": MARKDOWN.encode(),
    "text/html": HTML.encode(),
    DOCX: WORD,
    PDF: long_policy(1),
}
ENDINGS = {".md": "text/markdown", ".html": "text/html", ".docx": DOCX, ".pdf": PDF}
DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))
PIECES = [
    *(
        b"<table>",
        b"</td>",
        b"<li>",
        b"<div>" * 60,
        b"<script>",
        b"<!--",
        b"<td colspan=99 rowspan=99999>",
        b"<a id=x>",
    ),
    *(b"> ", b"**", b"|", b"\n\n", b"#", b"- ", b"1. ", b"```", b"](", b"===\n", b"---\n", b"\t", b"    ", b"[^1]: "),
    *(b"\x00", b"\r", b"\xed\xa0\x80", b"\xff\xfe", b"&#x110000;", b"&#0;", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1b$B"),
]
MAX_TOKENS = 120


def count(text: str) -> int:
    return len(re.findall(r"\w{1,8}|[^\w\s]", text)) + 2


def spoilt(content: bytes, chance: random.Random, times: int) -> bytes:
    """`content` with bytes changed, left out, doubled, cut off and put in."""
    found = bytearray(content)
    for _ in range(times):
        at = chance.randrange(len(found) + 1)
        match chance.randrange(6):
            case 0:
                found[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del found[at : at + chance.randrange(1, 150)]
            case 2:
                found[at:at] = found[at : at + chance.randrange(1, 300)] * chance.choice([1, 2, 40])
            case 3 if chance.random() < 0.1:
                del found[at:]
            case _:
                found[at:at] = chance.choice(PIECES)
    return bytes(found)


def outcome(content: bytes, mime_type: str) -> ParsedDocument | str:
    try:
        return parse(content, mime_type)
    except PolicyBotError as error:
        return error.code


@pytest.mark.parametrize("mime_type", DOCUMENTS)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), times=st.integers(1, 25))
def test_a_spoilt_document_is_read_or_refused_and_always_alike(mime_type: str, seed: int, times: int) -> None:
    content = spoilt(DOCUMENTS[mime_type], random.Random(seed), times)  # noqa: S311
    before = time.process_time()

    found = outcome(content, mime_type)

    assert time.process_time() - before < 10
    assert found == outcome(content, mime_type)
    if isinstance(found, ParsedDocument):
        for kind in ("sections", "rules"):
            check_chunks(found, kind)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """`content` spoilt a little or much, cut off, or all but gone."""
    match chance.randrange(5):
        case 0:
            return content[: chance.randrange(len(content))]
        case 1:
            return chance.randbytes(chance.randrange(2_000))
        case _:
            return spoilt(content, chance, chance.choice([1, 5, 40]))


async def test_two_hundred_damaged_files_take_nothing_with_them(tmp_path: Path, workshop: Workshop) -> None:
    chance = random.Random(17)  # noqa: S311
    folder, records = tmp_path / "docs", tmp_path / "records.jsonl"
    folder.mkdir()
    good = {f"good{ending[1:]}{at}{ending}": DOCUMENTS[kind] for ending, kind in ENDINGS.items() for at in range(2)}
    bad = {
        f"bad{ending[1:]}{at}{ending}": damaged(DOCUMENTS[kind], chance)
        for ending, kind in ENDINGS.items()
        for at in range(50)
    }
    for name, content in {**good, **bad}.items():
        (folder / name).write_bytes(content)
    lines = [b'{"id": "record%d", "text": "Beer is banned."}' % at for at in range(60)]
    lines[10:50] = [damaged(line, chance).replace(b"\n", b" ") or b"{" for line in lines[10:50]]
    records.write_bytes(b"\n".join(lines))
    fetcher = Fetcher("adpolicy-tests", may_connect=any_address)
    reader = ReadingProcess(counts_words, ReadingLimits(seconds=20))
    sources = (FolderSource("docs", folder, DEFAULTS), JsonLinesSource("records", records, DEFAULTS, fetcher))
    try:
        report = await replace(workshop, reader=reader).run(*sources)
    finally:
        await reader.aclose()
        await fetcher.aclose()

    refused = {each.origin for each in report.failed if each.source_id == "docs"}
    read = {each.origin for each in await workshop.stored("docs")}
    assert (read | refused, read & refused, good.keys() - read) == ({*good, *bad}, set(), set())
    assert {Path(each).suffix for each in refused} == ENDINGS.keys()
    assert [each.code for each in report.failed if not knows(each.code)] == []
    records_read = {each.origin for each in await workshop.stored("records")}
    assert records_read >= {f"record{at}" for at in (*range(10), *range(50, 60))}
    assert len(records_read) + sum(each.source_id == "records" for each in report.failed) == 60
    assert report.not_indexed is None
    assert {passage.chunk.doc_id for passage in await workshop.passages()} >= {
        each.doc_id for each in await workshop.stored("docs") if each.origin in good
    }


@pytest.mark.parametrize("mime_type", DOCUMENTS)
@settings(max_examples=30, deadline=None)
@given(content=st.binary(max_size=600))
def test_any_bytes_are_read_or_refused(mime_type: str, content: bytes) -> None:
    assert outcome(content, mime_type)


def check_chunks(document: ParsedDocument, kind: str) -> None:
    """They hold all the text but headings, in order, once each, and can be read whole."""
    text = write_blocks(document.blocks)
    drafts = chunker_of(kind).cut(text, document.anchors, document.title or "Doc", Places(), count, MAX_TOKENS)

    assert drafts == chunker_of(kind).cut(text, document.anchors, document.title or "Doc", Places(), count, MAX_TOKENS)
    end = 0
    held = bytearray(len(text))
    for draft in drafts:
        assert end <= draft.start < draft.end <= len(text)
        end = draft.end
        held[draft.start : draft.end] = b"x" * (draft.end - draft.start)
        read = search_text(PATH_SEPARATOR.join(draft.path), draft.lead_in, text[draft.start : draft.end])
        assert count(read) <= MAX_TOKENS
    for block in read_blocks(text):
        if block.kind is not BlockKind.HEADING:
            assert all(held[at] or text[at].isspace() for at in range(block.start, block.end))
