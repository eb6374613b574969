"""A rule, read for a question and a place: what it does, to all of what was asked or to a part of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag_core.answering.cells import row_effect
from rag_core.answering.coverage import covered, names
from rag_core.answering.faq import answer_of
from rag_core.answering.lead_ins import LeadIn, lead_in_of
from rag_core.answering.off_limits import is_off_limits
from rag_core.answering.places import PlaceReading, Standing, read_place
from rag_core.answering.polarity import Clause, Effect, clauses_of, split_exception
from rag_core.answering.subjects import has_content, is_on_topic
from rag_core.answering.units import Unit, UnitKind
from rag_core.questions import QueryTerm

_CONDITION = re.compile(
    r"[,(]?\s+(?:if|when|where|provided|providing|only|unless|except\w*|as\s+long\s+as|so\s+long\s+as|subject\s+to|for\s+people\s+aged)\b.*$",
    re.IGNORECASE,
)

_TELLS_TO_PROMOTE = re.compile(
    r"^\W*(?:advertise|promote|market|sell|offer|run\s+(?:ads|adverts|campaigns)\s+for)\s+(?=\w)", re.IGNORECASE
)
_MANY_WORDS = 3

_GOES_ON = re.compile(
    r"^\W*(?:this|that|it|the\s+(?:same|ban|prohibition|rule))\s+(?:also\s+)?(?:includes?|covers?|extends?\s+to|applies\s+to|goes\s+for|is\s+true\s+(?:of|for))\b"
    r"(?P<what>.*)",
    re.IGNORECASE,
)
"""A sentence that carries the rule before it on to something else: "This includes kites of paper"."""

_STATES_A_CASE = re.compile(r"\b(?:is|are|was|were|has|have|does|do|can|may|must|will)\b", re.IGNORECASE)
"""An exception with a verb names a case of the thing ("unless the kite is red"), not another thing."""

_IN_DOING = re.compile(r"\bwithout\s+(?P<how>(?:\w+ly\s+)?(?P<doing>\w+ing)\s+(?=\w))", re.IGNORECASE)
"""How something must be done ("without glorifying kites"), and no kind of the thing that is left out."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`effect` None: the rule says nothing about permission. `on_topic`: it is about all of what was asked, so it can
    decide a verdict; else it can only condition one. `implies`: it says what such an ad must have, so that it supposes
    the ad to be possible. `forbids_content`: what such an ad must not show or do."""

    unit: Unit
    effect: Effect | None
    on_topic: bool
    place: PlaceReading
    implies: bool = False
    forbids_content: bool = False

    def left_out(self) -> "Reading":
        """The same rule where a list that it refers to does not name the place asked."""
        if self.effect in (None, Effect.PROHIBITS):
            return self
        place = replace(self.place, standing=Standing.LEFT_OUT)
        return replace(self, effect=Effect.PROHIBITS, place=place)


def read_unit(unit: Unit, terms: Sequence[QueryTerm], place: str | None) -> Reading:
    """What `unit` says about `terms` in `place`: its clause that is on topic, else its first."""
    standing = read_place(unit, place)
    if unit.kind is UnitKind.ROW:
        effect = row_effect(unit, terms, place)
        own = len(covered(unit.text, terms)) == len(terms)
        about_it = (own and not _is_of_a_kind(unit, terms)) or (not own and _speaks_for_its_section(unit, terms))
        return Reading(unit, effect, effect is not None and about_it, standing)
    if unit.kind is not UnitKind.LIST and is_off_limits(unit, terms, place):
        about_it = len(covered(f"{unit.headings} {unit.text}", terms)) == len(terms)
        return Reading(unit, Effect.PROHIBITS, about_it, standing)
    readings = [_read_clause(unit, clause, terms, standing) for clause in _clauses(unit)]
    decisive = [reading for reading in readings if reading.on_topic]
    effects = {reading.effect for reading in decisive}
    if unit.kind is UnitKind.SENTENCE and Effect.PROHIBITS in effects and len(effects) > 1:
        return replace(decisive[0], effect=Effect.RESTRICTS)  # a ban and, behind it, its exception
    return next(iter(decisive or readings), Reading(unit, None, on_topic=False, place=standing))


def _speaks_for_its_section(unit: Unit, terms: Sequence[QueryTerm]) -> bool:
    """Whether a row that does not name what was asked is on all that its section is on: "Peru | Yes" below "Kites" is,
    "Box kites | Peru | Yes" is on box kites."""
    thing = unit.body[0].text.split(" | ")[0]
    return is_on_topic("", unit.headings, terms) and (not has_content(thing) or bool(covered(thing, terms)))


def _is_of_a_kind(unit: Unit, terms: Sequence[QueryTerm]) -> bool:
    """Whether a row is on another kind of the wide thing that one of the terms is a kind of: "Box kites" where stunt
    kites were asked about."""
    thing = unit.body[0].text.split(" | ")[0]
    wide = [term for term in covered(thing, terms) if not names(thing, term)]
    return bool(wide) and not is_on_topic(thing, "", terms)


def _read_clause(unit: Unit, clause: Clause, terms: Sequence[QueryTerm], standing: PlaceReading) -> Reading:
    if (clause.negative and _forbids_just_that(unit, clause, terms)) or _bans_all_of_it(unit, clause, terms):
        return Reading(unit, _effect_here(Effect.PROHIBITS, standing.standing), on_topic=True, place=standing)
    about_it = is_on_topic(_subject(unit, clause), unit.headings, terms)
    effect = _effect_here(clause.effect, standing.standing)
    if clause.about_content:
        demands = about_it and not clause.negative
        return Reading(unit, effect, False, standing, implies=demands, forbids_content=clause.negative)
    if _is_excepted(clause, terms) and not _is_a_manner(unit.text, clause, terms):
        return Reading(unit, _lifted(effect), on_topic=True, place=standing)
    return Reading(unit, effect, about_it, standing)


def _subject(unit: Unit, clause: Clause) -> str:
    """The clause's subject; of a sentence on "they", the subject of the sentence before."""
    if not unit.lead or has_content(clause.subject) or unit.kind is UnitKind.ITEM:
        return clause.subject
    before = [each.subject for quote in unit.lead for each in clauses_of(quote.text) if has_content(each.subject)]
    return before[-1] if before else unit.lead[-1].text


