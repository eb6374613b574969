"""Question text and explicit filters -> a Question with its scope."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from rag_core.documents import ContentType, PolicySource
from rag_core.questions import AskRequest, Filters, Question, Scope
from rag_core.regions import GLOBAL, find_regions
from rag_core.understanding.cleaning import clean_question
from rag_core.understanding.days import find_day
from rag_core.understanding.filters import check_filters
from rag_core.understanding.followups import complete
from rag_core.understanding.intents import intent_of
from rag_core.understanding.platforms import find_sources
from rag_core.understanding.terms import blank_out, terms_of

MAX_PLACES = 5
"""Places answered for at once; a question that names more gets the first ones."""

_FOLLOWED_UP = re.compile(r"(.+) \(([^()]+)\)")
"""As `followups.complete` writes it."""

_ADVERTISING = re.compile(
    r"\b(ads?|advert\w*|promot\w*|sponsor\w*|campaigns?|polic(?:y|ies)|landing pages?|creatives?|marketing"
    r"|trademarks?|disapprov\w*|targeting|allowed|permitted|prohibited|banned|restricted)\b",
    re.IGNORECASE,
)


def understand(request: AskRequest, sources: Sequence[PolicySource]) -> Question:
    """What `request` asks, for which place, day and platform; explicit filters win over the question's words.

    Raises Rejected for an empty, over-long or self-contradicting request and for unknown filter values.
    """
    question = _read(clean_question(request.text), request, sources)
    earlier = next((turn.content for turn in reversed(request.history) if turn.role == "user"), None)
    if question.terms or earlier is None:
        return question
    return complete(question, _earlier(clean_question(earlier), request, sources))


def _earlier(text: str, request: AskRequest, sources: Sequence[PolicySource]) -> Question:
    """An earlier question, which may be a completed follow-up itself: "alcohol ads in Spain (and in France?)" is
    about France."""
    match = _FOLLOWED_UP.fullmatch(text)
    if match is None:
        return _read(text, request, sources)
    follow_up = _read(match[2], request, sources)
    if follow_up.terms:  # somebody's own parentheses
        return _read(text, request, sources)
    return replace(complete(follow_up, _earlier(match[1], request, sources)), text=text)


def _read(text: str, request: AskRequest, sources: Sequence[PolicySource]) -> Question:
    filters = check_filters(request.filters, sources)
    day = find_day(text, request.today)
    named_sources = find_sources(text, sources)
    spans = [(mention.start, mention.end) for mention in named_sources]
    spans += [(day.start, day.end)] if day else []
    remaining = blank_out(text, spans)
    places = find_regions(remaining)
    remaining = blank_out(remaining, [(place.start, place.end) for place in places])
    scope = _scope(
        request,
        filters,
        day=day.day if day else None,
        places=[place.code for place in places if place.code != GLOBAL],
        slugs=[mention.slug for mention in named_sources],
    )
    about = bool(named_sources) or bool(_ADVERTISING.search(text))
    return Question(text, scope, intent_of(text), terms_of(remaining), about)


def _scope(request: AskRequest, filters: Filters, *, day: date | None, places: list[str], slugs: list[str]) -> Scope:
    inferred = []
    if request.as_of is None and day is not None:
        inferred.append("as_of")
    if not filters.regions and places:
        inferred.append("regions")
    if not filters.policy_sources and slugs:
        inferred.append("policy_sources")
    return Scope(
        as_of=request.as_of or day or request.today,
        policy_sources=filters.policy_sources or tuple(dict.fromkeys(slugs)),
        regions=(filters.regions or tuple(dict.fromkeys(places)))[:MAX_PLACES],
        content_types=tuple(ContentType(value) for value in filters.content_types),
        sections=filters.sections,
        labels=filters.labels,
        inferred=tuple(inferred),
        assumed=() if request.as_of or day else ("as_of",),
    )
