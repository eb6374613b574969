"""Reading takes time in proportion to the document: twice the input, about twice the time, for each parser and chunker.

`python -m tests.unit.ingest.test_linear_time` prints what is measured.
"""

import re
import time
from collections.abc import Callable
from datetime import date

import pytest

from ingest.model.document_types import DOCX, HTML, MARKDOWN, PDF
from ingest.reader.contents import ReadingTask, contents_of
from ingest.reader.parsing import parse
from tests.fakes.docx import cell, docx, paragraph, row, table
from tests.fakes.pdfs import long_policy

RULE = "Ads for beer in Belgium may run between 18:00 and 6:00 if the audience is aged 18 or over (see section 4.2). "
MOST, TRIES = 3.0, 4
"""2.0 to 2.3 is measured; processors that are shared are no clocks."""


def many(text: str, times: int) -> str:
    return "".join(text.replace("{}", str(at)) for at in range(times))


def markdown(before: str, text: str) -> Callable[[int], bytes]:
    return lambda times: (f"# Rules\n\n{before}" + many(text, times)).encode()


def page(before: str, text: str, after: str = "") -> Callable[[int], bytes]:
    return lambda times: f"<main><h1>Rules</h1>{before}{many(text, times)}{after}</main>".encode()


SHAPES: dict[str, tuple[str, int, Callable[[int], bytes]]] = {
    "md-headings": (MARKDOWN, 250, markdown("", f"## Rule {{}}\n\n{RULE}\n\n")),
    "md-numbers": (MARKDOWN, 250, markdown("", f"{{}}.1 {RULE}\n\n")),
    "md-items": (MARKDOWN, 1_000, markdown("Not allowed:\n\n", f"- {RULE}{{}}\n")),
    "md-nested-items": (MARKDOWN, 200, markdown("Not allowed:\n\n", f"- {RULE}{{}}\n  - {RULE}{{}}\n")),
    "md-rows": (MARKDOWN, 800, markdown("| Country | Ads |\n|---|---|\n", f"| Land {{}} | {RULE} |\n")),
    "md-short-lines": (MARKDOWN, 1_500, markdown("", "beer {}\n")),
    "md-definitions": (MARKDOWN, 250, markdown("", f"Term {{}}\n:   {RULE}\n\n")),
    "md-sentences": (MARKDOWN, 1_500, markdown("", RULE)),
    "md-one-item": (MARKDOWN, 1_500, markdown("Not allowed:\n\n- ", RULE)),
    "md-one-word": (MARKDOWN, 100_000, lambda times: b"# Beer\n\n" + b"b" * times + b"\n\n- " + b"c" * times),
    "html-headings": (HTML, 250, page("", f"<h2>Rule {{}}</h2><p>{RULE}</p>")),
    "html-items": (HTML, 400, page("<p>Not allowed:</p><ul>", f"<li>{RULE}{{}}</li>", "</ul>")),
    "html-rows": (HTML, 400, page("<table>", f"<tr><td>Land {{}}<td>{RULE}</tr>", "</table>")),
    "html-breaks": (HTML, 500, page("<p>", f"{RULE}<br>", "</p>")),
    "html-unseen": (HTML, 300, page("", f'<p id="x{{}}" style="display:none">{RULE}</p><a href="#x{{}}">{{}}</a>')),
    "docx-paragraphs": (DOCX, 250, lambda times: docx("".join(paragraph(f"{RULE}{at}") for at in range(times)))),
    "docx-rows": (DOCX, 120, lambda times: docx(table(*(row(cell(f"Land {at}"), cell(RULE)) for at in range(times))))),
    "pdf-pages": (PDF, 6, long_policy),
}


def seconds(shape: str, times: int, chunker: str) -> float:
    """Of the processor, to read a document of this shape and cut it."""
    kind, size, made = SHAPES[shape]
    content = made(size * times)
    task = ReadingTask(content, kind, "rules", {}, True, "global", chunker, date(2026, 1, 1))
    began = time.process_time()
    contents_of(parse(content, kind), task, lambda text: len(re.findall(r"\w+|[^\w\s]", text)), 200)
    return time.process_time() - began


def ratio(shape: str, chunker: str) -> float:
    """What twice the input takes, of the shortest of some tries; after the first that is within bounds, no more."""
    seconds(shape, 1, chunker)  # what is read once is no part of it
    once, twice = [seconds(shape, 1, chunker)], [seconds(shape, 2, chunker)]
    while min(twice) > MOST * min(once) and len(twice) < TRIES:
        once.append(seconds(shape, 1, chunker))
        twice.append(seconds(shape, 2, chunker))
    return min(twice) / min(once)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("chunker", ["sections", "rules", "naive"])
def test_twice_the_document_takes_about_twice_the_time(shape: str, chunker: str) -> None:
    assert ratio(shape, chunker) <= MOST


if __name__ == "__main__":
    for name in SHAPES:
        print(f"{name:16}", *(f"{each} {ratio(name, each):.2f}" for each in ("sections", "rules", "naive")))
