"""What a click on an answer in Teams opens: the whole of it, and its sources, as cards of so many pages as it takes.

Pages are turned by `task/submit` with the verb that opened the dialog and PAGE (`bot.render.teams_pages`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot import wording
from bot import wording_answers as said
from bot.links import Links
from bot.render.adaptive import (
    Element,
    card,
    container,
    small,
    text_block,
    texts,
)
from bot.render.card_text import escape, link, shortened
from bot.render.clean import read_out
from bot.render.json_reading import answer_from
from bot.render.readable import readable_answer
from bot.render.teams_answer import Shown, answer_elements
from bot.render.teams_buttons import Sign
from bot.render.teams_pages import page_actions, page_line, paged
from bot.render.teams_view import TeamsVerb, TeamsView
from bot.seen_answers import InContext, SeenAnswer
from rag_core.answers import Citation
from rag_core.documents import Passage

_ENDLESS = 10**9
_LINE, _QUOTE, _AROUND = 400, 1_200, 500


def whole_answer_dialog(seen: SeenAnswer, links: Links, *, page: int = 0, sign: Sign | None = None) -> Element:
    """All of an answer that somebody may see now. Raises Rejected("answer_unreadable")."""
    record = seen.record
    shown = Shown(record.question_text, "", links, TeamsView(with_question=True), is_open=True)
    body, _ = answer_elements(shown, readable_answer(seen), _ENDLESS)
    partly = [] if seen.is_whole else [text_block(escape(said.partly_shown()))]
    return _pages([*body, *partly, *_gone(seen.gone)], TeamsVerb.SHOW_MORE, record.answer_id, page, sign)


def sources_dialog(
    seen: SeenAnswer, found: Mapping[str, InContext], links: Links, *, page: int = 0, sign: Sign | None = None
) -> Element:
    """The quotes in context. `found`: by chunk. Raises Rejected("answer_unreadable")."""
    cited = [each for each in answer_from(seen.record.reply).citations if each.chunk_id in found]
    body = [_source(each, seen.passages[each.chunk_id], found[each.chunk_id], links) for each in cited]
    body += _gone(seen.gone)
    body = body or [text_block(escape(said.no_sources()))]
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
            *texts([escape(said.superseded_since())] if ended else [], weight="Bolder"),
            small(escape(said.in_the_document())),
            passage_,
        ],
        separator=True,
    )


def _gone(count: int) -> list[Element]:
    return [text_block(escape(said.sources_gone(count)))] if count else []
