"""A reply as Markdown (CommonMark and GitHub's): for the REST shape's `text` and for streamed statements."""

import re
from collections.abc import Callable, Iterable, Mapping

from bot import wording
from bot.model.links import Links
from bot.model.visible import lines, one_line
from rag_core.answers import (
    Answer,
    Changes,
    Choice,
    Citation,
    Clarification,
    Comparison,
    ComparisonRow,
    DocumentList,
    Nearest,
    PlaceVerdict,
    Refusal,
    Reply,
    Statement,
)

_INLINE = re.compile(r"[\\`*_\[\]<>~|]")
_LINE_START = re.compile(r"^(#{1,6}|[-+=>]+|\d{1,9}(?=[.)](?:\s|$)))")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ADDRESS = re.compile(r"(?<=[a-zA-Z]):(?=//)|(?<=www)\.|(?<=\w)@(?=\w)", re.IGNORECASE)


def body_markdown(reply: Reply, links: Links) -> str:
    """The reply alone: verdict, scope, statements with linked numbers, notes, sources."""
    match reply:
        case Answer():
            parts = _answer(reply, links)
        case Refusal():
            parts = _refusal(reply, links)
        case Clarification():
            parts = _clarification(reply, links)
    return "\n\n".join(part for part in parts if part) + "\n"


def document_titles(reply: Reply) -> dict[str, str]:
    """Document id and doc id -> title, of all that the reply cites or comes near to."""
    titles: dict[str, str] = {}
    if isinstance(reply, Answer):
        titles.update({each.document_id: each.title for each in reply.citations})
        titles.update({each.doc_id: each.title for each in reply.citations})
    if isinstance(reply, Refusal):
        titles.update({each.doc_id: each.title for each in reply.nearest})
    return titles


def escape(text: str) -> str:
    """One line of text so that Markdown shows it as it is: no mark-up, HTML, entity, or link made of an address."""
    shown = _INLINE.sub(r"\\\g<0>", one_line(text))
    shown = _LINE_START.sub(r"\\\g<0>" if not shown[:1].isdigit() else r"\g<0>\\", shown)
    return _ADDRESS.sub(r"\\\g<0>", _ENTITY.sub(r"\\&", shown))


def _answer(answer: Answer, links: Links) -> list[str]:
    numbers = {each.number: links.citation(each) for each in answer.citations}
    return [
        _headline(wording.verdict_sign(answer.verdict), wording.headline(answer)),
        escape(wording.not_stated(answer)),
        escape(wording.approved(answer)),
        *_frame(answer, links),
        *_tables(answer, links, numbers),
        *(
            f"{_quote(each.text, '' if answer.approved else '> ')} {_marks(each.citations, numbers)}".rstrip()
            for each in answer.loose_statements
        ),
        _conditions(answer.verdicts, numbers) if answer.comparison is None else "",
        _notes(answer),
        _choices(answer.choices, links.source_names, wording.CHOICES_HEADING),
        _sources(answer.citations, links),
    ]


def _refusal(reply: Refusal, links: Links) -> list[str]:
    words = wording.refusal(reply, links.source_names)
    return [
        _headline(wording.NEUTRAL_SIGN, words.headline),
        *_frame(reply, links),
        escape(words.body),
        escape(words.next_step),
        _nearest(reply.nearest, links),
        _notes(reply),
        _choices(reply.choices, links.source_names, wording.CHOICES_HEADING),
    ]


def _clarification(reply: Clarification, links: Links) -> list[str]:
    words = wording.clarification(reply)
    return [
        _headline(wording.NEUTRAL_SIGN, words.headline),
        *_frame(reply, links),
        escape(words.body),
        _choices(reply.choices, links.source_names, words.next_step) or escape(words.next_step),
        _notes(reply),
    ]


def _headline(sign: str, text: str) -> str:
    return f"**{sign} {escape(text)}**"


def _frame(reply: Reply, links: Links) -> list[str]:
    read_as = wording.rewritten(reply.rewritten_question) if reply.rewritten_question else ""
    scope = escape(wording.scope_line(reply.scope, links.source_names))
    return [escape(read_as), scope, escape(wording.scope_hint(reply.scope))]


def _tables(answer: Answer, links: Links, numbers: Mapping[int, str]) -> list[str]:
    """What stands side by side: places and platforms, both versions of changed rules, documents."""
    names = links.source_names
    if answer.changes is not None:
        return _changes(answer.changes, answer, names, numbers)
    if answer.documents is not None:
        return _documents(answer.documents, links)
    if answer.comparison is not None:
        return _comparison(answer.comparison, names, numbers)
    return [_verdicts(answer, names, numbers)]


def _comparison(comparison: Comparison, names: Mapping[str, str], numbers: Mapping[int, str]) -> list[str]:
    rows = (
        [
            escape(wording.row_place(row)),
            escape(wording.row_platform(row, names)),
            _row_verdict(row),
            "; ".join(escape(f"{wording.condition_label(each)}: {each.text}") for each in row.conditions),
            _marks(row.citations, numbers),
        ]
        for row in comparison.rows
    )
    left_out = wording.comparison_left_out(comparison.left_out) if comparison.left_out else ""
    return [_table(wording.COMPARISON_HEADING, wording.comparison_columns(), rows), escape(left_out)]


