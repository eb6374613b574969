"""What stands side by side, as sections in two columns: Slack keeps them aligned, and reads them out line by line."""

from collections.abc import Mapping

from bot import wording
from bot.links import Links
from bot.render import slack_parts as parts
from bot.render.blocks import Block, Room, sections, side_by_side
from bot.render.clean import one_line, shorten
from bot.render.mrkdwn import bold, link, shortened
from rag_core.answers import Answer, Comparison, ComparisonRow
from rag_core.listings import ChangedRule, Changes, DocumentList

_SIDE, _CONDITION, _TITLE = 450, 120, 250
_MOST_CONDITIONS = 3


def answer_tables(room: Room, answer: Answer, links: Links, urls: Mapping[int, str]) -> list[Block]:
    """The table of an answer that has one, as many rows as there is room for; what is left out is said."""
    if answer.changes is not None:
        return _changes(room, answer.changes, answer, links.source_names, urls)
    if answer.documents is not None:
        return _documents(room, answer.documents, links)
    if answer.comparison is not None:
        return _comparison(room, answer.comparison, links.source_names, urls)
    return []


def _comparison(room: Room, comparison: Comparison, names: Mapping[str, str], urls: Mapping[int, str]) -> list[Block]:
    found = room.first(sections([bold(wording.comparison_heading())]))
    hidden = comparison.left_out
    for row in comparison.rows:
        made = room.first(*([_row(row, names, each)] for each in (urls, {})))
        found += made
        hidden += not made
    return [*found, *_said(room, wording.comparison_left_out(hidden) if hidden else "")]


def _row(row: ComparisonRow, names: Mapping[str, str], urls: Mapping[int, str]) -> Block:
    place = f"{bold(wording.row_place(row))}\n{shortened(wording.row_platform(row, names), _TITLE)}"
    marks = parts.marks(row.citations[:2], urls)
    if row.verdict is None:
        return side_by_side(place, f"{shortened(wording.row_gap(row), _SIDE)} {marks}".rstrip())
    verdict = f"{wording.verdict_sign(row.verdict)} {bold(wording.verdict_word(row.verdict))} {marks}".rstrip()
    conditions = [
        f"• {shortened(f'{wording.condition_label(each)}: {each.text}', _CONDITION)}"
        for each in row.conditions[:_MOST_CONDITIONS]
    ]
    hidden = len(row.conditions) - _MOST_CONDITIONS
    more = [shortened(wording.more_lines(hidden), _CONDITION)] if hidden > 0 else []
    return side_by_side(place, "\n".join([verdict, *conditions, *more]))


def _changes(
    room: Room, changes: Changes, answer: Answer, names: Mapping[str, str], urls: Mapping[int, str]
) -> list[Block]:
    if not changes.rules and not changes.left_out:
        texts = [wording.nothing_changed(changes, answer.scope, names)]
        texts += [f"{wording.rules_as_they_are()}:"] if answer.statements else []
        return room.first(sections(shortened(text, 2 * _SIDE) for text in texts))
    found: list[Block] = []
    hidden = changes.left_out
    for rule in changes.rules:
        made = room.first(*([_changed(rule, names, each)] for each in (urls, {})))
        found += made
        hidden += not made
    return [*found, *_said(room, wording.changes_left_out(hidden) if hidden else "")]


def _changed(rule: ChangedRule, names: Mapping[str, str], urls: Mapping[int, str]) -> Block:
    _, before, now = wording.changes_columns()
    title = shorten(one_line(wording.change_title(rule)), _TITLE)
    above = [bold(title), shortened(wording.change_facts(rule, names), _TITLE)]
    above += [shortened(wording.change_lead_in(rule), _TITLE)] if rule.lead_in else []
    return side_by_side(
        _side(before, wording.before_text(rule), rule.before_citation, urls),
        _side(now, wording.after_text(rule), rule.after_citation, urls),
        above="\n".join(above),
    )


def _side(label: str, text: str, number: int | None, urls: Mapping[int, str]) -> str:
    marks = parts.marks([number], urls) if number is not None else ""
    return f"{bold(label)} {marks}".rstrip() + f"\n{shortened(text, _SIDE)}"


def _documents(room: Room, documents: DocumentList, links: Links) -> list[Block]:
    found: list[Block] = []
    hidden = documents.left_out
    for each in documents.documents:
        platform = wording.source_name(each.policy_source, links.source_names)
        facts = f"{platform} · {wording.document_versions(each)}"
        made = room.first(sections([f"{link(links.document(each), each.title)}\n{shortened(facts, _SIDE)}"]))
        found += made
        hidden += not made
    return [*found, *_said(room, wording.documents_left_out(hidden) if hidden else "")]


def _said(room: Room, text: str) -> list[Block]:
    return room.first(sections([shortened(text, _SIDE)])) if text else []
