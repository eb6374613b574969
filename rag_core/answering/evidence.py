"""Is what was found enough to answer? Separate from composing, so that a better judge can take its place.

Three outcomes: rules that cover every content word of the question; the nearest rules with what they do not state;
nothing. A single score cannot tell a near-miss from an answer, so the words decide.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rag_core.answering.amounts import (
    Amount,
    Fit,
    amount_in,
    fit,
    of_drinks,
    permits_only_others,
    usual_strength,
    without_amount,
)
from rag_core.answering.coverage import covered, covers, names, says
from rag_core.answering.facts import numbers_in
from rag_core.answering.places import Standing, refers_to_list
from rag_core.answering.polarity import Effect
from rag_core.answering.readings import Reading, read_unit
from rag_core.answering.subjects import is_narrowed
from rag_core.answering.units import Unit, UnitKind, units_of
from rag_core.answering.weighing import Weights, share, weights_of
from rag_core.questions import Intent, QueryTerm, Question
from rag_core.regions import GLOBAL, country_of, seen_from
from rag_core.retrieval.found import Found
from rag_core.understanding.phrases import Role, asks_for_a_detail, asks_for_a_number, country_named, roles_of

_DEFINES = re.compile(
    r"^[^.:]{0,80}(?:\bmeans?\b|\brefers?\s+to\b|\b(?:is|are)\s+an?\b|:|\bcounts?\s+as\b)", re.IGNORECASE
)

NEAR = 0.5
"""Weighted share of the question's content words that the nearest rule must cover to be shown at all."""

LENIENCE = 0.6
"""Weight of what a rule may leave unsaid of a question and still decide, unless a setting says another. 0 asks for
every word; below 1 only what narrows the thing asked about, and circumstances, may be missing; from 2 on the thing
itself. Never more than "restricted" comes of less than all."""

FAR = 0.32
"""Cosine from which a passage is shown as the nearest, though it has few words of the question."""

_HARDLY_A_WORD = 0.05
"""Coverage below which a rule says nothing of the thing that is asked about."""

_RULE_NUMBER = re.compile(r"(?:^|(?<=[.:;]\s))\d+(?:\.\d+)*\.?\s+(?=[A-Z])")
_NAME = re.compile(r"[A-Z][a-z]{3,}")
"""Inside of a question; letters alone (FSK) may be of something that a rule says in full."""

_NARROWED = 0.3
_WHETHER = (Intent.PERMISSION, Intent.COMPARISON)
_WORDS_OF_A_SENTENCE = 8
_AKIN = 0.4
"""Cosine from which all-MiniLM-L6-v2 sees a likeness of topic."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with how it fits: `coverage` and `own_coverage` in [0, 1] are the weighted shares of content words that
    it covers with and without its headings; `missing` the words it does not cover; `relevance` orders rules;
    `exactness` counts the words that it names itself, not only by something wider. `bans_only`: it leaves the form of
    the thing open ("gummies"), which may be just what a permission is about. `narrowed`: it is for a case that was not
    asked about ("For lead ads:"). `outside`: it is for other amounts than the one asked about.
    """

    reading: Reading
    coverage: float
    own_coverage: float
    missing: tuple[QueryTerm, ...]
    relevance: float
    exactness: int
    bans_only: bool = False
    narrowed: bool = False
    outside: bool = False

    @property
    def unit(self) -> Unit:
        return self.reading.unit