def _row_verdict(row: ComparisonRow) -> str:
    if row.verdict is None:
        return escape(wording.row_gap(row))
    return f"{wording.verdict_sign(row.verdict)} {escape(wording.row_verdict(row))}"


def _changes(changes: Changes, answer: Answer, names: Mapping[str, str], numbers: Mapping[int, str]) -> list[str]:
    rows = (
        [
            f"**{escape(wording.change_title(rule))}** {escape(wording.change_facts(rule, names))} "
            f"{escape(wording.change_lead_in(rule))}".rstrip(),
            f"{escape(wording.before_text(rule))} {_mark(rule.before_citation, numbers)}".rstrip(),
            f"{escape(wording.after_text(rule))} {_mark(rule.after_citation, numbers)}".rstrip(),
        ]
        for rule in changes.rules
    )
    nothing = not changes.rules and not changes.left_out
    return [
        _table(wording.CHANGES_HEADING, wording.changes_columns(), rows),
        escape(wording.changes_left_out(changes.left_out)) if changes.left_out else "",
        escape(wording.nothing_changed(changes, answer.scope, names)) if nothing else "",
        escape(f"{wording.RULES_AS_THEY_ARE}:") if nothing and answer.statements else "",
    ]


def _documents(found: DocumentList, links: Links) -> list[str]:
    rows = (
        [
            f"[{escape(each.title)}]({links.document(each)})",
            escape(wording.source_name(each.policy_source, links.source_names)),
            escape(wording.document_versions(each)),
        ]
        for each in found.documents
    )
    left_out = wording.documents_left_out(found.left_out) if found.left_out else ""
    return [_table(wording.DOCUMENTS_HEADING, wording.documents_columns(), rows), escape(left_out)]


def _table(heading: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A GitHub table; "" without rows. Its cells are escaped already, each one line."""
    lines_ = [f"| {' | '.join(row)} |" for row in rows]
    heads = [escape(each) for each in columns]
    rule = f"|{' --- |' * len(heads)}"
    return "\n".join([escape(f"{heading}:"), "", f"| {' | '.join(heads)} |", rule, *lines_]) if lines_ else ""


def _mark(number: int | None, urls: Mapping[int, str]) -> str:
    return _marks([number], urls) if number is not None else ""


def _verdicts(answer: Answer, names: Mapping[str, str], numbers: Mapping[int, str]) -> str:
    if len(answer.verdicts) < 2:
        return ""
    found = (
        f"{wording.verdict_sign(each.verdict)} {escape(wording.place_verdict(each, names))} "
        f"{_marks(each.citations, numbers)}"
        for each in answer.verdicts
    )
    return _list(f"{wording.VERDICTS_HEADING}:", found)


def _conditions(verdicts: Iterable[PlaceVerdict], numbers: Mapping[int, str]) -> str:
    found = {condition: None for verdict in verdicts for condition in verdict.conditions}
    items = (
        f"{wording.condition_label(each)}: {escape(each.text)} {_marks(each.citations, numbers)}" for each in found
    )
    return _list(f"{wording.CONDITIONS_HEADING}:", items)


def _quote(text: str, mark: str = "> ") -> str:
    """A statement as a quote block (a person's words without its `mark`), its line breaks kept."""
    return "\\\n".join(f"{mark}{escape(line)}" for line in lines(text))


def _marks(numbers: Iterable[int], urls: Mapping[int, str]) -> str:
    return " ".join(f"[\\[{each}\\]]({urls[each]})" if each in urls else f"\\[{each}\\]" for each in numbers)


def _notes(reply: Reply) -> str:
    titles = document_titles(reply)
    found = [*(wording.warning(each, titles) for each in reply.warnings), *map(wording.degraded, reply.degraded)]
    return "\n\n".join(f"**{wording.NOTE_LABEL}:** {escape(each)}" for each in found)


def _choices(choices: Iterable[Choice], names: Mapping[str, str], heading: str) -> str:
    return _list(f"{heading.rstrip(':')}:", (escape(wording.choice_line(each, names)) for each in choices))


def _nearest(nearest: Iterable[Nearest], links: Links) -> str:
    items = (
        f"[{escape(wording.section_title(each.title, each.section_path))}]({links.nearest(each)}) · "
        f"{escape(wording.nearest_facts(each, links.source_names))}"
        for each in nearest
    )
    return _list(f"{wording.NEAREST_HEADING}:", items)


def _sources(citations: Iterable[Citation], links: Links) -> str:
    items = (
        f"\\[{each.number}\\] [{escape(wording.section_title(each.title, each.section_path))}]"
        f"({links.citation(each)}) · {escape(wording.source_facts(each, links.source_names))} · "
        f"{escape(wording.quoted(each.quote))}"
        for each in citations
    )
    return _list(f"{wording.SOURCES_HEADING}:", items)


def _list(heading: str, items: Iterable[str]) -> str:
    found = [f"- {item.rstrip()}" for item in items]
    return "\n".join([escape(heading), "", *found]) if found else ""


def quoted(statement: Statement, shown: Callable[[str], str], mark: str) -> str:
    """As a Markdown quote with the numbers of its sources, and a gap below; "" for one without words. `shown`: a line
    as the platform takes it; `mark`: a number, with `{}` in its place."""
    quote = "\n".join(f"> {shown(line)}" for line in lines(statement.text))
    numbers = " ".join(mark.format(number) for number in statement.citations)
    return f"{quote} {numbers}".rstrip() + "\n\n" if quote else ""
