"""What a click on an answer in Teams opens: the whole of it, and its sources, as cards of so many pages as it takes.

Pages are turned by `task/submit` with the verb that opened the dialog and PAGE (`bot.render.teams.dialogs`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot import wording
from bot.answers.recorded import answer_from
from bot.answers.seen import InContext, SeenAnswer, readable_answer
from bot.model.links import Links
from bot.model.visible import read_out
from bot.render.teams.answer import Shown, answer_elements
from bot.render.teams.elements import Element, card, container, small, submit, text_block, texts, weight
from bot.render.teams.text import escape, link, shortened
from bot.render.teams.view import ANSWER, PAGE, Sign, TeamsVerb, TeamsView, data_of
from bot.wording import answers, teams
from bot.wording import answers as said
from rag_core.answers import Citation
from rag_core.documents import Passage

_ENDLESS = 10**9
_LINE, _QUOTE, _AROUND = 400, 1_200, 500


def whole_answer_dialog(seen: SeenAnswer, links: Links, *, page: int = 0, sign: Sign | None = None) -> Element:
    """All of an answer that somebody may see now. Raises Rejected("answer_unreadable")."""
    record = seen.record
    shown = Shown(record.question_text, "", links, TeamsView(with_question=True), is_open=True)
    body, _ = answer_elements(shown, readable_answer(seen), _ENDLESS)
    partly = [] if seen.is_whole else [text_block(escape(said.PARTLY_SHOWN))]
    return _pages([*body, *partly, *_gone(seen.gone)], TeamsVerb.SHOW_MORE, record.answer_id, page, sign)


def sources_dialog(
    seen: SeenAnswer, found: Mapping[str, InContext], links: Links, *, page: int = 0, sign: Sign | None = None
) -> Element:
    """The quotes in context. `found`: by chunk. Raises Rejected("answer_unreadable")."""
    cited = [each for each in answer_from(seen.record.reply).citations if each.chunk_id in found]
    body = [_source(each, seen.passages[each.chunk_id], found[each.chunk_id], links) for each in cited]
    body += _gone(seen.gone)
    body = body or [text_block(escape(said.NO_SOURCES))]
    return _pages(body, TeamsVerb.SHOW_SOURCES, seen.record.answer_id, page, sign)


def _pages(body: Sequence[Element], verb: TeamsVerb, answer_id: str, page: int, sign: Sign | None) -> Element:
    shown, count = paged(body, page)
    return card([*shown, *page_line(page, count)], page_actions(verb, answer_id, page, count, sign))


def _source(cited: Citation, passage: Passage, context: InContext, links: Links) -> Element:
    """With the days for which the version holds as it is known now."""
    citation = replace(cited, effective_to=passage.version.effective_to)
    ended = citation.effective_to is not None and citation.effective_to != cited.effective_to
    title = wording.section_title(citation.title, citation.section_path)
    before = f"… {shortened(context.before, _AROUND)} " if context.before else ""
    after = f" {shortened(context.after, _AROUND)} …" if context.after else ""
    quote = f"**{shortened(wording.quoted(read_out(context.quote)), _QUOTE)}**"
    passage_ = container([text_block(f"{before}{quote}{after}")], context.quote, style="emphasis", spacing="Small")
    facts = [shortened(wording.source_facts(citation, links.source_names), _LINE)]
    return container(
        [
            text_block(f"**[{citation.number}]** {link(links.citation(citation), title)}"),
            *map(small, facts),
            *texts([escape(said.SUPERSEDED_SINCE)] if ended else [], weight="Bolder"),
            small(escape(said.IN_THE_DOCUMENT)),
            passage_,
        ],
        separator=True,
    )


def _gone(count: int) -> list[Element]:
    return [text_block(escape(said.sources_gone(count)))] if count else []


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
        (page > 0, page - 1, teams.EARLIER_PAGE),
        (page + 1 < count, page + 1, teams.NEXT_PAGE),
    )
    return [
        submit(text, data_of(verb, sign, **{ANSWER: answer_id, PAGE: str(to)})) for wanted, to, text in turns if wanted
    ]


def page_line(page: int, count: int) -> list[Element]:
    return [small(escape(teams.page(max(0, min(page, count - 1)) + 1, count)))] if count > 1 else []


def _parts(element: Element) -> Iterator[Element]:
    """The element, or what it is made of where it alone is longer than a page."""
    if weight([element]) <= PAGE_UNITS:
        yield element
        return
    name = _LISTS.get(str(element["type"]), "")
    held: list[Any] = list(element[name]) if name else []  # type: ignore[call-overload]
    head, rest = (held[:1], held[1:]) if name == "rows" else ([], held)
    if len(rest) < 2:
        yield small(escape(answers.TOO_MUCH))
        return
    middle = len(rest) // 2
    for half in (rest[:middle], rest[middle:]):
        yield from _parts({**element, name: [*head, *half]})
