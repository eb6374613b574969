"""A passage found by search: as a card that is put into a conversation, and as an entry in the list before it."""

import json
from collections.abc import Mapping, Sequence

from bot import wording
from bot.model.links import Links
from bot.model.visible import lines, read_out
from bot.render.teams.elements import Element, attachment, card, container, heading, open_url, small, text_block, texts
from bot.render.teams.text import escape, plain, safe_address, shortened, units
from bot.wording import teams as said
from bot.wording.names import region_name, sentence, source_name
from bot.wording.sources import in_force, section_title
from rag_core.answering.refusals import section_of
from rag_core.documents import Passage

THUMBNAIL_TYPE = "application/vnd.microsoft.card.thumbnail"
_TITLE, _QUOTE, _LINE, _EXCERPT = 200, 1_500, 400, 180
_SHORTER = 500

LIST_UNITS = 40_000
"""UTF-16 code units of a list of results: no limit is documented, so that of messages (80 KB) is kept."""


def passage_card(passage: Passage, links: Links, most: int = _QUOTE) -> Element:
    """Quote, section, platform, place and days, with a link to the policy. `most`: characters of the quote."""
    title, text = _title(passage), read_out(passage.chunk.chunk_text)
    lead_in = [small(shortened(line, _LINE)) for line in lines(passage.chunk.lead_in)[:3]]
    quote = container(texts([shortened(wording.quoted(text), most)]), text, style="emphasis")
    facts = [small(shortened(each, _LINE)) for each in _facts(passage, links)]
    body = [heading(shortened(title, _TITLE)), *lead_in, quote, *facts, text_block(escape(said.FOUND_BY_SEARCH))]
    address = safe_address(links.nearest(section_of(passage)))
    actions = [open_url(said.OPEN_POLICY, address)] if address else []
    return card(body, actions, fallback=plain(f"{title}: {text}", _LINE))


def passage_entries(found: Sequence[tuple[Passage, Mapping[str, object]]], links: Links) -> list[dict[str, object]]:
    """Passages, each with what comes back when it is chosen, as a list that Teams takes: with shorter
    quotes or none, since all of it is asked for again when one is chosen; the last ones go where even that is too
    much."""
    entries: list[dict[str, object]] = []
    for most in (_QUOTE, _SHORTER, 0):
        entries = [passage_entry(passage, links, selected, most) for passage, selected in found]
        if _units(entries) <= LIST_UNITS:
            return entries
    while entries and _units(entries) > LIST_UNITS:
        entries.pop()
    return entries


def _units(entries: list[dict[str, object]]) -> int:
    return units(json.dumps(entries, ensure_ascii=False, separators=(",", ":")))


def passage_entry(
    passage: Passage, links: Links, selected: Mapping[str, object] | None = None, most: int = _QUOTE
) -> dict[str, object]:
    """An attachment of a list of results: its preview, and what is inserted. `selected` comes back when it is chosen;
    None where it was. `most`: characters of the quote in what is inserted; 0 for a card with a title alone."""
    tap = {"tap": {"type": "invoke", "title": "", "value": dict(selected)}} if selected is not None else {}
    shown = {
        "title": shortened(_title(passage), _TITLE),
        "text": shortened(f"{'. '.join(_facts(passage, links)[:2])}: {read_out(passage.chunk.chunk_text)}", _EXCERPT),
        **tap,
    }
    preview = {"contentType": THUMBNAIL_TYPE, "content": shown}
    return {**attachment(passage_card(passage, links, most) if most else _titled(passage)), "preview": preview}


def _titled(passage: Passage) -> Element:
    title = shortened(_title(passage), _EXCERPT)
    return card([heading(title), text_block(escape(said.FOUND_BY_SEARCH))], fallback="")


def _title(passage: Passage) -> str:
    return section_title(passage.version.title, passage.chunk.policy_path)


def _facts(passage: Passage, links: Links) -> list[str]:
    chunk, version = passage.chunk, passage.version
    return [
        said.published_by(source_name(chunk.policy_source, links.source_names)),
        said.where_it_holds([region_name(each) for each in chunk.regions]),
        sentence(in_force(version.effective_from, version.effective_to, date_stated=version.date_stated)),
    ]
