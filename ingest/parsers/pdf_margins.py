"""Running headers, footers and page numbers: what stands at the same place on several pages is not the document."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from ingest.parsers.pdf_lines import rows_of
from ingest.parsers.pdf_page import LaidPage, Word

_MARGIN = 0.12
"""The part of a page's height at its top, and at its bottom, where they stand."""
_SAME_PLACE = 4.0
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:[-–—|\s]*(?:page|seite|p\.)?\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/|von)\s*\d{1,4})?[-–—|\s]*)", re.IGNORECASE
)
_SAYS_PAGE = re.compile(r"page\s+\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|\d{1,4}\s*(?:of|/)\s*\d{1,4}", re.IGNORECASE)


def without_margins(pages: Sequence[LaidPage]) -> list[LaidPage]:
    """`pages` without the lines in their margins that repeat, or that number the page.

    Numbers may differ from page to page, but not in bold or larger type: "Rule 4" and "Rule 5" on top of their pages
    are headings.
    """
    seen: Counter[tuple[str, int]] = Counter()
    for page in pages:
        seen.update({key for row in _marginal(page) for key in _keys(page, row)})
    return [_cleared(page, seen, len(pages)) for page in pages]


def _cleared(page: LaidPage, seen: Counter[tuple[str, int]], pages: int) -> LaidPage:
    gone: set[int] = set()
    for row in _marginal(page):
        times = max(seen[key] for key in _keys(page, row))
        if _repeats(times, pages) or _is_page_number(_text(row), page.number, times):
            gone.update(map(id, row))
    return replace(page, words=tuple(word for word in page.words if id(word) not in gone)) if gone else page


def _repeats(times: int, pages: int) -> bool:
    """On three pages, or on both of two."""
    return times >= 3 or (times == 2 and pages <= 3)


def _is_page_number(text: str, number: int, times: int) -> bool:
    if _SAYS_PAGE.fullmatch(text):
        return True
    return _PAGE_NUMBER.fullmatch(text) is not None and (times > 1 or text.strip("-–—| ") == str(number))


def _marginal(page: LaidPage) -> list[list[Word]]:
    depth = _MARGIN * page.height
    outer = [word for word in page.words if word.base < depth or word.base > page.height - depth]
    return rows_of(outer)


def _text(row: Sequence[Word]) -> str:
    return " ".join(word.text for word in row)


def _keys(page: LaidPage, row: Sequence[Word]) -> tuple[tuple[str, int], tuple[str, int]]:
    """The line and its height, in two overlapping grids, so that a difference of a point does not part them."""
    text = _text(row).casefold()
    if not _stands_out(page, row):
        text = _DIGITS.sub("#", text)
    base = row[0].base if row[0].base < page.height / 2 else row[0].base - page.height
    return (text, 2 * round(base / _SAME_PLACE)), (text, 2 * round(base / _SAME_PLACE + 0.5) + 1)


def _stands_out(page: LaidPage, row: Sequence[Word]) -> bool:
    usual = median(word.size for word in page.words)
    return all(word.bold for word in row) or max(word.size for word in row) > 1.1 * usual
