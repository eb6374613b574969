"""An answer as elements of a card: what matters most is placed first, whole statements and sources are left out when
room ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot import wording
from bot.model.links import Links
from bot.model.visible import one_line
from bot.render.blocks import Room
from bot.render.marked_diff import marked_versions
from bot.render.summary import Told, conditions_once
from bot.render.teams import parts
from bot.render.teams.elements import Element, heading, small, table, table_row, text_block, texts, turned, weight
from bot.render.teams.parts import marks
from bot.render.teams.text import bold, escape, inert, link, plain, shortened
from bot.render.teams.view import Sign, TeamsView, reply_actions
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

_SIDE, _CELL_CONDITION, _TITLE = 900, 400, 250
_MOST_CONDITIONS = 6
_ROWS = 12
"""Rows of one table: a page of a dialog holds some tables whole."""

_COMPARED = (1, 1)
"""Conditions stand below their verdict: three columns of a phone part "Prohibited", and places, by a letter."""

_AT_MOST = 9_999
"""The room for the line that counts what is left out is kept for the longest such number."""

TakesRow = Callable[[Room, Sequence[Element], Sequence[int]], bool]
"""Whether there is room for a row with the sources of these numbers; then it is used up."""

Cells = list[list[Element]]


def answer_tables(room: Room, answer: Answer, links: Links, urls: Mapping[int, str], takes: TakesRow) -> list[Element]:
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
) -> list[Element]:
    place, platform, *others = wording.comparison_columns()
    verdict, conditions, *_ = others
    heads = [escape(wording.listed((one, other.lower()))) for one, other in ((place, platform), (verdict, conditions))]
    rows = [(_row(row, names, urls), row.citations) for row in comparison.rows]
    left_out = (comparison.left_out, wording.comparison_left_out)
    return _tables(room, (wording.COMPARISON_HEADING, heads, _COMPARED), rows, left_out, takes)


def _row(row: ComparisonRow, names: Mapping[str, str], urls: Mapping[int, str]) -> Cells:
    platform = shortened(wording.row_platform(row, names), _TITLE)
    place = [text_block(bold(wording.row_place(row))), *texts([platform], isSubtle=True, spacing="Small")]
    numbers = marks(row.citations, urls)
    if row.verdict is None:
        return [place, [text_block(f"{shortened(wording.row_gap(row), _SIDE)} {numbers}".rstrip())]]
    verdict = f"{wording.verdict_sign(row.verdict)} **{shortened(wording.row_verdict(row), _TITLE)}** {numbers}"
    conditions = [
        f"• {shortened(f'{wording.condition_label(each)}: {each.text}', _CELL_CONDITION)}"
        for each in row.conditions[:_MOST_CONDITIONS]
    ]
    hidden = len(row.conditions) - _MOST_CONDITIONS
    more = [escape(wording.more_lines(hidden))] if hidden > 0 else []
    return [place, [text_block(verdict.rstrip()), *map(turned, texts([*conditions, *more], spacing="Small"))]]


def _tables(
    room: Room,
    looks: tuple[str, Sequence[str], Sequence[int]],
    rows: Sequence[tuple[Cells, tuple[int, ...]]],
    counted: tuple[int, Callable[[int], str]],
    takes: TakesRow,
) -> list[Element]:
    """`looks`: heading, heads and widths. `counted`: how many rows were left out before, and how that is said."""
    title, heads, widths = looks
    left_out, say = counted
    above = [heading(escape(title))]
    empty = [table(heads, [], widths)] * (1 + len(rows) // _ROWS)
    can_say = room.take([*above, small(shortened(say(_AT_MOST), _SIDE)), *empty])
    taken = [cells for cells, numbers in rows if can_say and takes(room, [table_row(cells)], numbers)]
    left_out += len(rows) - len(taken)
    below = [small(shortened(say(left_out), _SIDE))] if left_out and can_say else []
    return [*(above if taken else []), *_split(heads, taken, widths), *below]


def _split(heads: Sequence[str], rows: Sequence[Cells], widths: Sequence[int]) -> list[Element]:
    return [table(heads, rows[at : at + _ROWS], widths) for at in range(0, len(rows), _ROWS)]


def _changes(
    room: Room,
    changes: Changes,
    answer: Answer,
    names: Mapping[str, str],
    urls: Mapping[int, str],
    takes: TakesRow,
) -> list[Element]:
    if not changes.rules and not changes.left_out:
        said = [wording.nothing_changed(changes, answer.scope, names)]
        said += [f"{wording.RULES_AS_THEY_ARE}:"] if answer.statements else []
        return room.first(texts([shortened(each, _SIDE) for each in said]))
    can_say = room.take([small(shortened(wording.changes_left_out(_AT_MOST), _SIDE))])
    found: list[Element] = []
    left_out = changes.left_out
    for rule in changes.rules:
        made = _changed(rule, names, urls)
        taken = takes(room, made, rule.citations)
        found += made if taken else []
        left_out += not taken
    below = [small(shortened(wording.changes_left_out(left_out), _SIDE))] if left_out and can_say else []
    return [*found, *below]


def _changed(rule: ChangedRule, names: Mapping[str, str], urls: Mapping[int, str]) -> list[Element]:
    """A rule under its title: both versions beside each other."""
    _, before, now = wording.changes_columns()
    old, new = _versions(rule)
    cells = [
        [text_block(f"{old} {_mark(rule.before_citation, urls)}".rstrip())],
        [text_block(f"{new} {_mark(rule.after_citation, urls)}".rstrip())],
    ]
    lead_in = wording.change_lead_in(rule)
    return [
        *texts([bold(plain(wording.change_title(rule), _TITLE))], spacing="Medium"),
        small(shortened(wording.change_facts(rule, names), _TITLE)),
        *([small(shortened(lead_in, _SIDE))] if lead_in else []),
        table([escape(before), escape(now)], [cells], (1, 1)),
    ]


def _versions(rule: ChangedRule) -> tuple[str, str]:
    """Both texts, escaped; the words that differ marked where all of both has room."""
    old, new = wording.before_text(rule), wording.after_text(rule)
    marked = marked_versions(old, new, _SIDE, inert, "**") if rule.before and rule.after else None
    return marked or (shortened(old, _SIDE), shortened(new, _SIDE))


def _mark(number: int | None, urls: Mapping[int, str]) -> str:
    return marks([number], urls) if number is not None else ""


def _documents(room: Room, documents: DocumentList, links: Links, takes: TakesRow) -> list[Element]:
    rows: list[tuple[Cells, tuple[int, ...]]] = [(_document(each, links), ()) for each in documents.documents]
    looks = (wording.DOCUMENTS_HEADING, [escape(each) for each in wording.documents_columns()], (3, 2, 3))
    return _tables(room, looks, rows, (documents.left_out, wording.documents_left_out), takes)


def _document(document: ListedDocument, links: Links) -> Cells:
    platform = wording.source_name(document.policy_source, links.source_names)
    said = (platform, wording.document_versions(document))
    return [
        [text_block(link(links.document(document), one_line(document.title) or document.document_id))],
        *([text_block(shortened(each, _SIDE))] for each in said),
    ]


_CONDITION = 400
_LEFT_OUT = 500
"""UTF-16 code units kept for the line that says what was left out."""

_MOST_ELEMENTS = 2_000


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown beside the reply itself. `is_open`: the quotes of sources are shown at once."""

    question_text: str
    answer_id: str
    links: Links
    view: TeamsView
    sign: Sign | None = None
    is_open: bool = False

    def question(self, reply: Reply) -> list[Element]:
        return parts.question(self.question_text, reply.rewritten_question, is_seen=not self.view.with_question)


