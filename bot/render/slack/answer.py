"""An answer as blocks: what matters most is placed first, whole statements and sources are left out when room ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot import wording
from bot.model.links import Links
from bot.model.visible import one_line, shorten
from bot.render.blocks import MESSAGE_BLOCKS, Block, Room, divider, header, sections, side_by_side
from bot.render.marked_diff import marked_versions
from bot.render.mrkdwn import bold, link, shortened
from bot.render.slack import parts
from bot.render.slack.view import SlackView, reply_buttons
from bot.render.summary import Told, conditions_once
from bot.wording.answers import left_out_of_message
from rag_core.answers import (
    Answer,
    ChangedRule,
    Changes,
    Comparison,
    ComparisonRow,
    DocumentList,
    ListedDocument,
    PlaceVerdict,
    Reply,
)

_SIDE, _CELL_CONDITION, _TITLE = 450, 240, 250
_MOST_CONDITIONS = 3
_MOST_MARKS = 2
_AT_MOST = 9_999
"""The room for the line that counts what is left out is kept for the longest such number."""


TakesRow = Callable[[list[Block], tuple[int, ...]], bool]
"""Whether there is room for a row with the sources of these numbers; then it is used up."""


def answer_tables(room: Room, answer: Answer, links: Links, urls: Mapping[int, str], takes: TakesRow) -> list[Block]:
    """The table of an answer that has one, as many rows as there is room for; what is left out is said."""
    if answer.changes is not None:
        return _changes(room, answer.changes, answer, links.source_names, urls, takes)
    if answer.documents is not None:
        return _documents(room, answer.documents, links, takes)
    if answer.comparison is not None:
        return _comparison(room, answer.comparison, links.source_names, urls, takes)
    return []


def _comparison(
    room: Room, comparison: Comparison, names: Mapping[str, str], urls: Mapping[int, str], takes: TakesRow
) -> list[Block]:
    rows = [([[_row(row, names, each)] for each in (urls, {})], row.citations[:_MOST_MARKS]) for row in comparison.rows]
    heading = room.first(sections([bold(wording.COMPARISON_HEADING)]))
    return [*heading, *_rows(room, rows, comparison.left_out, wording.comparison_left_out, takes)]


def _rows(
    room: Room,
    rows: Sequence[tuple[Sequence[list[Block]], tuple[int, ...]]],
    left_out: int,
    say: Callable[[int], str],
    takes: TakesRow,
) -> list[Block]:
    """Each row in the first of its forms that there is room for, and the line that counts the others."""
    can_say = room.take(_line(say(_AT_MOST)))
    found: list[Block] = []
    for forms, numbers in rows:
        made = next((form for form in forms if takes(form, numbers)), [])
        found += made
        left_out += not made
    return [*found, *(_line(say(left_out)) if left_out and can_say else [])]


def _line(text: str) -> list[Block]:
    return sections([shortened(text, _SIDE)])


def _row(row: ComparisonRow, names: Mapping[str, str], urls: Mapping[int, str]) -> Block:
    place = f"{bold(wording.row_place(row))}\n{shortened(wording.row_platform(row, names), _TITLE)}"
    marks = parts.marks(row.citations[:_MOST_MARKS], urls)
    if row.verdict is None:
        return side_by_side(place, f"{shortened(wording.row_gap(row), _SIDE)} {marks}".rstrip())
    verdict = f"{wording.verdict_sign(row.verdict)} *{shortened(wording.row_verdict(row), _TITLE)}* {marks}".rstrip()
    conditions = [
        f"• {shortened(f'{wording.condition_label(each)}: {each.text}', _CELL_CONDITION)}"
        for each in row.conditions[:_MOST_CONDITIONS]
    ]
    hidden = len(row.conditions) - _MOST_CONDITIONS
    more = [shortened(wording.more_lines(hidden), _CELL_CONDITION)] if hidden > 0 else []
    return side_by_side(place, "\n".join([verdict, *conditions, *more]))


def _changes(
    room: Room,
    changes: Changes,
    answer: Answer,
    names: Mapping[str, str],
    urls: Mapping[int, str],
    takes: TakesRow,
) -> list[Block]:
    if not changes.rules and not changes.left_out:
        texts = [wording.nothing_changed(changes, answer.scope, names)]
        texts += [f"{wording.RULES_AS_THEY_ARE}:"] if answer.statements else []
        return room.first(sections(shortened(text, 2 * _SIDE) for text in texts))
    rows = [([[_changed(rule, names, each)] for each in (urls, {})], rule.citations) for rule in changes.rules]
    return _rows(room, rows, changes.left_out, wording.changes_left_out, takes)


def _changed(rule: ChangedRule, names: Mapping[str, str], urls: Mapping[int, str]) -> Block:
    _, before, now = wording.changes_columns()
    title = shorten(one_line(wording.change_title(rule)), _TITLE)
    above = [bold(title), shortened(wording.change_facts(rule, names), _TITLE)]
    above += [shortened(wording.change_lead_in(rule), _TITLE)] if rule.lead_in else []
    old, new = _versions(rule)
    return side_by_side(
        _side(before, old, rule.before_citation, urls),
        _side(now, new, rule.after_citation, urls),
        above="\n".join(above),
    )


def _versions(rule: ChangedRule) -> tuple[str, str]:
    """Both texts, escaped; the words that differ marked where all of both has room."""
    old, new = wording.before_text(rule), wording.after_text(rule)
    marked = marked_versions(old, new, _SIDE) if rule.before and rule.after else None
    return marked or (shortened(old, _SIDE), shortened(new, _SIDE))


def _side(label: str, text: str, number: int | None, urls: Mapping[int, str]) -> str:
    marks = parts.marks([number], urls) if number is not None else ""
    return f"{bold(label)} {marks}".rstrip() + f"\n{text}"


def _documents(room: Room, documents: DocumentList, links: Links, takes: TakesRow) -> list[Block]:
    rows = [([_document(each, links)], ()) for each in documents.documents]
    return _rows(room, rows, documents.left_out, wording.documents_left_out, takes)


def _document(document: ListedDocument, links: Links) -> list[Block]:
    platform = wording.source_name(document.policy_source, links.source_names)
    facts = shortened(f"{platform} · {wording.document_versions(document)}", _SIDE)
    return sections([f"{link(links.document(document), document.title)}\n{facts}"])


_CONDITION = 200
_LEFT_OUT = 300
"""Characters kept for the line that says what was left out."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown beside the reply itself."""

    question_text: str
    answer_id: str
    links: Links
    view: SlackView

    def question(self, reply: Reply) -> list[Block]:
        is_seen = not self.view.with_question
        return parts.question(self.question_text, reply.rewritten_question, is_seen=is_seen)


