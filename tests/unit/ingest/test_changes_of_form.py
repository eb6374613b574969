"""The real documents against copies of them that were laid out anew, through the parsers: no rule has changed."""

import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from ingest.reader.parsing import parse
from rag_core.changes import diff
from rag_core.layout import write_blocks

MARKDOWN, HTML = "text/markdown", "text/html"


def dashes_as_bullets(text: str) -> str:
    return re.sub(r"^(\s*)\*(\s+)(?=\S)", r"\1-\2", text, flags=re.MULTILINE)


def other_addresses(text: str) -> str:
    return re.sub(r'\]\((https?://[^)\s]+)( "[^"]*")?\)', r"](https://other.example/x?y=1)", text)


def without_links(text: str) -> str:
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)


def straight_quotes(text: str) -> str:
    return text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'})


def curly_apostrophes(text: str) -> str:
    return re.sub(r"(?<=[a-z])'(?=[a-z])", "’", text)


def hashes_as_headings(text: str) -> str:
    text = re.sub(r"^(\S[^\n]*)\n=+\s*$", r"# \1", text, flags=re.MULTILINE)
    return re.sub(r"^(\S[^\n]*)\n-{3,}\s*$", r"## \1", text, flags=re.MULTILINE)


def deeper_headings(text: str) -> str:
    return re.sub(r"^#(?=#*\s)", r"##", hashes_as_headings(text), flags=re.MULTILINE)


def bold_lines_as_headings(text: str) -> str:
    return re.sub(r"^\*\*([A-Z][^*\n]{2,50})\*\*\s*$", r"#### \1", text, flags=re.MULTILINE)


def numbered_headings(text: str) -> str:
    lines, number = [], 0
    for line in hashes_as_headings(text).split("\n"):
        heading = re.match(r"(##+) (?!\d|\[\])(?=\S)", line)
        number += bool(heading)
        lines.append(f"{heading[1]} {number}\\. {line[heading.end() :]}" if heading else line)
    return "\n".join(lines)


def broken_lines(text: str) -> str:
    def broken(line: str) -> str:
        prose = len(line) > 80 and re.match(r"[A-Z]", line) and "|" not in line
        return textwrap.fill(line, 80, break_long_words=False, break_on_hyphens=False) if prose else line

    return "\n".join(map(broken, text.split("\n")))


def a_stamp(text: str) -> str:
    return f"Last updated: 3 March 2026\n\n{text}"


def a_page(text: str) -> str:
    body = MarkdownIt("commonmark").enable("table").render(text)
    return f"<html><body><nav><a href=/>Home</a></nav><main>{body}</main><footer>© 2026 Acme</footer></body></html>"


FORMS: tuple[Callable[[str], str], ...] = (
    dashes_as_bullets,
    other_addresses,
    without_links,
    straight_quotes,
    curly_apostrophes,
    hashes_as_headings,
    deeper_headings,
    bold_lines_as_headings,
    numbered_headings,
    broken_lines,
    a_stamp,
    a_page,
)


def normal(content: str, mime_type: str) -> str:
    return write_blocks(parse(content.encode(), mime_type).blocks)


@pytest.mark.parametrize("publisher", ["Pinterest", "Reddit", "Taboola", "Telegram"])
def test_a_document_laid_out_anew_has_the_same_rules(publisher: str, shared_data: Path) -> None:
    newest = max((shared_data / "ad-policies" / "versions" / publisher).iterdir())
    content = newest.read_text("utf-8")
    before = normal(content, MARKDOWN)
    for form in FORMS:
        after = normal(form(content), HTML if form is a_page else MARKDOWN)
        told = [(rule.before, rule.after) for each in diff(before, after) for rule in each.rules]
        back = [(rule.before, rule.after) for each in diff(after, before) for rule in each.rules]
        assert (told, back) == ([], []), form.__name__
