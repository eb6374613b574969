"""What a question means that names no place or no platform, where somebody has said so for everybody who asks there."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.place_names import longest_of
from rag_core.published_places.names import GROUP_ADJECTIVES, GROUPS
from rag_core.questions import AskRequest, Filters, Intent, NoteKind, QueryTerm, Question
from rag_core.regions import GLOBAL
from rag_core.understanding.cleaning import check_filters
from rag_core.understanding.places import find_places
from rag_core.understanding.platforms import find_sources
from rag_core.understanding.reading import MAX_PLACES
from rag_core.vocabulary import pattern

_OF_NO_PLACE = (Intent.HELP, Intent.LIST_SOURCES, Intent.SMALL_TALK, Intent.OUT_OF_SCOPE)
"""What is asked for the whole library, or is no question about it."""

_ANYWHERE = pattern("questions", "anywhere")
_GROUP_OF_PLACES = re.compile(rf"(?<![\w-]){longest_of((*GROUPS, *GROUP_ADJECTIVES))}(?![\w-])", re.IGNORECASE)
"""Europe, LATAM, the Middle East: nobody lists its members for a question, and it is not the default place."""
_WHERE = r"\b(?:[Ii]n|[Aa]cross|[Tt]hroughout|[Oo]utside|[Ww]ithin|[Ff]rom)\s+(?:the\s+)?"
_ANY_PLATFORM = pattern("questions", "any_platform")


def with_defaults(
    question: Question, request: AskRequest, sources: Sequence[PolicySource], *, names_absent: bool = False
) -> tuple[Question, tuple[str, ...]]:
    """The question with `request.defaults` for what neither it nor the conversation before it names; `scope.assumed`
    says for which fields. And the defaults that are not known (any more), which count for nothing.

    A question that asks for anywhere, for any platform, or for a place that is not known, is not narrowed; one that
    `names_absent` platforms, which have no documents, is not answered from others. Only places and platforms have
    defaults.
    """
    known, unknown = _known(request.defaults, sources)
    if question.intent in _OF_NO_PLACE:
        return question, ()
    scope, assumed = question.scope, list[str]()
    regions, slugs = known.regions[:MAX_PLACES], known.policy_sources
    if regions and not scope.regions and not _speaks_of_places(question, request):
        scope, assumed = replace(scope, regions=regions), [*assumed, "regions"]
    if slugs and not scope.policy_sources and not names_absent and not _speaks_of_platforms(question, request, sources):
        scope, assumed = replace(scope, policy_sources=slugs), [*assumed, "policy_sources"]
    scope = replace(scope, assumed=(*scope.assumed, *assumed))
    return replace(question, scope=scope), unknown


def _speaks_of_places(question: Question, request: AskRequest) -> bool:
    if any(note.kind is NoteKind.UNCLEAR_PLACE for note in question.scope.notes):
        return True  # it is asked back which is meant
    before = _asked_before(request)
    if request.background.regions or any(find_places(text) for text in before):
        return True
    asked = (question.text, question.search_text, *before)
    if any(_ANYWHERE.search(text) or _GROUP_OF_PLACES.search(text) for text in asked):
        return True
    return any(_may_be_a_place(term, text) for term in question.terms for text in asked)


def _may_be_a_place(term: QueryTerm, text: str) -> bool:
    """Whether a name that nobody knows stands where a place does: "in Bavaria", "in Atlantis"."""
    if term.synonyms or term.broader or text.isupper() or not term.text[:1].isupper():
        return False
    return re.search(rf"{_WHERE}{re.escape(term.text)}\b", text) is not None


def _speaks_of_platforms(question: Question, request: AskRequest, sources: Sequence[PolicySource]) -> bool:
    before = _asked_before(request)
    if request.background.policy_sources or any(find_sources(text, sources) for text in before):
        return True
    return any(_ANY_PLATFORM.search(text) for text in (question.text, question.search_text, *before))


def _asked_before(request: AskRequest) -> list[str]:
    return [turn.content for turn in request.history if turn.role == "user"]


def _known(defaults: Filters, sources: Sequence[PolicySource]) -> tuple[Filters, tuple[str, ...]]:
    """Those that are known, in the form that retrieval uses, and the others as they are written."""
    regions, slugs, unknown = list[str](), list[str](), list[str]()
    for each, filters in _one_by_one(defaults):
        try:
            checked = check_filters(filters, sources)
        except Rejected:
            unknown.append(each)
            continue
        regions += [code for code in checked.regions if code != GLOBAL]
        slugs += checked.policy_sources
    return Filters(tuple(dict.fromkeys(slugs)), tuple(dict.fromkeys(regions))), tuple(unknown)


def _one_by_one(defaults: Filters) -> Iterator[tuple[str, Filters]]:
    for code in defaults.regions:
        yield code, Filters(regions=(code,))
    for slug in defaults.policy_sources:
        yield slug, Filters(policy_sources=(slug,))
