"""What a reader must know beside the statements, and where to go on from them."""

from collections.abc import Iterable, Mapping, Sequence

from rag_core.answering.evidence import Target
from rag_core.answers import Choice, Notice, WarningCode
from rag_core.documents import SAMPLE_LABEL, Passage
from rag_core.questions import Filters, Question
from rag_core.rules.judging import JudgedRule
from rag_core.understanding.cleaning import as_asked

MOST_CHOICES = 5


def notices_for(question: Question, targets: Sequence[Target], cited: Sequence[Passage]) -> tuple[Notice, ...]:
    """Conflicts, places without rules of their own, places that differ, samples, versions that no longer hold."""
    notices = [notice for target in targets for notice in _target_notices(target)]
    read = sorted({each.version.effective_from for each in cited if _is_from_before(question, each)})
    if read:
        notices.append(Notice(WarningCode.DATE_NOT_STATED, tuple(day.isoformat() for day in read)))
    closed = sorted({each.version.doc_id for each in cited if each.version.effective_to is not None})
    if closed:
        notices.append(Notice(WarningCode.PAST_DAY, (question.scope.as_of.isoformat(), *closed)))
    notices += sample_notice(cited)
    return tuple(dict.fromkeys(notices))


def _is_from_before(question: Question, passage: Passage) -> bool:
    return passage.version.is_older_than_read(question.scope.as_of)


def sample_notice(passages: Iterable[Passage]) -> list[Notice]:
    """The notice that an answer comes from invented documents, where one does."""
    return sample_labels(each.version.labels for each in passages)


def sample_labels(labels: Iterable[Mapping[str, str]]) -> list[Notice]:
    """The same for the labels of versions."""
    key, value = SAMPLE_LABEL
    return [Notice(WarningCode.SAMPLE)] if any(each.get(key) == value for each in labels) else []


def _target_notices(target: Target) -> list[Notice]:
    notices = []
    decision, rules = target.decision, target.rules
    if decision.conflicts:
        parties = (*decision.deciding, *decision.conflicts)
        versions = dict.fromkeys((_titled(rule), rule.rule.passage.version.effective_from) for rule in parties)
        dated = tuple(fact for title, day in versions for fact in (title, day.isoformat()))
        notices.append(Notice(WarningCode.CONFLICT, dated))
    if decision.overridden:
        notices.append(Notice(WarningCode.SPECIFIC_FIRST, (target.place,) if target.place else ()))
    silent = not target.place_speaks and all(rule.place.specificity == 0 for rule in rules)
    if target.place and rules and silent:
        notices.append(Notice(WarningCode.NO_RULE_FOR_PLACE, (target.place,)))
    if decision.differing:
        notices.append(Notice(WarningCode.PLACES_DIFFER, decision.differing))
    return notices


def _titled(rule: JudgedRule) -> str:
    return rule.rule.passage.version.title


def choices_for(question: Question, targets: Sequence[Target]) -> tuple[Choice, ...]:
    """The places whose own rule differs, as next questions."""
    places = dict.fromkeys(place for target in targets for place in target.decision.differing)
    return tuple(
        Choice("region", place, as_asked(question.text), Filters(question.scope.policy_sources, (place,)))
        for place in list(places)[:MOST_CHOICES]
    )


def section_choices(question: Question, sections: Iterable[Passage]) -> tuple[Choice, ...]:
    """Sections to which what is quoted refers, as next questions: what that section says, for the places asked. The
    heading above is part of the question, because a title alone may be a place or a common word."""
    return tuple(
        Choice(
            "section",
            each.chunk.policy_section,
            ": ".join(each.chunk.policy_path.split(" > ")[-2:]),
            Filters((each.chunk.policy_source,), question.scope.regions, sections=(each.chunk.policy_section.lower(),)),
        )
        for each in sections
    )
