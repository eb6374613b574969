"""Whether an approved answer is the answer to a question. Precision first: shown to another question, it would be a
wrong "yes" that a person stands for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_core.curated.kept import CuratedAnswer, CuratedScope
from rag_core.curated.saying import Saying, said_in
from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, DeclaredLabel
from rag_core.regions import GLOBAL, seen_from
from rag_core.understanding.cleaning import clean_question
from rag_core.understanding.reading import read
from rag_core.understanding.understand import understand

THRESHOLD = 0.70
"""Cosine of the two texts without their scope; measured, see `tests/golden/curated`. The words decide first."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A wording that says what the question says, for its scope. `is_wider`: it is for a wider place, so that it holds
    only where the place has no rule of its own that differs."""

    answer: CuratedAnswer
    wording: int
    is_wider: bool
    core: str


def asked_in(request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]) -> Saying:
    """What is asked. Raises Rejected as `understand` does."""
    question = understand(request, sources, labels)
    return said_in(read(clean_question(request.text), request, sources, labels), question)


def wording_said(
    text: str, scope: CuratedScope, today: date, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]
) -> Saying:
    """A wording as if somebody asked it for this scope. Raises Rejected for what cannot be asked."""
    return asked_in(AskRequest(text, today, filters=scope.filters), sources, labels)


def is_for(asked: Saying, wording: Saying, scope: CuratedScope, today: date) -> tuple[bool, bool]:
    """Whether place, platforms, day, material and labels are the answer's; and whether its place is a wider one."""
    mine, theirs = asked.question.scope, wording.question.scope
    same = (
        mine.as_of == today
        and mine.since is None
        and not mine.sections
        and frozenset(mine.policy_sources) == frozenset(scope.policy_sources)
        and frozenset(mine.content_types) == frozenset(theirs.content_types)
        and dict(mine.labels) == dict(theirs.labels)
    )
    return same and _holds_in(mine.regions, scope.regions), _is_wider(mine.regions, scope.regions)


def _holds_in(asked: Sequence[str], regions: Sequence[str]) -> bool:
    """A question without a place is answered by what holds worldwide, and by nothing else."""
    if not asked:
        return not _places(regions)
    return all(seen_from(place) & (_places(regions) or {GLOBAL}) for place in asked)


def _is_wider(asked: Sequence[str], regions: Sequence[str]) -> bool:
    return not asked or not frozenset(asked) <= _places(regions)


def _places(regions: Sequence[str]) -> frozenset[str]:
    return frozenset(regions) - {GLOBAL}


def likenesses(
    asked: Saying,
    answers: Sequence[CuratedAnswer],
    today: date,
    sources: Sequence[PolicySource],
    labels: Sequence[DeclaredLabel],
) -> list[Likeness]:
    """The wordings of `answers` that say just what is asked, for a scope that fits."""
    if not asked.can_be_matched:
        return []
    found = []
    for answer in answers:
        for number, text in enumerate(answer.wordings):
            try:
                wording = wording_said(text, _known(answer.scope, sources), today, sources, labels)
            except Rejected:  # kept by an older version, say: nobody must be kept from asking by it
                continue
            fits, is_wider = is_for(asked, wording, answer.scope, today)
            if fits and wording.can_be_matched and asked.means(wording):
                found.append(Likeness(answer, number, is_wider, wording.core))
    return found


def _known(scope: CuratedScope, sources: Sequence[PolicySource]) -> CuratedScope:
    """Without platforms that the asker sees no documents of: such an answer does not fit, and is no error."""
    known = {each.slug for each in sources}
    return replace(scope, policy_sources=tuple(each for each in scope.policy_sources if each in known))
