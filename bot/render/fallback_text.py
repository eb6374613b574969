"""An outcome as one plain text, for notifications and screen readers."""

from bot import wording
from bot.model.links import Links
from bot.model.outcomes import Failure, Outcome, Postponed, Rejection
from bot.model.visible import one_line, shorten
from bot.render.markdown import document_titles
from rag_core.answers import Answer, Clarification, ClarificationReason, Refusal

_FIRST_STATEMENT = 300


def spoken_parts(outcome: Outcome, links: Links) -> list[str]:
    """In the order in which they matter; plain text, "" where there is nothing to say."""
    match outcome:
        case Answer():
            return _answer_parts(outcome, links)
        case Refusal():
            words = wording.refusal(outcome, links.source_names)
            return [f"{words.headline}.", words.body, words.next_step]
        case Clarification():
            words = wording.clarification(outcome)
            labels = [wording.choice_label(each, links.source_names) for each in outcome.choices]
            if outcome.reason is ClarificationReason.HELP:
                return [f"{words.headline}.", words.body, words.next_step, wording.listed(labels, "or")]
            return [f"{words.headline}.", f"{words.next_step} {wording.listed(labels, 'or')}."]
        case Rejection():
            problem = wording.rejection(outcome)
        case Failure():
            problem = wording.failure(outcome)
        case Postponed():
            problem = wording.postponed(outcome)
    return [f"{problem.title}.", problem.detail]


def _answer_parts(answer: Answer, links: Links) -> list[str]:
    found = [wording.verdict_summary(answer, links.source_names)]
    found.append(wording.not_stated(answer))
    found.append(wording.approved(answer))
    found += [shorten(each, _FIRST_STATEMENT) for each in _first_change(answer)]
    statements = answer.loose_statements
    if statements:
        first_words = shorten(one_line(statements[0].text), _FIRST_STATEMENT)
        found.append(first_words if answer.approved else wording.quoted(first_words))
    if len(statements) > 1:
        found.append(wording.more_statements(len(statements) - 1))
    if answer.citations:
        first = answer.citations[0]
        title = wording.section_title(first.title, first.section_path)
        found.append(f"{wording.first_source(title, len(answer.citations) - 1)}.")
    titles = document_titles(answer)
    return [*found, *(wording.warning(each, titles) for each in answer.warnings[:2])]


def _first_change(answer: Answer) -> list[str]:
    """The first of the changed rules in words: where, and both versions."""
    if answer.changes is None or not answer.changes.rules:
        return []
    rule = answer.changes.rules[0]
    _, before, now = wording.changes_columns()
    return [
        f"{one_line(wording.change_title(rule))}.",
        f"{before}: {one_line(wording.before_text(rule))}",
        f"{now}: {one_line(wording.after_text(rule))}",
    ]
