"""Running headers, footers and page numbers: what stands at the same place on several pages is not the document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from statistics import median

from ingest.parsers.pdf.page import LaidPage, Word, rows_of

_MARGIN = 0.12
"""The part of a page's height at its top, and at its bottom, where they stand."""
_SAME_PLACE = 4.0
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:[-–—|\s]*(?:page|seite|p\.)?\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/|von)\s*\d{1,4})?[-–—|\s]*)", re.IGNORECASE
)
_SAYS_PAGE = re.compile(r"page\s+\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|\d{1,4}\s*(?:of|/)\s*\d{1,4}", re.IGNORECASE)


_NUMBER_LAST = re.compile(r"\D+[\s(\[|,–—-](\d{1,4})[)\]]?")
_MOST_WORDS = 10
_LEAST_PAGES = 3
_MOST_PAGES_SEEN_TWICE = 5
_SMALL = 0.95
"""The part of the usual size below which type is small."""

Key = tuple[str, int]


def without_margins(pages: Sequence[LaidPage]) -> list[LaidPage]:
    """`pages` without the lines in their margins that repeat, or that number the page.

    Numbers may differ from page to page, but not in bold or larger type: "Rule 4" and "Rule 5" on top of their pages
    are headings. Titles may differ that end with the page's number, or that stand in small type on top of all pages.
    """
    seen: dict[Key, set[int]] = {}
    for page in pages:
        for row in _marginal(page):
            for key in (*_keys(page, row), *_changing_keys(page, row)):
                seen.setdefault(key, set()).add(page.number)
    return [_cleared(page, seen, len(pages)) for page in pages]


def _cleared(page: LaidPage, seen: Mapping[Key, AbstractSet[int]], pages: int) -> LaidPage:
    gone: set[int] = set()
    for row in _marginal(page):
        on = max((seen[key] for key in _keys(page, row)), key=len)
        changing = max((len(seen[key]) for key in _changing_keys(page, row)), default=0)
        title_of_pages = changing >= max(_LEAST_PAGES, 0.6 * pages)
        if _repeats(on, pages) or title_of_pages or _is_page_number(_text(row), page.number, len(on)):
            gone.update(map(id, row))
    return replace(page, words=tuple(word for word in page.words if id(word) not in gone)) if gone else page


def _repeats(on: AbstractSet[int], pages: int) -> bool:
    """On three pages, on both of two, or on every other of a few."""
    if len(on) != 2:
        return len(on) >= _LEAST_PAGES
    return pages <= _LEAST_PAGES or (pages <= _MOST_PAGES_SEEN_TWICE and max(on) - min(on) == 2)


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


def _keys(page: LaidPage, row: Sequence[Word]) -> tuple[Key, Key]:
    """The line and its height."""
    text = _text(row).casefold()
    return _placed(page, row, text if _stands_out(page, row) else _DIGITS.sub("#", text))


def _changing_keys(page: LaidPage, row: Sequence[Word]) -> Iterator[Key]:
    """What stays the same of a line whose words differ from page to page: how far its number is from the page's, and
    that it stands in small type above all else."""
    if len(row) > _MOST_WORDS or _stands_out(page, row):
        return
    if (match := _NUMBER_LAST.fullmatch(_text(row))) is not None:
        yield from _placed(page, row, f"#{int(match[1]) - page.number}")
    is_small = max(word.size for word in row) < _SMALL * median(word.size for word in page.words)
    if is_small and row[0].base < page.height / 2 and not any(word.base < row[0].base - 1 for word in page.words):
        yield from _placed(page, row, "#small")


def _placed(page: LaidPage, row: Sequence[Word], text: str) -> tuple[Key, Key]:
    """`text` and the height of `row`, in two overlapping grids, so that a difference of a point does not part them."""
    base = row[0].base if row[0].base < page.height / 2 else row[0].base - page.height
    return (text, 2 * round(base / _SAME_PLACE)), (text, 2 * round(base / _SAME_PLACE + 0.5) + 1)


def _stands_out(page: LaidPage, row: Sequence[Word]) -> bool:
    usual = median(word.size for word in page.words)
    return all(word.bold for word in row) or max(word.size for word in row) > 1.1 * usual
