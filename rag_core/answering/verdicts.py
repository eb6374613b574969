"""Rules -> the verdict for one place on one platform."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.answering.belonging import belonging, is_below, section_of
from rag_core.answering.evidence import Evidence, Rule
from rag_core.answering.places import Standing
from rag_core.answering.polarity import Effect
from rag_core.answers import Verdict
from rag_core.questions import Intent

_LIMITING_HEADING = re.compile(
    r"\b(?:restrict\w*|prohibit\w*|limit\w*|banned|not allowed|conditions?)\b", re.IGNORECASE
)
"""What stands under "Restricted content" is not simply allowed, whatever its first sentence says."""

_LEAVES_ROOM = re.compile(
    r"\b(?:unless|except\w*|apart\s+from|only|listed|otherwise|other\s+than|subject\s+to)\b", re.IGNORECASE
)
"""A general rule that says itself that there are others does not differ from them."""

_STRICTNESS = {Effect.ALLOWS: 0, Effect.RESTRICTS: 1, Effect.PROHIBITS: 2}
_VERDICTS = {Effect.ALLOWS: Verdict.ALLOWED, Effect.RESTRICTS: Verdict.RESTRICTED, Effect.PROHIBITS: Verdict.PROHIBITED}


@dataclass(frozen=True, slots=True)
class Decision:
    """`deciding` are the rules that the verdict is read from; `conditions` those that limit it; `conflicts` the
    rules of another document that say the opposite for the same place; `differing` the places whose own rule is
    another than the verdict (only where no place was asked); `overridden` the more general rules, for a wider place or
    a wider thing, that ban what these do not, or the other way round."""

    verdict: Verdict | None
    deciding: tuple[Rule, ...] = ()
    conditions: tuple[Rule, ...] = ()
    conflicts: tuple[Rule, ...] = ()
    differing: tuple[str, ...] = ()
    overridden: tuple[Rule, ...] = ()


def decide(evidence: Evidence, intent: Intent = Intent.PERMISSION) -> Decision:
    """The specific rule before the general one, then prohibited before restricted before allowed.

    Without a place asked the general rules decide, and never "allowed" while a place's own rule says otherwise.
    Evidence that leaves a word of the question open decides nothing; where that word only narrows what the rules are
    on, it bans and restricts, but never allows. Who asks what a word means asks for no verdict.
    """
    if intent is Intent.DEFINITION or not evidence.may_decide:
        return Decision(None)
    deciding = _most_specific([rule for rule in evidence.rules if _decides(rule)])
    conditions = [rule for rule in evidence.rules if _conditions(rule)]
    if not deciding:
        implied = [rule for rule in conditions if rule.reading.implies and not rule.bans_only]
        verdict = Verdict.RESTRICTED if implied else None
        limiting = belonging(conditions, implied[:1], verdict)
        return Decision(verdict, tuple(implied[:1]), limiting, (), _differing(evidence, None))
    if _is_unsafe(evidence, deciding):
        return Decision(None, (), tuple(conditions))
    strictest = max((rule.reading.effect for rule in deciding if rule.reading.effect), key=_STRICTNESS.__getitem__)
    effect = strictest
    if strictest is Effect.ALLOWS and _is_limited(evidence, deciding, conditions):
        effect = Effect.RESTRICTS
    differing = _differing(evidence, effect)
    if effect is Effect.ALLOWS and differing:
        effect = Effect.RESTRICTS
    agreeing = [rule for rule in deciding if rule.reading.effect is strictest]
    if effect is Effect.ALLOWS and any(rule.missing for rule in agreeing):
        return Decision(None, (), tuple(conditions))
    conflicts, overridden = _conflicts(deciding, agreeing), _overridden(evidence, deciding, agreeing)
    limiting = belonging(conditions, agreeing, _VERDICTS[effect])
    return Decision(_VERDICTS[effect], tuple(agreeing), limiting, conflicts, differing, overridden)


def _is_limited(evidence: Evidence, deciding: Sequence[Rule], conditions: Sequence[Rule]) -> bool:
    """Whether anything speaks against a plain "allowed": a condition on just this, a heading, or any rule of the
    same section or below it that demands or forbids something."""
    if any(rule.exactness >= deciding[0].exactness for rule in conditions):
        return True
    if any(_LIMITING_HEADING.search(rule.unit.headings) for rule in deciding):
        return True
    sections = {section_of(rule) for rule in deciding}
    return any(
        _demands_or_forbids(rule)
        and rule.reading.place.standing is Standing.HOLDS
        and is_below(section_of(rule), sections)
        for rule in evidence.around
    )


def _demands_or_forbids(rule: Rule) -> bool:
    reading = rule.reading
    about_it = reading.on_topic or reading.implies or reading.forbids_content
    return about_it and reading.effect in (Effect.RESTRICTS, Effect.PROHIBITS)


def _is_unsafe(evidence: Evidence, deciding: Sequence[Rule]) -> bool:
    """Whether the place's own rules ban something, and only a general rule would make it possible.

    Which part of what was asked the ban is on, the words do not tell: then the ban is shown, and no verdict.
    """
    special = deciding[0].reading.place.specificity
    possible = any(rule.reading.effect is not Effect.PROHIBITS for rule in deciding)
    return possible and any(
        rule.reading.effect is Effect.PROHIBITS
        and rule.reading.place.standing is Standing.HOLDS
        and rule.reading.place.specificity > special
        for rule in evidence.rules
    )


def _decides(rule: Rule) -> bool:
    if rule.bans_only and rule.reading.effect is not Effect.PROHIBITS:
        return False
    return rule.reading.on_topic and rule.reading.effect is not None


def _conditions(rule: Rule) -> bool:
    """Whether the rule limits what is otherwise possible: a demand, or a ban on a part of what was asked."""
    reading = rule.reading
    if reading.place.standing not in (Standing.HOLDS, Standing.EXCEPTED):
        return False
    if reading.effect is Effect.RESTRICTS:
        return True
    if reading.effect is not Effect.PROHIBITS or reading.on_topic:
        return False
    return rule.own_coverage > 0 or reading.place.specificity > 0


def _most_specific(rules: Sequence[Rule]) -> list[Rule]:
    """The rules nearest to the place, of them those on the very thing rather than on something wider; and a ban on the
    very thing everywhere, which no rule of a place on something wider lifts."""
    special = max((rule.reading.place.specificity for rule in rules), default=0)
    nearest = [rule for rule in rules if rule.reading.place.specificity == special]
    exact = max((rule.exactness for rule in nearest), default=0)
    bans = [rule for rule in rules if rule.exactness > exact and _bans_everywhere(rule)]
    return bans or [rule for rule in nearest if rule.exactness == exact]


def _bans_everywhere(rule: Rule) -> bool:
    """Whether it bans without leaving room for other rules."""
    return rule.reading.effect is Effect.PROHIBITS and not _LEAVES_ROOM.search(rule.unit.text)


def _conflicts(deciding: Sequence[Rule], agreeing: Sequence[Rule]) -> tuple[Rule, ...]:
    """Rules of other documents for the same place that do not ban what these ban, or the other way round."""
    documents = {rule.unit.passage.version.document_id for rule in agreeing}
    strict = agreeing[0].reading.effect is Effect.PROHIBITS
    return tuple(
        rule
        for rule in deciding
        if rule.unit.passage.version.document_id not in documents
        and (rule.reading.effect is Effect.PROHIBITS) != strict
    )


def _overridden(evidence: Evidence, deciding: Sequence[Rule], agreeing: Sequence[Rule]) -> tuple[Rule, ...]:
    strict = agreeing[0].reading.effect is Effect.PROHIBITS
    return tuple(
        rule
        for rule in evidence.rules
        if _decides(rule)
        and rule not in deciding
        and (rule.reading.effect is Effect.PROHIBITS) != strict
        and not _LEAVES_ROOM.search(rule.unit.text)
    )


def _differing(evidence: Evidence, effect: Effect | None) -> tuple[str, ...]:
    places: dict[str, None] = {}
    for rule in evidence.elsewhere:
        if _decides(rule) and rule.reading.effect is not effect:
            places.update(dict.fromkeys(sorted(rule.reading.place.places)))
    return tuple(places)
