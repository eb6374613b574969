"""Question text, explicit filters and what was said before -> a Question with its scope."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, DeclaredLabel, Intent, NoteKind, Question, ScopeNote
from rag_core.understanding.cleaning import MAX_QUESTION, as_asked, clean_question
from rag_core.understanding.completing import MOST_MESSAGES
from rag_core.understanding.followups import from_background, old_form, rewrite, without_why
from rag_core.understanding.leaning import leaning_of
from rag_core.understanding.reading import Reading, read

_ASKS_NO_RULE = (Intent.SMALL_TALK, Intent.OUT_OF_SCOPE, Intent.HELP)
"""Said in between: nothing is completed from it."""

MOST_LOOKED_BACK = 12
"""Messages before those that are looked through for the topic, where all of the last ones lean on it; however long the
thread, no more are read."""


def understand(
    request: AskRequest,
    sources: Sequence[PolicySource],
    labels: Sequence[DeclaredLabel] = (),
    completed: str | None = None,
) -> Question:
    """What `request` asks, for which place, day and platform; explicit filters win over the question's words.

    A follow-up is completed from the last messages, or was `completed` by somebody who can be trusted, and read as the
    question that it stands for. Raises Rejected for an empty, over-long or self-contradicting request and for unknown
    filter values.
    """
    follow = read(clean_question(request.text), request, sources, labels)
    if completed is not None:
        return _completed(
            follow.question, read(clean_question(completed), request, sources, labels).question, completed
        )
    if leaning_of(follow) is None:
        return follow.question
    earlier = _earlier(request, sources, labels)
    written = rewrite(follow, earlier) if earlier else from_background(follow, request.background)
    written = as_asked(written) if written else None
    if not written or len(written) > MAX_QUESTION:
        return follow.question
    return _completed(follow.question, read(written, request, sources, labels).question, written)


def warm_up(today: date) -> None:
    """Reads the tables that understanding needs, once, before anybody waits for it: 0.2 s."""
    understand(AskRequest("can we advertize tabacco in Germny as of 1 March 2026?", today), ())


def _completed(question: Question, meant: Question, written: str) -> Question:
    """`meant`, asked as `question`; what was not in its own words is noted as carried over."""
    names = ("regions", "policy_sources", "content_types", "labels", "since")
    carried = [name for name in names if getattr(meant.scope, name) != getattr(question.scope, name)]
    if meant.scope.as_of != question.scope.as_of:
        carried.append("as_of")
    note = (ScopeNote(NoteKind.CARRIED, "", tuple(carried)),) if carried else ()
    scope = replace(meant.scope, notes=(*meant.scope.notes, *note))
    return replace(meant, text=question.text, rewritten=written, scope=scope)


def _earlier(request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]) -> Reading | None:
    """The question before this one, completed from those before it if it leans on them."""
    leaning: list[Reading] = []
    for text in _asked_before(request):
        found = _read_earlier(text, request, sources, labels)
        if found is None or found.question.intent in _ASKS_NO_RULE:
            continue
        if leaning_of(found) is None and found.question.terms:
            break
        leaning.append(found)
    else:
        return None
    for each in reversed(leaning):
        written = rewrite(each, found)
        if written is not None and len(written) <= MAX_QUESTION:
            found = read(without_why(written), request, sources, labels)
    return found


def _asked_before(request: AskRequest) -> Iterator[str]:
    """What people asked, the last one first."""
    for turn in reversed(request.history[-MOST_MESSAGES - MOST_LOOKED_BACK :]):
        if turn.role == "user" and any(each.isalnum() for each in turn.content):
            yield turn.content


def _read_earlier(
    text: str, request: AskRequest, sources: Sequence[PolicySource], labels: Sequence[DeclaredLabel]
) -> Reading | None:
    """An earlier question; one that was written down as "alcohol ads in Spain (and in France?)" as it is written now.

    None for what is no question by today's rules: history never keeps anybody from asking.
    """
    try:
        found = read(without_why(clean_question(text[:MAX_QUESTION])), request, sources, labels)
        parts = old_form(found.text)
        if parts is None:
            return found
        outer = _read_earlier(parts[0], request, sources, labels)
        inner = read(clean_question(parts[1]), request, sources, labels)
        written = rewrite(inner, outer) if outer and not inner.subject else None
        return read(written, request, sources, labels) if written else found
    except Rejected:
        return None