def _forbids_just_that(unit: Unit, clause: Clause, terms: Sequence[QueryTerm]) -> bool:
    """ "Alcohol ads must not target minors", asked about alcohol and minors, is a ban on just what was asked.

    So is an item that is nothing else: "A form must not ask for: names of pets", asked about a form and pets' names.
    Something of what was asked must be in what is forbidden: asked about alcohol alone, neither says so.
    """
    if len(terms) < 2:
        return False
    body = unit.body[0].text
    forbidden = body.replace(clause.subject.strip(), " ", 1)
    if not set(covered(forbidden, terms)) - set(covered(clause.subject, terms)):
        return False
    if unit.kind is UnitKind.ITEM and len(covered(unit.text, terms)) == len(terms):
        return is_on_topic(body, "", terms)
    whole = covered(f"{unit.headings} {unit.text}", terms)
    return len(whole) == len(terms) and 2 * len(covered(body, terms)) > len(terms)


def _bans_all_of_it(unit: Unit, clause: Clause, terms: Sequence[QueryTerm]) -> bool:
    """Whether it is a ban whose own sentence names everything of a question in many words: however much it says
    beside that, it is about just that."""
    many = len(terms) >= _MANY_WORDS and clause.effect is Effect.PROHIBITS and not clause.exception
    return many and len(covered(unit.body[0].text, terms)) == len(terms)


