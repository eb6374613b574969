"""A question's words told apart: platform, day, place, label, material, rule number, and what it is about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain

from rag_core.documents import ContentType, PolicySource
from rag_core.questions import AskRequest, DeclaredLabel, Intent, NoteKind, QueryTerm, Question, Scope, ScopeNote
from rag_core.understanding.cleaning import check_filters, without_orders
from rag_core.understanding.days import DayMention, find_day
from rag_core.understanding.intents import RULES, intent_of, speaks_of_ad_rules
from rag_core.understanding.languages import language_of
from rag_core.understanding.mentions import (
    LabelMention,
    MaterialMention,
    RuleMention,
    find_labels,
    find_materials,
    find_rule_number,
    labels_asked,
)
from rag_core.understanding.places import PlaceMention, find_places
from rag_core.understanding.platforms import SourceMention, find_sources
from rag_core.understanding.terms import TermMention, blank_out, find_terms, once_each
from rag_core.vocabulary import pattern

MAX_PLACES = 5
"""Places answered for at once; a question that names more gets the first ones, and is told which are left out."""

_SENTENCE = pattern("questions", "sentence")
"""Without such a word it is a bare topic, and asks whether that may be advertised."""
_MAY = pattern("questions", "may")
"""What asks for leave, if it is about goods: goods alone are talked about elsewhere, too."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A question with where its words stand. `terms` are those that are neither place, day, platform nor label; the
    words for a material are among them."""

    question: Question
    platforms: tuple[SourceMention, ...]
    day: DayMention | None
    places: tuple[PlaceMention, ...]
    materials: tuple[MaterialMention, ...]
    labels: tuple[LabelMention, ...]
    rule: RuleMention | None
    terms: tuple[TermMention, ...]

    @property
    def text(self) -> str:
        return self.question.text

    @property
    def subject(self) -> tuple[TermMention, ...]:
        """The terms that are not just words for a material."""
        spans = [(each.start, each.end) for each in self.materials]
        return tuple(each for each in self.terms if not any(s < each.end and each.start < e for s, e in spans))


def read(
    text: str, request: AskRequest, sources: Sequence[PolicySource], declared: Sequence[DeclaredLabel] = ()
) -> Reading:
    """`text` (cleaned) read for the asker of `request`, whose explicit filters win over the words.

    Raises Rejected for unknown filter values and an "as of" without a day.
    """
    asked = without_orders(text)
    day = find_day(asked, request.today)
    platforms = find_sources(asked, sources)
    remaining = blank_out(
        asked, [(each.start, each.end) for each in platforms] + ([(day.start, day.end)] if day else [])
    )
    labels = find_labels(remaining, declared)
    rule = find_rule_number(remaining)
    remaining = blank_out(
        remaining, [(each.start, each.end) for each in labels] + ([(rule.start, rule.end)] if rule else [])
    )
    places = find_places(remaining)
    day = _in_the_order_of(places, day)
    settled = [place for place in places if place.kind is not NoteKind.UNCLEAR_PLACE]
    terms = _topical(asked, find_terms(blank_out(remaining, [(place.start, place.end) for place in settled])))
    found = Reading(
        question=Question(text, Scope(request.today), Intent.INFORMATION, ()),
        platforms=tuple(platforms),
        day=day,
        places=places,
        materials=tuple(find_materials(remaining)),
        labels=tuple(labels),
        rule=rule,
        terms=tuple(terms),
    )
    return replace(found, question=_question(found, asked, request, sources, declared))


def _in_the_order_of(places: Sequence[PlaceMention], day: DayMention | None) -> DayMention | None:
    """A date in numbers that can be read in two ways: month first where the question is about the United States."""
    codes = set(chain.from_iterable(each.codes for each in places))
    if day is None or day.may_be is None or not codes or any(each.split("-")[0] != "us" for each in codes):
        return day
    if day.is_range:
        return replace(day, first=day.may_be)
    if day.first is None:
        return replace(day, day=day.may_be - timedelta(days=1))
    return replace(day, day=day.may_be, first=day.may_be)


def _topical(text: str, terms: Sequence[TermMention]) -> list[TermMention]:
    """Without the words that ask for changes or a comparison: no rule has them."""
    asks = intent_of(text) in (Intent.WHAT_CHANGED, Intent.COMPARISON)
    return [each for each in terms if not (asks and _OF_ASKING.fullmatch(each.term.text))]


_OF_REQUEST = pattern("questions", "of_request")
"""Words of asking for the rules as a whole: a question that has no others names no topic."""

_OF_ASKING = pattern("questions", "of_asking")


def _question(
    found: Reading,
    asked: str,
    request: AskRequest,
    sources: Sequence[PolicySource],
    declared: Sequence[DeclaredLabel],
) -> Question:
    """`asked`: the question without what must not be read."""
    about = bool(found.platforms) or speaks_of_ad_rules(asked)
    on_topic = about or any(each.is_of_the_trade for each in found.terms)
    intent = intent_of(asked)
    if not any(each.isalnum() for each in asked):
        intent = Intent.OUT_OF_SCOPE
    named = () if all(_OF_REQUEST.fullmatch(each.term.text) for each in found.terms) else once_each(found.terms)
    terms = named + ((QueryTerm(found.rule.number),) if found.rule else ())
    about_rules = about or bool(RULES.search(asked)) or intent in (Intent.HELP, Intent.LIST_SOURCES)
    return Question(
        text=found.text,
        scope=_scope(found, intent, request, sources, declared),
        intent=intent,
        terms=terms,
        about_advertising=about,
        rule_number=found.rule.number if found.rule else None,
        is_broad=not terms and about_rules and intent not in _NOT_BROAD,
        language=language_of(asked),
        speaks_of_rules=about
        or bool(found.rule or found.materials)
        or bool(RULES.search(asked))
        or not _SENTENCE.search(asked)
        or (on_topic and _MAY.search(asked) is not None),
    )


_NOT_BROAD = (Intent.SMALL_TALK, Intent.OUT_OF_SCOPE, Intent.WHAT_CHANGED)
"""What changed is a question without a topic, too."""


def _scope(
    found: Reading,
    intent: Intent,
    request: AskRequest,
    sources: Sequence[PolicySource],
    declared: Sequence[DeclaredLabel],
) -> Scope:
    filters, day = check_filters(request.filters, sources), found.day
    named = list(dict.fromkeys(chain.from_iterable(each.codes for each in found.places if _is_settled(each))))
    places = filters.regions or tuple(named)
    labels = labels_asked(found.text, found.labels, declared, filters.labels)
    slugs = tuple(dict.fromkeys(each.slug for each in found.platforms))
    types = tuple(dict.fromkeys(each.content_type for each in found.materials))
    inferred = {
        "as_of": request.as_of is None and day is not None,
        "regions": not filters.regions and bool(named),
        "policy_sources": not filters.policy_sources and bool(slugs),
        "content_types": not filters.content_types and bool(types),
        "labels": bool(found.labels) and bool(labels.chosen),
    }
    return Scope(
        as_of=request.as_of or (day.day if day else request.today),
        policy_sources=filters.policy_sources or slugs,
        regions=places[:MAX_PLACES],
        content_types=tuple(ContentType(value) for value in filters.content_types) or types,
        sections=filters.sections,
        labels={**labels.chosen, **filters.labels},
        inferred=tuple(name for name, is_so in inferred.items() if is_so),
        assumed=() if request.as_of or day else ("as_of",),
        notes=(*_notes(found, explicit_places=bool(filters.regions)), *labels.notes, *_left_out(places)),
        since=_since(day, intent),
        labels_excluded=labels.excluded,
    )


def _is_settled(mention: PlaceMention) -> bool:
    return mention.kind is not NoteKind.UNCLEAR_PLACE


def _since(day: DayMention | None, intent: Intent) -> date | None:
    """From when on changes are asked about: "since March"; "in March" only where changes are asked for."""
    if day is None or not (day.is_range or intent is Intent.WHAT_CHANGED):
        return None
    return day.first


def _notes(found: Reading, *, explicit_places: bool) -> tuple[ScopeNote, ...]:
    mentions: list[SourceMention | PlaceMention] = [*found.platforms]
    mentions += [] if explicit_places else found.places
    return tuple(note for each in mentions if (note := each.note(found.text)) is not None)


def _left_out(places: Sequence[str]) -> tuple[ScopeNote, ...]:
    more = tuple(places[MAX_PLACES:])
    return (ScopeNote(NoteKind.PLACES_LEFT_OUT, "", more),) if more else ()
