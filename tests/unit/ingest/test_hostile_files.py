"""Files that somebody made to hang, crash or fool an ingest: each is read whole or named, and takes nothing with it.

Each stands beside two good documents, and its own text has a rule at the beginning and one at the end.
"""

import codecs
import json
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from ingest.fetching.addresses import any_address
from ingest.fetching.fetcher import Fetcher
from ingest.model.report import Failure, Note
from ingest.ports import SourceDefaults
from ingest.sources.folder import FolderSource
from ingest.sources.json_lines import JsonLinesSource
from ingest.wording import knows
from rag_core.documents import PolicySource
from tests.fakes.docx import docx, paragraph
from tests.fakes.workshop import Workshop

FIRST, LAST = "Ads for lanterns are not allowed in France.", "Ads for candles are not allowed in Germany."
RULE = "Ads for item {} are not allowed.\n\n"
MOST_SECONDS = 30
"""Of the processor. The longest takes 3 s; what grows with the square of its size takes minutes."""
Make = Callable[[], str | bytes]


def many(text: str, times: int) -> str:
    return "".join(text.replace("{}", str(at)) for at in range(times))


def page(body: str, head: str = "") -> str:
    return f"<html><head><title>A</title>{head}</head><body><main><h1>A</h1><p>{FIRST}</p>{body}<p>{LAST}</p></main>"


def stated(value: str) -> Make:
    return lambda: f"---\n{value}\n---\n# A\n\n{FIRST}\n\n{LAST}\n"


def text(body: str) -> str:
    return f"# A\n\n{FIRST}\n\n{body}\n\n{LAST}\n"


def within(make: Make) -> Make:
    return lambda: text(str(make()))