def new_room(characters: int) -> Room:
    return Room(characters, _MOST_ELEMENTS, weight)


def answer_elements(shown: Shown, answer: Answer, characters: int) -> tuple[list[Element], list[Element]]:
    """Body and actions in at most as many UTF-16 code units of JSON."""
    links, view = shown.links, shown.view
    urls = {each.number: links.citation(each) for each in answer.citations}
    room = new_room(characters - _LEFT_OUT)
    room.take(reply_actions(shown.answer_id, answer, view, has_more=True, sign=shown.sign))
    title = parts.headline(wording.verdict_sign(answer.verdict), wording.headline(answer))
    top = room.first([title, *shown.question(answer)]) or [title]
    scope = room.first(parts.scope(answer.scope, links.source_names, answer.citations))
    gap = room.first([*parts.not_stated(answer), *parts.approved(answer)])
    notes = room.first(parts.notes(answer))
    below = room.first(parts.circumstances(view, [each.chunk_id for each in answer.citations]))
    told = _told(shown, answer, urls)
    tables = answer_tables(room, answer, links, urls, told.take_row)
    plain = () if answer.comparison else (urls, {})
    verdicts = room.first(*(_verdicts(answer, links.source_names, each) for each in plain))
    rule = room.first([heading(escape(wording.SOURCES_HEADING))]) if answer.citations else []
    told.tell(room, most=1)
    conditions = room.first(*(_conditions(answer.verdicts, each) for each in plain))
    told.tell(room, most=len(answer.loose_statements))
    told.add_sources(room, [each.number for each in answer.citations])
    choices = parts.choices(room, answer.choices, links, wording.CHOICES_HEADING, shown.answer_id, shown.sign)
    actions = reply_actions(shown.answer_id, answer, view, has_more=told.has_more, sign=shown.sign)
    sources = told.sources()
    body = [*top[:1], *gap, *top[1:], *scope, *tables, *verdicts, *told.statements, *conditions, *notes]
    body += [*(rule if sources else []), *sources, *_left_out(told, can_show=bool(actions)), *choices, *below]
    return body, actions


def _told(shown: Shown, answer: Answer, urls: Mapping[int, str]) -> Told:
    is_quoted = answer.approved is None
    return Told(
        answer,
        lambda each: parts.statement(each, urls, is_quoted=is_quoted),
        lambda each: parts.source(each, shown.links, is_open=shown.is_open),
    )


def _left_out(told: Told, *, can_show: bool) -> list[Element]:
    """The line that says what had no room, and whether a button shows it."""
    say = left_out_of_message if can_show else wording.left_out
    return [text_block(escape(say(*told.hidden)))] if any(told.hidden) else []


def _verdicts(answer: Answer, names: Mapping[str, str], urls: Mapping[int, str]) -> list[Element]:
    """One line for each place and platform, where there are several."""
    if len(answer.verdicts) < 2:
        return []
    entries = [
        f"{wording.verdict_sign(each.verdict)} {shortened(wording.place_verdict(each, names), _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in answer.verdicts
    ]
    return parts.bullet_list(wording.VERDICTS_HEADING, entries)


def _conditions(verdicts: Sequence[PlaceVerdict], urls: Mapping[int, str]) -> list[Element]:
    """What a restricted thing needs, each once."""
    entries = [
        f"**{wording.condition_label(each)}:** {shortened(each.text, _CONDITION)} "
        f"{parts.marks(each.citations, urls)}".rstrip()
        for each in conditions_once(verdicts)
    ]
    return parts.bullet_list(wording.CONDITIONS_HEADING, entries)
