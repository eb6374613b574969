"""A passage found by search: as a card that is put into a conversation, and as an entry in the list before it."""

from collections.abc import Mapping, Sequence

from bot import wording
from bot import wording_teams_actions as said
from bot.links import Links
from bot.render.adaptive import Element, attachment, card, container, heading, open_url, small, text_block, texts, weight
from bot.render.card_text import escape, plain, safe_address, shortened
from bot.render.clean import lines, read_out
from bot.wording.names import region_name, sentence, source_name
from bot.wording.sources import in_force, section_title
from rag_core.answering.refusals import section_of
from rag_core.documents import Passage

THUMBNAIL_TYPE = "application/vnd.microsoft.card.thumbnail"
MOST_UNITS = 36_000
"""UTF-16 units of a list, as JSON: one of 80 KB is not shown."""

_TITLE, _QUOTE, _LINE, _EXCERPT = 200, 1_500, 400, 180
_SHORTER = (_QUOTE, 600, 250)


def passage_card(passage: Passage, links: Links, quoted: int = _QUOTE) -> Element:
    """Quote, section, platform, place and days, with a link to the policy. `quoted`: characters of the quote."""
    title, text = _title(passage), read_out(passage.chunk.chunk_text)
    lead_in = [small(shortened(line, min(_LINE, quoted))) for line in lines(passage.chunk.lead_in)[:3]]
    quote = container(texts([shortened(wording.quoted(text), quoted)]), text, style="emphasis")
    facts = [small(shortened(each, _LINE)) for each in _facts(passage, links)]
    body = [heading(shortened(title, _TITLE)), *lead_in, quote, *facts, text_block(escape(said.found_by_search()))]
    address = safe_address(links.nearest(section_of(passage)))
    actions = [open_url(said.open_policy(), address)] if address else []
    return card(body, actions, fallback=plain(f"{title}: {text}", min(_LINE, quoted)))


def passage_entries(
    found: Sequence[tuple[Passage, Mapping[str, object]]], links: Links, most: int = MOST_UNITS
) -> list[Element]:
    """A page of results, each with what comes back when it is chosen. Where they are too long together, all quote less:
    what is chosen is read again, and quoted whole. Where even that is too much the last ones are left out."""
    entries: list[Element] = []
    for quoted in _SHORTER:
        entries = [passage_entry(passage, links, selected, quoted) for passage, selected in found]
        if weight(entries) <= most:
            return entries
    while entries and weight(entries) > most:
        entries.pop()
    return entries


def passage_entry(
    passage: Passage, links: Links, selected: Mapping[str, object] | None = None, quoted: int = _QUOTE
) -> Element:
    """An attachment of a list of results: its preview, and what is inserted. `selected` comes back when it is chosen;
    None where it was."""
    tap = {"tap": {"type": "invoke", "title": "", "value": dict(selected)}} if selected is not None else {}
    shown = {
        "title": shortened(_title(passage), _TITLE),
        "text": shortened(f"{'. '.join(_facts(passage, links)[:2])}: {read_out(passage.chunk.chunk_text)}", _EXCERPT),
        **tap,
    }
    preview = {"contentType": THUMBNAIL_TYPE, "content": shown}
    return {**attachment(passage_card(passage, links, quoted)), "preview": preview}


def _title(passage: Passage) -> str:
    return section_title(passage.version.title, passage.chunk.policy_path)


def _facts(passage: Passage, links: Links) -> list[str]:
    chunk, version = passage.chunk, passage.version
    return [
        said.published_by(source_name(chunk.policy_source, links.source_names)),
        said.where_it_holds([region_name(each) for each in chunk.regions]),
        sentence(in_force(version.effective_from, version.effective_to)),
    ]
