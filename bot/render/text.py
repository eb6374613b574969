"""A reply for a terminal: readable without colour, links in full, nothing in it that a terminal would obey."""

import textwrap
from collections.abc import Iterable, Mapping

from bot import wording
from bot.model.links import Links
from bot.model.outcomes import Failure, Outcome, Postponed, Rejection
from bot.model.visible import lines, one_line, shorten
from bot.render.markdown import document_titles
from rag_core.answers import (
    Answer,
    Changes,
    Choice,
    Citation,
    Clarification,
    ComparisonRow,
    DocumentList,
    Nearest,
    PlaceVerdict,
    Refusal,
    Reply,
)

_NARROWEST = 40
_LONGEST_QUESTION = 300


def reply_text(question_text: str, outcome: Outcome, links: Links, width: int = 80) -> str:
    """The question and how it ended, wrapped to `width` columns (addresses are never broken)."""
    page = _Page(max(width, _NARROWEST))
    page.paragraph(f"> {shorten(question_text, _LONGEST_QUESTION)}")
    match outcome:
        case Answer():
            _answer(page, outcome, links)
        case Refusal():
            _refusal(page, outcome, links)
        case Clarification():
            _clarification(page, outcome, links)
        case Rejection():
            _problem(page, wording.rejection(outcome))
        case Failure():
            _problem(page, wording.failure(outcome))
        case Postponed():
            _problem(page, wording.postponed(outcome))
    return page.text()


