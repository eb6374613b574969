"""What is longer than a card may be, page by page."""

from collections.abc import Iterator, Sequence
from typing import Any

from bot import wording_answers, wording_teams_answers
from bot.render.adaptive import Element, small, submit, weight
from bot.render.card_text import escape
from bot.render.teams_buttons import PAGE, Sign, data_of
from bot.render.teams_signed import ANSWER
from bot.render.teams_view import TeamsVerb

PAGE_UNITS = 30_000
"""UTF-16 code units of the elements of one page: a card has to stay below what a message may have."""

_LISTS = {"Table": "rows", "Container": "items"}


def paged(elements: Sequence[Element], page: int) -> tuple[list[Element], int]:
    """The elements of a page, counted from 0 (the last one for a number beyond it), and how many pages there are."""
    pages: list[list[Element]] = [[]]
    full = 0
    for each in (part for element in elements for part in _parts(element)):
        full += (heavy := weight([each]))
        if pages[-1] and full > PAGE_UNITS:
            pages.append([])
            full = heavy
        pages[-1].append(each)
    return pages[max(0, min(page, len(pages) - 1))], len(pages)


def page_number(said: str) -> int:
    """0 for what is no number of a page."""
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 5 else 0


def page_actions(verb: TeamsVerb, answer_id: str, page: int, count: int, sign: Sign | None) -> list[Element]:
    """To the pages before and behind; none where there is one page."""
    page = max(0, min(page, count - 1))
    turns = (
        (page > 0, page - 1, wording_teams_answers.earlier_page()),
        (page + 1 < count, page + 1, wording_teams_answers.next_page()),
    )
    return [
        submit(text, data_of(verb, sign, **{ANSWER: answer_id, PAGE: str(to)})) for wanted, to, text in turns if wanted
    ]


def page_line(page: int, count: int) -> list[Element]:
    return [small(escape(wording_teams_answers.page(max(0, min(page, count - 1)) + 1, count)))] if count > 1 else []


def _parts(element: Element) -> Iterator[Element]:
    """The element, or what it is made of where it alone is longer than a page."""
    if weight([element]) <= PAGE_UNITS:
        yield element
        return
    name = _LISTS.get(str(element["type"]), "")
    held: list[Any] = list(element[name]) if name else []  # type: ignore[call-overload]
    head, rest = (held[:1], held[1:]) if name == "rows" else ([], held)
    if len(rest) < 2:
        yield small(escape(wording_answers.too_much()))
        return
    middle = len(rest) // 2
    for half in (rest[:middle], rest[middle:]):
        yield from _parts({**element, name: [*head, *half]})