@dataclass(frozen=True, slots=True)
class Evidence:
    """Rules for one place on one platform, most relevant first. `elsewhere`: rules for single places
    where none was asked.

    `not_stated` is empty when `rules` cover the whole question; `bears_on_all`: what they lack of it, if anything, only
    narrows what they are on, so that a verdict may be read from them that is no plain "allowed". `around`: every rule
    that was read, to see what stands beside the ones that decide. `place_speaks`: the place has rules of its own near
    to the question. `is_far`: the rules are only on something like it.
    """

    rules: tuple[Rule, ...]
    elsewhere: tuple[Rule, ...]
    not_stated: tuple[str, ...]
    around: tuple[Rule, ...] = ()
    place_speaks: bool = False
    bears_on_all: bool = False
    is_far: bool = False

    @property
    def may_decide(self) -> bool:
        return self.is_complete or (self.bears_on_all and bool(self.rules or self.elsewhere))

    @property
    def is_complete(self) -> bool:
        return not self.not_stated and bool(self.rules or self.elsewhere)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question in one place: `terms`, with their `roles`, without what only says the `amount`."""

    question: Question
    place: str | None
    terms: tuple[QueryTerm, ...]
    amount: Amount | None
    roles: Mapping[QueryTerm, Role]


def judge(question: Question, place: str | None, results: Sequence[Found], lenience: float = LENIENCE) -> Evidence:
    """The rules among `results` that bear on `question` in `place`."""
    amount = of_drinks(amount_in(question.search_text), question) or usual_strength(question)
    terms = without_amount(_without_people(question), amount)
    asked = _Asked(question, place, terms, amount, roles_of(question.search_text, terms))
    weights = weights_of(asked.roles, results)
    rules = [rule for found in results for rule in _rules(asked, weights, found)]
    outside = [rule for rule in rules if rule.outside]
    rules = _closed([rule for rule in rules if not rule.outside and not _is_fragment(rule)], place)
    best = max((rule.coverage for rule in rules), default=0.0)
    if best < NEAR or not question.terms:
        return _far(asked, rules, results)
    spared = lenience if asks_whether(question) else 0.0
    enough = 1.0 - spared / sum(weights.values())
    near = [rule for rule in rules if rule.coverage >= min(best, enough) - 1e-9]
    if any(not rule.missing for rule in near):  # a rule that names the form of the thing goes before one that does not
        near = [rule for rule in near if not rule.bans_only]
    here = [rule for rule in near if rule.reading.place.standing is not Standing.ELSEWHERE]
    elsewhere = [rule for rule in near if rule.reading.place.standing is Standing.ELSEWHERE]
    if not here and place is not None:
        return Evidence((), (), tuple(term.text for term in question.terms))
    shown = here or elsewhere
    missing = tuple(term.text for term in min((rule.missing for rule in shown), key=len, default=()))
    unbounded = (amount.text,) if amount and amount.text and not _is_answered(amount, shown, outside) else ()
    silent = _lacks_a_number(question.search_text, shown)
    elsewhere = [] if place else elsewhere
    return Evidence(
        rules=_ordered(here),
        elsewhere=_ordered(elsewhere),
        not_stated=tuple(dict.fromkeys((*missing, *silent, *unbounded))),
        around=tuple(rules),
        place_speaks=any(found.cosine is None or found.cosine >= _AKIN for found in results if _is_own(found, place)),
        bears_on_all=best >= enough - 1e-9 and not silent and not (unbounded and _speak_of(amount, [*rules, *outside])),
    )


def _far(asked: _Asked, rules: Sequence[Rule], results: Sequence[Found]) -> Evidence:
    """The rules of the passage that is likest to a question whose words they do not say: to be shown, not to decide."""
    named = tuple(term.text for term in asked.terms)
    like = [found for found in results if found.cosine is not None and found.cosine >= FAR]
    if not asked.terms or not like or _is_of_an_unknown_name(asked, results):
        return Evidence((), (), named)
    first = max(like, key=lambda found: found.score).passage.chunk.chunk_id
    shown = [
        rule
        for rule in rules
        if rule.unit.passage.chunk.chunk_id == first and rule.reading.place.standing is not Standing.ELSEWHERE
    ]
    if _is_like_the_place_alone(asked, shown):
        return Evidence((), (), named)
    missing = min((rule.missing for rule in shown), key=len, default=asked.terms)
    return Evidence(
        _ordered(shown), (), tuple(term.text for term in missing) or named, around=tuple(rules), is_far=True
    )


def _is_like_the_place_alone(asked: _Asked, shown: Sequence[Rule]) -> bool:
    """Whether the place is all that they have in common with the question: a "yes" to betting ads in Ireland is nothing
    to show to somebody who asks about cars in Ireland."""
    is_on_the_place = asked.place is not None and any(rule.reading.place.specificity > 0 for rule in shown)
    return is_on_the_place and all(rule.coverage < _HARDLY_A_WORD for rule in shown)


def _is_of_an_unknown_name(asked: _Asked, results: Sequence[Found]) -> bool:
    """Whether a detail is asked for of something with a name that nothing found has: no other rule tells of it."""
    if asks_whether(asked.question):
        return False
    text = asked.question.search_text
    named = [
        term
        for term in asked.terms
        if _NAME.fullmatch(term.text) and text.find(term.text) > 0 and not (term.synonyms or term.broader)
    ]
    texts = [f"{found.passage.version.title}\n{found.passage.chunk.search_text}" for found in results]
    return any(not any(covers(each, term) for each in texts) for term in named)


def _without_people(question: Question) -> tuple[QueryTerm, ...]:
    """The terms without the people of a place that is asked about: "Indians in India" are India."""
    asked = {country_of(code) for code in question.scope.regions}
    terms = tuple(each for each in question.terms if country_named(each.text) not in asked)
    return terms or question.terms


def asks_whether(question: Question) -> bool:
    """Whether a yes or no is wanted. Who asks how long or which licence must be told that, or that it is not said."""
    return question.intent in _WHETHER and not asks_for_a_detail(question.search_text)


def _is_answered(amount: Amount, shown: Sequence[Rule], outside: Sequence[Rule]) -> bool:
    """Whether a rule for the place names bounds: a ban on other amounts leaves this one free."""
    special = max((rule.reading.place.specificity for rule in shown), default=0)
    if any(
        _permits(rule.reading) and not rule.missing and rule.reading.place.specificity > special for rule in outside
    ):
        return False
    bounded = [*outside, *(rule for rule in shown if QueryTerm(amount.text) not in rule.missing)]
    return any(rule.reading.effect and rule.reading.place.specificity >= special for rule in bounded)


def _speak_of(amount: Amount | None, rules: Sequence[Rule]) -> bool:
    """Whether any bounds of that kind hold here: where none do, the amount only narrows what is asked about."""
    here = [rule for rule in rules if rule.reading.place.standing is not Standing.ELSEWHERE]
    return amount is not None and any(fit(rule.unit.text, amount) for rule in here)


def _permits(reading: Reading) -> bool:
    """Whether it makes the thing possible, however narrow; a demand on how an ad must be supposes it only."""
    possible = reading.effect in (Effect.ALLOWS, Effect.RESTRICTS) and reading.place.standing is Standing.HOLDS
    return possible and not (reading.implies or reading.forbids_content)


def _lacks_a_number(text: str, rules: Sequence[Rule]) -> tuple[str, ...]:
    """The words that ask for a number, where none of the rules has one."""
    asking = asks_for_a_number(text)
    if asking is None or any(numbers_in(_RULE_NUMBER.sub("", rule.unit.text)) for rule in rules):
        return ()
    return (asking,)


def _is_fragment(rule: Rule) -> bool:
    """Whether it is a bare list item whose lead-in is not known: it could mean the opposite of what it seems to."""
    unit = rule.unit
    bare = unit.kind is UnitKind.ITEM and not unit.lead and rule.reading.effect is None
    return bare and len(unit.text.split()) < _WORDS_OF_A_SENTENCE


def _is_own(found: Found, place: str | None) -> bool:
    """Whether a passage is a rule of the place itself, or of a union it belongs to."""
    return place is not None and bool(set(found.passage.chunk.regions) & (seen_from(place) - {GLOBAL}))


def _closed(rules: list[Rule], place: str | None) -> list[Rule]:
    """`rules` with those that allow only listed places read as a no, where no list of that document has `place`."""
    listing = {
        rule.unit.passage.chunk.doc_id
        for rule in rules
        if rule.reading.place.specificity > 0 and rule.reading.place.standing is Standing.HOLDS
    }
    return [
        replace(rule, reading=rule.reading.left_out())
        if place and refers_to_list(rule.unit) and rule.unit.passage.chunk.doc_id not in listing
        else rule
        for rule in rules
    ]


def _rules(asked: _Asked, weights: Weights, found: Found) -> Iterator[Rule]:
    units = units_of(found.passage)
    if not units:
        return
    headings = units[0].headings
    said_above = frozenset(covered(headings, asked.terms))
    said_amount = asked.amount.text if asked.amount else ""
    named_above = frozenset(term for term in asked.terms if names(headings, term))
    for unit in units:
        # A whole list speaks of what its lead-in speaks of; what its items speak of, they say themselves.
        own = " ".join(quote.text for quote in unit.lead) if unit.kind is UnitKind.LIST else unit.text
        said = frozenset(covered(own, asked.terms))
        how = fit(own, asked.amount) if asked.amount else None
        reading = read_unit(unit, asked.terms, asked.place)
        if how is Fit.INSIDE and reading.effect is Effect.PROHIBITS and len(said | said_above) == len(asked.terms):
            reading = replace(reading, on_topic=True)
        ends_before = len(said | said_above) == len(asked.terms) and _ends_before(reading, asked.amount)
        if ends_before:
            reading = replace(reading, effect=Effect.PROHIBITS, on_topic=True)
        if narrowed := is_narrowed([quote.text for quote in unit.lead], asked.terms):
            reading = replace(reading, on_topic=False, implies=False)
        relevance = (
            0.5 * found.score
            - narrowed * _NARROWED
            + 0.3 * share(said, weights)
            + 0.2 * _fits(asked.question.intent, reading)
        )
        missing = tuple(term for term in asked.terms if not _is_said(term, f"{headings}\n{own}", said | said_above))
        yield Rule(
            reading,
            coverage=share(said | said_above, weights),
            own_coverage=share(said, weights),
            missing=missing if how or not said_amount else (*missing, QueryTerm(said_amount)),
            relevance=relevance + (0.1 * reading.place.specificity if asked.place else 0.0),
            exactness=len(named_above | {term for term in said if names(own, term)})
            + (how is Fit.INSIDE or ends_before),
            bans_only=any(asked.roles[term] is Role.FORM for term in missing),
            narrowed=narrowed,
            outside=how is Fit.OUTSIDE and bool(said_amount) and not ends_before,
        )


def _ends_before(reading: Reading, amount: Amount | None) -> bool:
    """Whether it permits the thing asked about, but not so much of it."""
    if amount is None or not _permits(reading):
        return False
    unit = reading.unit
    text = unit.body[0].text
    return permits_only_others(text, amount, cells=unit.kind is UnitKind.ROW)


def _is_said(term: QueryTerm, text: str, found: Collection[QueryTerm]) -> bool:
    """Whether it is among what was found in `text`, and not only by a phrase that is akin to it."""
    return term in found and (not term.akin or says(text, term))


def _fits(intent: Intent, reading: Reading) -> float:
    """How well the kind of rule fits the kind of question, in [0, 1]."""
    if intent is Intent.PERMISSION:
        if reading.effect is None:
            return 0.0
        return 1.0 if reading.on_topic else 0.5
    if intent is Intent.REQUIREMENT:
        return 1.0 if reading.effect is Effect.RESTRICTS else 0.3
    if intent is Intent.DEFINITION:
        return 1.0 if _DEFINES.search(reading.unit.text) else 0.0
    return 0.5


def _ordered(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=_order))


def _order(rule: Rule) -> tuple[float, str, int]:
    chunk = rule.unit.passage.chunk
    return -round(rule.relevance, 6), chunk.doc_id, chunk.char_start + rule.unit.body[0].start