def answer_blocks(shown: Shown, answer: Answer, characters: int, blocks: int = MESSAGE_BLOCKS) -> list[Block]:
    """The answer in at most `characters` characters of JSON and as many `blocks` as a message takes."""
    links, view = shown.links, shown.view
    urls = {each.number: links.citation(each) for each in answer.citations}
    room = Room(characters - _LEFT_OUT, blocks - 1)
    room.take(reply_buttons(shown.answer_id, answer, view, has_more=True))
    title = header(f"{wording.verdict_sign(answer.verdict)} {wording.headline(answer)}")
    top = room.first([title, *shown.question(answer)], [title])
    scope = room.first([parts.scope(answer.scope, links.source_names, answer.citations)])
    gap = room.first([*parts.approved(answer), *parts.not_stated(answer)])
    notes = room.first(parts.notes(answer))
    below = room.first(parts.circumstances(view, [each.chunk_id for each in answer.citations]))
    told = Told(
        answer,
        lambda each: parts.statement(each, urls, is_quoted=answer.approved is None),
        lambda each: parts.source(each, links),
    )
    tables = answer_tables(room, answer, links, urls, lambda row, numbers: told.take_row(room, row, numbers))
    plain = () if answer.comparison else (urls, {})
    verdicts = room.first(*(_verdicts(answer, links.source_names, each) for each in plain))
    rule = room.first([divider()])
    told.tell(room, most=1)
    conditions = room.first(*(_conditions(answer.verdicts, each) for each in plain))
    told.tell(room, most=len(answer.loose_statements))
    told.add_sources(room, [each.number for each in answer.citations])
    choices = parts.choices(room, answer.choices, links, wording.CHOICES_HEADING, shown.answer_id)
    buttons = reply_buttons(shown.answer_id, answer, view, has_more=told.has_more)
    body = [*top[:1], *gap, *top[1:], *scope, *tables, *verdicts, *told.statements, *conditions, *notes]
    return [*body, *rule, *told.sources(), *_left_out(told, can_show=bool(buttons)), *choices, *below, *buttons]


def _left_out(told: Told, *, can_show: bool) -> list[Block]:
    """The line that says what had no room, and whether a button shows it."""
    say = left_out_of_message if can_show else wording.left_out
    return sections([say(*told.hidden)]) if any(told.hidden) else []


def _verdicts(answer: Answer, names: Mapping[str, str], urls: Mapping[int, str]) -> list[Block]:
    """One line for each place and platform, where there are several."""
    if len(answer.verdicts) < 2:
        return []
    entries = [
        f"• {wording.verdict_sign(each.verdict)} {shortened(wording.place_verdict(each, names), _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in answer.verdicts
    ]
    return parts.bullet_list(wording.VERDICTS_HEADING, entries)


def _conditions(verdicts: Sequence[PlaceVerdict], urls: Mapping[int, str]) -> list[Block]:
    """What a restricted thing needs, each once."""
    entries = [
        f"• *{wording.condition_label(each)}:* {shortened(each.text, _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in conditions_once(verdicts)
    ]
    return parts.bullet_list(wording.CONDITIONS_HEADING, entries)