MARKDOWN: dict[str, Make] = {
    "spaces": lambda: "word" + " " * 300_000 + "word\n" + "\t" * 50_000 + "x",
    "pipes": lambda: "|" * 30_000 + "\n" + "|-" * 15_000 + "|\n" + "|" * 30_000,
    "runs": lambda: "\n\n".join(f"x{sign * 5_000}y\n\n{sign * 5_000} z" for sign in ".-_=#"),
    "brackets": lambda: "\n\n".join(
        sign * 1_500 for sign in ("[", "![", "[a](", "[a](<b", "<a@", "][", "[[a]", "[a][")
    ),
    "quotes": lambda: (">" * 5_000 + " a\n") * 50,
    "backticks": lambda: "e".join("`" * at for at in range(1, 600)),
    "stars": lambda: "*a **b _c __" * 5_000 + "\n\n" + "a**b" * 5_000,
    "words": lambda: "a" * 300_000 + "\n\n" + "7" * 300_000 + "\n\n" + "字" * 50_000,
    "unseen": lambda: "\u200b\u202e\u2066" * 20_000 + " \x1b[2J\x07",
    "newlines": lambda: "## One\x0b\x0ctext\x85text\u2028## Two\u2029text\r## Three\rtext\n\r\n\r",
    "headings": lambda: many("## H{}\n", 1_000) + "#" * 100_000 + " a\n" + "## Same\n\nText.\n\n" * 1_000,
    "long heading": lambda: "# " + "Long heading " * 8_000 + "\n\n" + many(f"## Part {{}}\n\n{RULE}", 200),
    "wide table": lambda: "|" + "c|" * 500 + "\n|" + "-|" * 500 + "\n" + ("|" + "v|" * 500 + "\n") * 20,
    "long column": lambda: "| " + "name " * 10_000 + "| b |\n|-|-|\n" + many("| v{} | Ads are not allowed |\n", 100),
    "long lead-in": lambda: "Ads must not " + "really " * 8_000 + "show:\n\n" + many("- item {}:\n  - red\n", 100),
    "references": lambda: (
        many("[r{}]: http://e.com\n", 5_000) + "\n" + many("[r{}] ", 5_000) + "\n\n" + "[a]: <\n" * 2_000
    ),
    "days": lambda: "\n\n".join(
        each * 3_000 for each in ("Effective ", "01-02-03-", "1 January ", "2026-", "section 1.1.")
    ),
    "places": lambda: "## " + "Germany, France, " * 1_000 + "\n\n" + RULE,
    "ligatures": lambda: "ﷺ" * 20_000 + "\n\na" + "\u0301\u0323" * 20_000 + "\n\n" + "ßİŉ" * 10_000,
}
PAGES: dict[str, Make] = {
    "many attributes": lambda: page("<p " + many("a{}=1 ", 150_000) + ">x</p>"),
    "attributes": lambda: page("<p " + many("a{}=1 ", 5_000) + ">x</p><p title='" + "z" * 500_000 + "'>y</p>"),
    "entities": lambda: page("<p>" + "&amp;&#x10FFFF;&#99999999999;&nGt&#0;&#xD800;&" * 10_000 + "</p>"),
    "spans": lambda: page(
        "<table><tr>" + "<td colspan=1000 rowspan=65534>v" * 300 + "<tr><td colspan=1000000000>r</table>"
    ),
    "misnested": lambda: page("<b><i><a href=x><p>t" * 500 + "</b></i></a>" * 500),
    "metas": lambda: page("", "<base href='javascript:x'>" + f"<meta name='adpolicy:title' content='{'v' * 300_000}'>"),
    "button": lambda: page("<button>More"),
    "frame": lambda: page("<iframe>"),
    "select": lambda: page("<select>"),
    "charset": lambda: page("", "<meta charset='utf-16'>"),
    "utf-32": lambda: page("").encode("utf-32"),
}
OTHERS: dict[str, Make] = {
    "utf-32.md": lambda: text("").encode("utf-32"),
    "utf-32-be.md": lambda: codecs.BOM_UTF32_BE + text("").encode("utf-32-be"),
    "utf-16.md": lambda: text("").encode("utf-16-le"),
    **{
        f"opened{at}.md": partial(text, each)
        for at, each in enumerate(("<!-- note", "<script>", "<textarea>", "<![CDATA[", "<?p", "```"))
    },
    **{f"opened{at}.html": partial(page, each) for at, each in enumerate(("<!-- note", "<script>", "<title>"))},
    **{
        f"stated{at}.md": stated(each)
        for at, each in enumerate(
            (
                "posted_at: 0001-01-01T00:00:00+14:00",
                "labels: {n: 9" + ":59" * 300 + ".5}",
                "posted_at: 9999-12-31T23:59:59-14:00",
                "post_number: 99999999999999999999",
                "post_number: 2147483648",
                "effective_from: 0001-01-01",
                "effective_from: 99999-99-99",
                'title: "\\uD800"',
                'title: "a\\0b"',
                "regions: 12:30:45",
                "labels: {1: {2: 3}}",
                "supersedes: [a, [b]]",
                "author: 2026-01-01",
            )
        )
    },
    "notes.docx": lambda: docx(
        paragraph(FIRST) + "<w:p><w:r><w:footnoteReference w:id='5'/></w:r></w:p>"
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='999999999999'/><w:numId w:val='77'/></w:numPr></w:pPr></w:p>"
        + paragraph(LAST)
    ),
}
FILES: dict[str, Make] = {
    **{f"md-{name}.md": within(make) for name, make in MARKDOWN.items()},
    **{f"page-{name}.html": make for name, make in PAGES.items()},
    **OTHERS,
}
DAYS = ("effective_from", "effective_to", "posted_at")
DEFAULTS = SourceDefaults(PolicySource("acme", "Acme"))
GOOD = {"0good.md": "Ads for rum are not allowed.", "zgood.md": "Ads for gin are not allowed."}