def _is_excepted(clause: Clause, terms: Sequence[QueryTerm]) -> bool:
    """Whether what was asked is the very thing that the clause excepts."""
    if not clause.exception or not terms or _STATES_A_CASE.search(clause.exception):
        return False
    return all(names(clause.exception, term) for term in terms)


def _is_a_manner(text: str, clause: Clause, terms: Sequence[QueryTerm]) -> bool:
    """Whether what stands as the exception says how to do it: asked about betting, "without betting" is none."""
    return any(
        text.startswith(clause.exception, match.start("how")) and not covered(match["doing"], terms)
        for match in _IN_DOING.finditer(text)
    )


def _effect_here(effect: Effect, standing: Standing) -> Effect:
    if standing is Standing.LEFT_OUT:
        # Allowed only elsewhere is a no here; forbidden only elsewhere says nothing good about here either.
        return Effect.PROHIBITS if effect is not Effect.PROHIBITS else Effect.RESTRICTS
    return _lifted(effect) if standing is Standing.EXCEPTED else effect


def _lifted(effect: Effect) -> Effect:
    """What an exception makes of a rule: out of a ban, something possible under conditions that nobody stated; out
    of a permission, a ban."""
    return Effect.RESTRICTS if effect is Effect.PROHIBITS else Effect.PROHIBITS


def _clauses(unit: Unit) -> Iterator[Clause]:
    if (answered := answer_of(unit)) is not None:
        yield answered
        return
    if unit.kind is UnitKind.SENTENCE:
        before = [clause for quote in unit.lead for clause in clauses_of(quote.text)]
        for quote in unit.body:
            own = clauses_of(quote.text)
            if not own and before and (carried := _GOES_ON.match(quote.text)):
                own = (replace(before[-1], subject=carried["what"], exception=""),)
            yield from own
            before = [*before, *own]
        return
    leading = lead_in_of(unit)
    if unit.kind is UnitKind.LIST:
        if leading.clause is not None and not leading.examples and not leading.enumerates:
            yield leading.clause
        return
    yield from _item_clauses(unit.body[0].text, leading)


def _item_clauses(item: str, leading: LeadIn) -> Iterator[Clause]:
    own = clauses_of(item)
    clause = leading.clause
    if clause is None:
        yield from own
    elif leading.of_heading and clause.effect is Effect.ALLOWS:
        yield from own or [_listed(Effect.ALLOWS, item)]
    elif leading.of_heading and clause.about_content:
        yield from own or [_not_to_do(item)]
    elif leading.of_heading and own:
        # What stands below "Prohibited toys" is never simply allowed.
        yield from (replace(each, effect=Effect.RESTRICTS) if each.effect is Effect.ALLOWS else each for each in own)
    elif leading.examples and not clause.about_content:
        yield Clause(clause.effect, item)
    elif clause.about_content or not leading.enumerates:
        # "Allowed with these restrictions: ... Direct sale is not permitted." bans what it names.
        yield from (each for each in own if each.effect is Effect.PROHIBITS)
        yield Clause(Effect.RESTRICTS, clause.subject, about_content=True, negative=clause.negative)
    else:
        permissions = [each for each in own if not each.about_content]
        yield from permissions or [_listed(clause.effect, item)]


def _not_to_do(item: str) -> Clause:
    """An item below "Don't": "Advertise kites" bans kites, "Show kites" is a rule on how an ad must be."""
    if told := _TELLS_TO_PROMOTE.match(item):
        main, excepted = split_exception(item[told.end() :])
        return Clause(Effect.PROHIBITS, main, exception=excepted)
    return Clause(Effect.RESTRICTS, "", about_content=True, negative=True)


def _listed(effect: Effect, item: str) -> Clause:
    """An item that is allowed, but "if the buyer is an adult", is allowed with a condition."""
    thing = _CONDITION.sub("", item)
    if effect is Effect.PROHIBITS or thing == item or not thing.strip():
        return Clause(effect, item)
    return Clause(Effect.RESTRICTS, thing)