class _Page:
    """Paragraphs in order; each text is cleaned and wrapped as it comes in."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._paragraphs: list[str] = []

    def paragraph(self, *texts: str, indent: str = "") -> None:
        """Texts on lines of their own, wrapped under `indent`."""
        wrapped = [self._wrap(one_line(text), indent) for text in texts if text]
        if wrapped:
            self._paragraphs.append("\n".join(wrapped))

    def items(self, heading: str, texts: Iterable[str]) -> None:
        """A list under its heading, each item hanging behind a dash; nothing where there are none."""
        wrapped = [f"- {self._wrap(one_line(text), '  ')[2:]}" for text in texts]
        if wrapped:
            self._paragraphs.append("\n".join([heading, *wrapped]))

    def entry(self, mark: str, texts: Iterable[str]) -> None:
        """A mark ("[1]", "-") with the texts hanging beside it."""
        indent = " " * (len(mark) + 1)
        body = "\n".join(self._wrap(one_line(text), indent) for text in texts if text)
        self._paragraphs.append(f"{mark} {body[len(indent) :]}")

    def text(self) -> str:
        return "\n\n".join(self._paragraphs) + "\n"

    def _wrap(self, text: str, indent: str) -> str:
        return textwrap.fill(
            text,
            self._width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _answer(page: _Page, answer: Answer, links: Links) -> None:
    names = links.source_names
    page.paragraph(f"{wording.verdict_sign(answer.verdict)} {wording.headline(answer)}")
    page.paragraph(wording.not_stated(answer))
    page.paragraph(wording.approved(answer))
    _frame(page, answer, names)
    _tables(page, answer, links)
    for statement in answer.loose_statements:
        *before, last = lines(statement.text) or [""]
        page.paragraph(*before, f"{last} {_marks(statement.citations)}".strip(), indent="  ")
    if answer.comparison is None:
        page.items(f"{wording.CONDITIONS_HEADING}:", _conditions(answer.verdicts))
    _notes(page, answer)
    _choices(page, answer.choices, names, f"{wording.CHOICES_HEADING}:")
    if answer.citations:
        page.paragraph(f"{wording.SOURCES_HEADING}:")
    for citation in answer.citations:
        page.entry(f"[{citation.number}]", _source(citation, links))


def _refusal(page: _Page, reply: Refusal, links: Links) -> None:
    words = wording.refusal(reply, links.source_names)
    page.paragraph(f"{wording.NEUTRAL_SIGN} {words.headline}")
    _frame(page, reply, links.source_names)
    page.paragraph(words.body)
    page.paragraph(words.next_step)
    if reply.nearest:
        page.paragraph(f"{wording.NEAREST_HEADING}:")
    for nearest in reply.nearest:
        page.entry("-", _near(nearest, links))
    _notes(page, reply)
    _choices(page, reply.choices, links.source_names, f"{wording.CHOICES_HEADING}:")


def _clarification(page: _Page, reply: Clarification, links: Links) -> None:
    words = wording.clarification(reply)
    page.paragraph(f"{wording.NEUTRAL_SIGN} {words.headline}")
    _frame(page, reply, links.source_names)
    page.paragraph(words.body)
    _choices(page, reply.choices, links.source_names, words.next_step)
    page.paragraph("" if reply.choices else words.next_step)
    _notes(page, reply)


def _problem(page: _Page, problem: wording.Problem) -> None:
    page.paragraph(f"{problem.title}.")
    page.paragraph(problem.detail)


def _frame(page: _Page, reply: Reply, names: Mapping[str, str]) -> None:
    read_as = wording.rewritten(reply.rewritten_question) if reply.rewritten_question else ""
    page.paragraph(read_as, wording.scope_line(reply.scope, names), wording.scope_hint(reply.scope))


def _tables(page: _Page, answer: Answer, links: Links) -> None:
    """What stands side by side, as lists: columns of characters cannot be read aloud."""
    names = links.source_names
    if answer.changes is not None:
        _changes(page, answer.changes, answer, names)
    elif answer.documents is not None:
        _documents(page, answer.documents, links)
    elif answer.comparison is not None:
        page.items(f"{wording.COMPARISON_HEADING}:", (_row(each, names) for each in answer.comparison.rows))
        left_out = answer.comparison.left_out
        page.paragraph(wording.comparison_left_out(left_out) if left_out else "")
    elif len(answer.verdicts) > 1:
        page.items(f"{wording.VERDICTS_HEADING}:", (_verdict(each, names) for each in answer.verdicts))


def _row(row: ComparisonRow, names: Mapping[str, str]) -> str:
    pair = f"{wording.row_place(row)}, {wording.row_platform(row, names)}"
    if row.verdict is None:
        return f"{pair}: {wording.row_gap(row)} {_marks(row.citations)}".rstrip()
    verdict = f"{wording.verdict_sign(row.verdict)} {pair}: {wording.row_verdict(row)}"
    conditions = "; ".join(f"{wording.condition_label(each)}: {each.text.rstrip('. ')}" for each in row.conditions)
    return (
        f"{verdict}. {conditions} {_marks(row.citations)}".rstrip()
        if conditions
        else f"{verdict} {_marks(row.citations)}"
    )


def _changes(page: _Page, changes: Changes, answer: Answer, names: Mapping[str, str]) -> None:
    _, before, now = wording.changes_columns()
    for rule in changes.rules:
        sides = (
            f"{before}: {wording.before_text(rule)} {_mark(rule.before_citation)}".rstrip(),
            f"{now}: {wording.after_text(rule)} {_mark(rule.after_citation)}".rstrip(),
        )
        title = f"{wording.change_title(rule)}"
        page.entry("-", (title, wording.change_facts(rule, names), wording.change_lead_in(rule), *sides))
    if changes.left_out:
        page.paragraph(wording.changes_left_out(changes.left_out))
    if not changes.rules and not changes.left_out:
        page.paragraph(wording.nothing_changed(changes, answer.scope, names))
        page.paragraph(f"{wording.RULES_AS_THEY_ARE}:" if answer.statements else "")


def _documents(page: _Page, found: DocumentList, links: Links) -> None:
    for each in found.documents:
        platform = wording.source_name(each.policy_source, links.source_names)
        page.entry("-", (f"{each.title}, {platform}", wording.document_versions(each), links.document(each)))
    page.paragraph(wording.documents_left_out(found.left_out) if found.left_out else "")


def _mark(number: int | None) -> str:
    return _marks([number]) if number is not None else ""


def _verdict(verdict: PlaceVerdict, names: Mapping[str, str]) -> str:
    sign = wording.verdict_sign(verdict.verdict)
    return f"{sign} {wording.place_verdict(verdict, names)} {_marks(verdict.citations)}".rstrip()


def _conditions(verdicts: Iterable[PlaceVerdict]) -> list[str]:
    found = {condition: None for verdict in verdicts for condition in verdict.conditions}
    return [f"{wording.condition_label(each)}: {each.text} {_marks(each.citations)}".rstrip() for each in found]


def _notes(page: _Page, reply: Reply) -> None:
    titles = document_titles(reply)
    for text in (*(wording.warning(each, titles) for each in reply.warnings), *map(wording.degraded, reply.degraded)):
        page.paragraph(f"{wording.NOTE_LABEL}: {text}")


def _choices(page: _Page, choices: Iterable[Choice], names: Mapping[str, str], heading: str) -> None:
    page.items(heading, (wording.choice_line(each, names) for each in choices))


def _source(citation: Citation, links: Links) -> list[str]:
    return [
        wording.section_title(citation.title, citation.section_path),
        wording.source_facts(citation, links.source_names),
        wording.quoted(one_line(citation.quote)),
        links.citation(citation),
    ]


def _near(nearest: Nearest, links: Links) -> list[str]:
    return [
        wording.section_title(nearest.title, nearest.section_path),
        wording.nearest_facts(nearest, links.source_names),
        links.nearest(nearest),
    ]


def _marks(numbers: Iterable[int]) -> str:
    return "".join(f"[{each}]" for each in numbers)