async def read_beside_good_ones(folder: Path, workshop: Workshop) -> dict[str, str]:
    """By origin, what was stored, or the code of why it was not, or of what is said of it; the good ones are whole."""
    for name, rule in GOOD.items():
        (folder / name).write_text(rule)
    before = time.process_time()

    report = await workshop.run(FolderSource("docs", folder, DEFAULTS))

    assert time.process_time() - before < MOST_SECONDS
    named: list[Failure | Note] = [*report.failed, *report.notes]
    assert [each.code for each in named if not knows(each.code)] == []
    found: dict[str, str] = {}
    for passage in await workshop.passages():
        found[passage.version.origin] = found.get(passage.version.origin, "") + f"{passage.chunk.chunk_text}\n"
    assert {name: found.pop(name).strip() for name in GOOD} == GOOD
    return {**found, **{each.origin: each.code for each in named if each.code != "versions_same_day"}}


@pytest.mark.parametrize("name", FILES)
async def test_a_hostile_file_is_read_whole_or_named(name: str, tmp_path: Path, workshop: Workshop) -> None:
    made = FILES[name]()
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / name).write_bytes(made if isinstance(made, bytes) else made.encode())

    found = await read_beside_good_ones(folder, workshop)

    is_whole = FIRST in found[name] and LAST in found[name]
    assert is_whole or knows(found[name]), found[name][:300]


def write_rules(folder: Path, names: Sequence[bytes]) -> None:
    for name in names:
        path = Path(os.fsdecode(os.fsencode(folder) + b"/" + name))
        path.write_text(f"Ads for item {name.hex()[:60]} are not allowed.")


async def test_names_of_every_kind_are_read_or_named(tmp_path: Path, workshop: Workshop) -> None:
    names = [
        b"a\nb.md",
        b"\x1b[31mred.md",
        b"\xff\xfe.md",
        b"\xe2\x80\xaeback.md",
        b"x" * 252 + b".md",
        b" .md",
        b"CON.md",
    ]
    names += [
        b"Alcohol.md",
        b"alcohol.md",
        b"ALCOHOL.MD",
        b"caf\xc3\xa9.md",
        b"cafe\xcc\x81.md",
        b"$(touch x).md",
        b"-rf.md",
    ]
    names += [
        b"a'\";--.md",
        b"%00.md",
        b"1.2.3.md",
        b"2026-01-01.md",
        b"v2.md",
        b"99999-01-01 v99999999999999999999.md",
    ]
    folder = tmp_path / "docs"
    folder.mkdir()
    write_rules(folder, names)

    found = await read_beside_good_ones(folder, workshop)

    assert {each.origin for each in await workshop.stored("docs")} | found.keys() == {
        *(name.decode(errors="surrogateescape").encode(errors="backslashreplace").decode() for name in names),
        *GOOD,
    }


async def test_records_at_the_ends_of_time_and_of_numbers_end_no_run(tmp_path: Path, workshop: Workshop) -> None:
    days: tuple[object, ...] = (
        "9999-12-31",
        "0001-01-01",
        "10000-01-01",
        "9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00:00+14:00",
        2**38,
        1e40,
        [],
    )
    odd: list[dict[str, object]] = [
        {"id": f"{key}{at}", "text": f"Rule {key} {at}.", key: day} for key in DAYS for at, day in enumerate(days)
    ]
    odd += [{"id": f"number{at}", "text": f"Rule {at}.", "post_number": at} for at in (2**31, 2**63, 2**64)]
    odd += [{"id": "same", "text": f"Rule {at}."} for at in range(50)]
    rows: list[dict[str, object]] = [{"id": "first", "text": FIRST}, *odd, {"id": "last", "text": LAST}]
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, rows)))
    fetcher = Fetcher("adpolicy-tests", may_connect=any_address)
    try:
        report = await workshop.run(JsonLinesSource("records", tmp_path / "records.jsonl", DEFAULTS, fetcher))
    finally:
        await fetcher.aclose()

    stored = {each.origin for each in await workshop.stored("records")}
    assert {"first", "last", "effective_from0", "posted_at1", "same"} <= stored
    assert {"posted_at3", "posted_at4", f"number{2**31}", f"number{2**64}"} <= {each.origin for each in report.failed}
    assert len(stored) + len(report.failed) == len(rows)
