"""Parts of an answer in Teams: elements of a card."""

from collections.abc import Mapping, Sequence

from bot import wording
from bot.model.links import Links
from bot.model.visible import lines, read_out
from bot.render.blocks import Room
from bot.render.markdown import document_titles
from bot.render.teams import elements
from bot.render.teams.elements import Element, heading, small, text_block, texts
from bot.render.teams.text import bold, escape, link, mark, shortened
from bot.render.teams.view import MOST_CHOICES, Sign, TeamsView, choice_buttons
from bot.wording import answers, teams
from rag_core.answers import Answer, Choice, Citation, Nearest, Reply, Statement
from rag_core.questions import Scope

BOT_NAME = "AdPolicy"
"""By which people mention the bot."""

PARAGRAPH = 900
_QUESTION, _LINE, _QUOTE = 400, 400, 600
_MOST_LINES = 10
_MOST_MARKS = 8


def headline(sign: str, text: str) -> Element:
    """The sign beside the word, never alone."""
    return text_block(f"{sign} {shortened(text, _LINE)}", style="heading", size="Large", weight="Bolder")


def question(text: str, rewritten: str | None = None, *, is_seen: bool = True) -> list[Element]:
    """The question, unless it is seen anyway, and how it was read."""
    asked = [] if is_seen else [f"{bold(wording.QUESTION_LABEL + ':')} {shortened(text, _QUESTION)}"]
    read = [shortened(wording.rewritten(rewritten), _QUESTION)] if rewritten else []
    return [elements.turned(each) for each in texts([*asked, *read], spacing="Small")]


def scope(scope: Scope, names: Mapping[str, str], cited: Sequence[Citation] = ()) -> list[Element]:
    """What the reply holds for, and the versions that it is taken from, in small print."""
    found = [small(shortened(wording.scope_line(scope, names), 2 * _LINE))]
    if cited:
        versions = list(dict.fromkeys((each.title, each.effective_from) for each in cited))
        found.append(small(shortened(answers.versions(versions), _LINE)))
    if hint := wording.scope_hint(scope):
        found.append(small(shortened(hint, _LINE)))
    return found


def statement(statement: Statement, urls: Mapping[int, str], *, is_quoted: bool = True) -> list[Element]:
    """A statement as a quote (a person's words are none), whole, with its numbered links behind it."""
    shown = [escape(line) for line in lines(statement.text)]
    if not shown:
        return []
    shown[-1] = f"{shown[-1]} {marks(statement.citations, urls)}".rstrip()
    looks: Element = {"style": "emphasis"} if is_quoted else {}
    return [elements.container(texts(shown, spacing="Small"), statement.text, spacing="Small", **looks)]


def marks(numbers: Sequence[int], urls: Mapping[int, str]) -> str:
    """ "[1] [2]", the first of them linked."""
    return " ".join(mark(each, urls.get(each, "") if at < _MOST_MARKS else "") for at, each in enumerate(numbers))


def source(citation: Citation, links: Links, *, is_open: bool = False) -> list[Element]:
    """An entry of the source list: number, linked title, facts; its quote is shown by a click."""
    title = link(links.citation(citation), wording.section_title(citation.title, citation.section_path))
    facts = shortened(wording.source_facts(citation, links.source_names), _LINE)
    quote = shortened(wording.quoted(read_out(citation.quote)), _QUOTE)
    name = f"source-{citation.number}"
    above = [text_block(f"**[{citation.number}]** {title}"), small(facts)]
    looks: Element = {} if is_open else {"id": name, "isVisible": False}
    shown = elements.container([text_block(quote)], citation.quote, style="emphasis", spacing="Small", **looks)
    if is_open:
        return [elements.container([*above, shown], spacing="Small")]
    return [elements.columns(elements.column(above), _toggle(citation.number, name)) | {"spacing": "Small"}, shown]


def _toggle(number: int, name: str) -> Element:
    show, hide = f"{name}-show", f"{name}-hide"
    texts_ = [
        text_block(teams.SHOW_QUOTE, id=show, color="Accent", weight="Bolder"),
        text_block(teams.HIDE_QUOTE, id=hide, color="Accent", weight="Bolder", isVisible=False),
    ]
    clicked = elements.toggle(teams.show_quote_of(number), [name, show, hide])
    return elements.column(texts_, "auto", selectAction=clicked)


def nearest(room: Room, found: Sequence[Nearest], links: Links) -> list[Element]:
    """The sections that are near, as links, as many as there is room for."""
    entries = [
        [
            text_block(f"• {link(links.nearest(each), wording.section_title(each.title, each.section_path))}"),
            small(shortened(wording.nearest_facts(each, links.source_names), _LINE)),
        ]
        for each in found[:_MOST_LINES]
    ]
    return _longest_list(room, wording.NEAREST_HEADING, entries)


def choices(
    room: Room, found: Sequence[Choice], links: Links, title: str, answer_id: str, sign: Sign | None
) -> list[Element]:
    """Further questions as buttons; where there is no room for them, or nothing to find them by, as text, as many as
    there is room for."""
    clickable = choice_buttons(answer_id, found, links, sign)
    if clickable and (shown := room.first([heading(escape(title)), *clickable])):
        return shown
    entries = [
        [text_block(f"• {shortened(wording.choice_line(each, links.source_names), _LINE)}", spacing="Small")]
        for each in found[: max(_MOST_LINES, MOST_CHOICES)]
    ]
    return _longest_list(room, title, entries)


def _longest_list(room: Room, title: str, entries: Sequence[list[Element]]) -> list[Element]:
    lists = (
        [heading(escape(title)), *(each for entry in entries[:count] for each in entry)]
        for count in range(len(entries), 0, -1)
    )
    return room.first(*lists)


def bullet_list(title: str, entries: Sequence[str]) -> list[Element]:
    """A heading over entries, the first ten."""
    if not entries:
        return []
    hidden = len(entries) - _MOST_LINES
    more = [escape(wording.more_lines(hidden))] if hidden > 0 else []
    shown = [f"• {each}" for each in entries[:_MOST_LINES]]
    return [heading(escape(title)), *map(elements.turned, texts([*shown, *more], spacing="Small"))]


def notes(reply: Reply) -> list[Element]:
    """Warnings and what did not answer, one line each."""
    titles = document_titles(reply)
    said = [*(wording.warning(each, titles) for each in reply.warnings), *map(wording.degraded, reply.degraded)]
    label = bold(wording.NOTE_LABEL + ":")
    return [
        elements.container([text_block(f"{label} {shortened(each, _LINE)}")], each, style="warning", spacing="Small")
        for each in said[:_MOST_LINES]
    ]


def circumstances(view: TeamsView, cited: Sequence[str] = ()) -> list[Element]:
    """Where the reply comes from and how to go on, in small print. `cited`: ids of the chunks that it quotes."""
    said = []
    if view.shared_by:
        said.append(answers.SHARED)
        hidden = len(set(view.shared_chunks) - set(cited))
        said += [answers.shared_left_out(hidden)] if hidden else []
    if not view.is_threaded and not view.is_private:
        said.append(teams.not_threaded(BOT_NAME))
    return [small(escape(each)) for each in said]


def approved(answer: Answer) -> list[Element]:
    """That a person answered, and who approved it when."""
    return [_strong(wording.approved(answer))] if answer.approved else []


def not_stated(answer: Answer) -> list[Element]:
    """What no quoted rule covers."""
    return [_strong(wording.not_stated(answer))] if answer.not_stated else []


def _strong(text: str) -> Element:
    return text_block(shortened(text, _LINE), weight="Bolder", spacing="Small")
