"""A rule, read for a question and a place: what it does, to all of what was asked or to a part of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.answering.cells import row_effect
from rag_core.answering.coverage import covered
from rag_core.answering.places import PlaceReading, Standing, read_place
from rag_core.answering.polarity import Clause, Effect, clauses_of
from rag_core.answering.subjects import is_on_topic
from rag_core.answering.units import Unit, UnitKind
from rag_core.questions import QueryTerm

_ENUMERATES = re.compile(
    r"\b(?:following|these|below|listed)\b|\bfor\W*$|\bof\W*$|\b(?:promot\w+|advertis\w+)\W*$", re.I
)


@dataclass(frozen=True, slots=True)
class Reading:
    """`effect` None: the rule says nothing about permission. `on_topic`: it is about all of what was asked, so it can
    decide a verdict; else it can only condition one. `implies`: it says what such an ad must have, so that it supposes
    the ad to be possible."""

    unit: Unit
    effect: Effect | None
    on_topic: bool
    place: PlaceReading
    implies: bool = False


def read_unit(unit: Unit, terms: Sequence[QueryTerm], place: str | None) -> Reading:
    """What `unit` says about `terms` in `place`."""
    standing = read_place(unit, place)
    if unit.kind is UnitKind.ROW:
        effect = row_effect(unit, terms)
        return Reading(unit, effect, effect is not None, standing)
    clause = _clause_of(unit)
    if clause is None:
        return Reading(unit, None, on_topic=False, place=standing)
    if clause.negative and len(terms) > 1 and len(covered(unit.text, terms)) == len(terms):
        # "Alcohol ads must not target minors", asked about alcohol and minors: a ban on just what was asked.
        return Reading(unit, _effect_here(Effect.PROHIBITS, standing.standing), on_topic=True, place=standing)
    effect = _effect_here(clause.effect, standing.standing)
    about_it = is_on_topic(clause.subject, unit.headings, terms)
    if clause.about_content:
        return Reading(unit, effect, on_topic=False, place=standing, implies=about_it and not clause.negative)
    return Reading(unit, effect, about_it, standing)


def _effect_here(effect: Effect, standing: Standing) -> Effect:
    if standing is Standing.LEFT_OUT:
        # Allowed only elsewhere is a no here; forbidden only elsewhere says nothing good about here either.
        return Effect.PROHIBITS if effect is not Effect.PROHIBITS else Effect.RESTRICTS
    if standing is Standing.EXCEPTED:
        # An exception from a ban lifts it here, under conditions nobody stated; one from a permission takes it away.
        return Effect.RESTRICTS if effect is Effect.PROHIBITS else Effect.PROHIBITS
    return effect


def _clause_of(unit: Unit) -> Clause | None:
    lead = " ".join(quote.text for quote in unit.lead)
    if unit.kind is UnitKind.SENTENCE:
        return next(clauses_of(unit.text), None)
    leading = next(clauses_of(lead), None) if lead else None
    if unit.kind is UnitKind.LIST:
        return leading
    item = unit.body[0].text
    own = next(clauses_of(item), None)
    if leading is None:
        return own
    if leading.about_content or not _enumerates(leading, lead):
        return Clause(Effect.RESTRICTS, leading.subject, about_content=True, negative=leading.negative)
    if own is not None and not own.about_content:
        return own
    return Clause(leading.effect, item, exception=own.exception if own else "")


def _enumerates(leading: Clause, lead: str) -> bool:
    """Whether the items are the things that the lead-in speaks of ("We do not allow ads for:")."""
    return bool(_ENUMERATES.search(lead)) and "condition" not in lead.lower()
