"""Parts of Slack messages: each a line or block that keeps its own limit."""

from collections.abc import Mapping, Sequence

from bot import wording
from bot.model.links import Links
from bot.model.visible import lines, read_out
from bot.render.blocks import Block, Room, context, sections
from bot.render.markdown import document_titles
from bot.render.mrkdwn import bold, escape, link, pieces, shortened
from bot.render.slack.view import SlackView, choice_buttons
from bot.wording import answers, slack
from rag_core.answers import Answer, Choice, Citation, Nearest, Reply, Statement
from rag_core.questions import Scope

BOT_NAME = "adpolicy"
"""By which people mention the bot."""

_QUESTION, _LINE, _QUOTE = 400, 400, 400
_MOST_LINES = 10
_MOST_MARKS, _MARKS = 5, 1_400
_PIECE = 1_500
"""With `_MARKS` it stays below a section's 3,000."""


def question(text: str, rewritten: str | None = None, *, is_seen: bool = False) -> list[Block]:
    """The question, unless it is seen anyway: what a slash command said is not; and how it was read."""
    found = [] if is_seen else [f"{bold(wording.QUESTION_LABEL + ':')} {shortened(text, _QUESTION)}"]
    if rewritten:
        found.append(shortened(wording.rewritten(rewritten), _QUESTION))
    return sections(found)


def scope(scope: Scope, names: Mapping[str, str], cited: Sequence[Citation] = ()) -> Block:
    """What the reply holds for, and the versions that it is taken from, in small print."""
    found = [shortened(wording.scope_line(scope, names), 2 * _LINE)]
    if cited:
        versions = list(dict.fromkeys((each.title, each.effective_from) for each in cited))
        found.append(shortened(answers.versions(versions), _LINE))
    if hint := wording.scope_hint(scope):
        found.append(shortened(hint, _LINE))
    return context("\n".join(found))


def statement(statement: Statement, urls: Mapping[int, str], *, is_quoted: bool = True) -> list[Block]:
    """A statement as a quote (a person's words are none), whole, with its numbered links behind it."""
    mark = "> " if is_quoted else ""
    parts = [f"{mark}{piece}" for line in lines(statement.text) for piece in pieces(line, _PIECE)]
    numbers = marks(statement.citations, urls)
    return sections([*parts[:-1], f"{parts[-1]} {numbers}".rstrip()] if parts else [])


def marks(numbers: Sequence[int], urls: Mapping[int, str]) -> str:
    """ "[1] [2]", linked as long as there is room."""
    shown = ""
    for number in numbers[:_MOST_MARKS]:
        mark = link(urls[number], f"[{number}]") if number in urls else f"[{number}]"
        shown += " " + (mark if len(shown) + len(mark) < _MARKS else f"[{number}]")
    return shown.strip()


def source(citation: Citation, links: Links) -> list[Block]:
    """An entry of the source list: number, linked title, facts, quote."""
    title = link(links.citation(citation), wording.section_title(citation.title, citation.section_path))
    return sections(
        [
            f"*[{citation.number}]* {title}\n{shortened(wording.source_facts(citation, links.source_names), _LINE)}\n"
            f"> {shortened(wording.quoted(read_out(citation.quote)), _QUOTE)}"
        ]
    )


def nearest(room: Room, found: Sequence[Nearest], links: Links) -> list[Block]:
    """The sections that are near, as links, as many as there is room for."""
    entries = [
        f"• {link(links.nearest(each), wording.section_title(each.title, each.section_path))}\n"
        f"{shortened(wording.nearest_facts(each, links.source_names), _LINE)}"
        for each in found[:_MOST_LINES]
    ]
    return _longest_list(room, wording.NEAREST_HEADING, entries)


def choices(room: Room, found: Sequence[Choice], links: Links, heading: str, answer_id: str) -> list[Block]:
    """Further questions as buttons; where there is no room for them, or nothing to find them by, as text, as many as
    there is room for."""
    clickable = choice_buttons(answer_id, found, links)
    if clickable and (shown := room.first([*sections([bold(heading)]), *clickable])):
        return shown
    entries = [f"• {shortened(wording.choice_line(each, links.source_names), _LINE)}" for each in found[:_MOST_LINES]]
    return _longest_list(room, heading, entries)


def _longest_list(room: Room, heading: str, entries: Sequence[str]) -> list[Block]:
    return room.first(*(bullet_list(heading, entries[:count]) for count in range(len(entries), 0, -1)))


def bullet_list(heading: str, entries: Sequence[str]) -> list[Block]:
    """A heading over entries, the first ten."""
    if not entries:
        return []
    hidden = len(entries) - _MOST_LINES
    more = [wording.more_lines(hidden)] if hidden > 0 else []
    return sections([bold(heading), *entries[:_MOST_LINES], *more])


def notes(reply: Reply) -> list[Block]:
    """Warnings and what did not answer, one line each."""
    titles = document_titles(reply)
    texts = [*(wording.warning(each, titles) for each in reply.warnings), *map(wording.degraded, reply.degraded)]
    return sections(_note(text) for text in texts[:_MOST_LINES])


def circumstances(view: SlackView, cited: Sequence[str] = ()) -> list[Block]:
    """Who sees the reply and how to go on, in small print. `cited`: ids of the chunks that it quotes."""
    said = []
    if view.shared_by:
        said.append(answers.SHARED)
        hidden = len(set(view.shared_chunks) - set(cited))
        said += [answers.shared_left_out(hidden)] if hidden else []
    if view.is_private:
        said.append(answers.ONLY_FOR_YOU)
    if not view.is_threaded and not view.is_private:
        said.append(slack.not_threaded(BOT_NAME))
    return [context(escape(text)) for text in said]


def approved(answer: Answer) -> list[Block]:
    """That a person answered, and who approved it when."""
    return sections([f"*{shortened(wording.approved(answer), _LINE)}*"]) if answer.approved else []


def not_stated(answer: Answer) -> list[Block]:
    """What no quoted rule covers."""
    return sections([f"*{shortened(wording.not_stated(answer), _LINE)}*"]) if answer.not_stated else []


def _note(text: str) -> str:
    return f"{bold(wording.NOTE_LABEL + ':')} {shortened(text, _LINE)}"
