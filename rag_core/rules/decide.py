"""Judged rules -> the verdict for one place on one platform. Deterministic, and all of it on this page.

1. Only rules that hold in the place count; one that allows other places only (a closed list) bans the asked one.
2. What decides is likely enough to decide the question. The place's own rules go before general ones.
3. Of what rules surely say, prohibited goes before restricted before allowed. Else the verdict is the likeliest by a
   logistic regression on how much they ban, limit, demand and allow, where it is likely enough. "allowed" falls to
   "restricted" where a condition is likely, a rule leaves this place out, or has a clause more that allows nothing.
4. A rule that names the asked place, bans the thing and is as likely to decide forbids anything looser. Beside
   "allowed" an unlikely ban already leaves no verdict: both are quoted.
5. Without a place asked the general rules decide, and never "allowed" while a place's own rule says otherwise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.answers import Verdict
from rag_core.rules.cues import opinion_of
from rag_core.rules.judging import JudgedRule, Thresholds, thresholds
from rag_core.rules.places import Standing
from rag_core.rules.reader import Effect, RuleText
from rag_core.rules.rule import Rule
from rag_core.rules.structure import RuleKind

STRICTNESS = {Verdict.ALLOWED: 0, Verdict.RESTRICTED: 1, Verdict.PROHIBITED: 2}
_SUPPORT = {
    Verdict.PROHIBITED: (Effect.PROHIBITS,),
    Verdict.RESTRICTED: (Effect.LIMITS, Effect.REQUIRES),
    Verdict.ALLOWED: (Effect.ALLOWS,),
}
OUTCOMES: tuple[Verdict | None, ...] = (*_SUPPORT, None)
"""The order of the rows in `Thresholds.weights`."""

_SPEAKING = (Effect.PROHIBITS, Effect.LIMITS, Effect.REQUIRES, Effect.ALLOWS)


@dataclass(frozen=True, slots=True)
class Decision:
    """`deciding`: the rules that the verdict is read from, or that state what was asked; `conditions`: those that limit
    it; `conflicts`: of another document, the opposite for the same place; `overridden`: more general ones that say
    otherwise; `differing`: places whose own rule is another (only where no place was asked)."""

    verdict: Verdict | None
    deciding: tuple[JudgedRule, ...] = ()
    conditions: tuple[JudgedRule, ...] = ()
    conflicts: tuple[JudgedRule, ...] = ()
    overridden: tuple[JudgedRule, ...] = ()
    differing: tuple[str, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether the question is answered, with a verdict or by what a rule states."""
        return bool(self.deciding)


def decide(
    rules: Sequence[JudgedRule], place: str | None, *, asks_permission: bool, limits: Thresholds | None = None
) -> Decision:
    """The decision for `place` (None: none asked). Who asks for no permission gets no verdict: what is stated."""
    limits = limits or thresholds()
    here = _holding(rules)
    likely = [each for each in here if each.decides >= limits.decides]
    if not asks_permission:
        stating = [each for each in likely if each.decides >= limits.states]
        near = likeliest(most_specific(stating), limits)
        stating = [*near, *(each for each in likeliest(stating, limits) if each not in near)]
        own = _differing(rules, likeliest_verdict(stating, limits), limits) if place is None else ()
        return Decision(None, tuple(stating), differing=own)
    deciding = decisive(rules, limits)
    stated = verdict = likeliest_verdict(deciding, limits)
    conditions = [each for each in here if each.conditions >= limits.conditioned and each not in deciding]
    conditions += [
        each for each in rules if each.place.standing is Standing.EXCEPTED and each.elsewhere >= limits.decides
    ]
    if verdict is Verdict.ALLOWED and (
        any(each.effect is not Effect.ALLOWS for each in conditions)
        or any(_says_more(each.rule, place) for each in deciding if each.effect is Effect.ALLOWS)
    ):
        verdict = Verdict.RESTRICTED
    bans = _bans_here(likeliest(likely, limits), limits) if place is not None else []
    if bans and verdict not in (None, Verdict.PROHIBITED):
        stated, verdict, deciding = Verdict.PROHIBITED, Verdict.PROHIBITED, bans
    if verdict is Verdict.ALLOWED and any(each.support(Effect.PROHIBITS) >= limits.forbids for each in likely):
        stated = verdict = None
    differing = _differing(rules, verdict, limits) if place is None else ()
    if verdict is Verdict.ALLOWED and differing:
        verdict = Verdict.RESTRICTED
    if stated is None or verdict is None:
        return Decision(None, (), tuple(conditions), differing=differing)
    agreeing = likeliest(_agreeing(deciding, stated, verdict), limits)
    if verdict is Verdict.RESTRICTED:
        conditions += [each for each in here if _restricts_beside(each, agreeing, limits) and each not in conditions]
    others = [each for each in likely if each not in agreeing and _opposes(each, verdict, limits)]
    documents = {each.rule.passage.version.document_id for each in agreeing}
    level = agreeing[0].place.specificity
    return Decision(
        verdict,
        tuple(agreeing),
        tuple(each for each in conditions if each not in agreeing),
        tuple(
            each
            for each in others
            if each.place.specificity == level and each.rule.passage.version.document_id not in documents
        ),
        tuple(each for each in others if each.place.specificity < level),
        differing,
    )


def _says_more(rule: Rule, place: str | None) -> bool:
    """Whether a clause behind a semicolon allows nothing by its words: "accepted; health claims get an ad pulled"."""
    if rule.kind is RuleKind.ROW:
        return False
    _, *more = rule.as_read(place).body.split(";")
    return any(opinion_of(RuleText((), "", each)).effect is not Effect.ALLOWS for each in more if each.strip(" ."))


def decisive(rules: Sequence[JudgedRule], limits: Thresholds) -> list[JudgedRule]:
    """What a verdict is read from: likely enough to decide, and nearest to the place."""
    return most_specific([each for each in _holding(rules) if each.decides >= limits.decides])


def _holding(rules: Sequence[JudgedRule]) -> list[JudgedRule]:
    return [each for each in rules if each.place.standing in (Standing.HOLDS, Standing.LEFT_OUT)]


def likeliest_verdict(deciding: Sequence[JudgedRule], limits: Thresholds) -> Verdict | None:
    """The strictest verdict that a rule surely supports; else the likeliest that one supports, if likely enough.

    Never "allowed" where a rule supports "restricted" as much.
    """
    support = {
        verdict: max((each.support(*effects) for each in deciding), default=0.0)
        for verdict, effects in _SUPPORT.items()
    }
    sure = [verdict for verdict in _SUPPORT if support[verdict] >= limits.overrules]
    if sure:
        return sure[0]
    least = {
        Verdict.PROHIBITED: limits.prohibited,
        Verdict.RESTRICTED: limits.restricted,
        Verdict.ALLOWED: limits.allowed,
    }
    chances = verdict_chances(deciding, limits)
    stated = [verdict for verdict in _SUPPORT if support[verdict] >= least[verdict]]
    found = max(stated, key=chances.__getitem__, default=None)
    if found is Verdict.ALLOWED and support[Verdict.RESTRICTED] >= support[Verdict.ALLOWED]:
        return Verdict.RESTRICTED
    return found if found is not None and chances[found] >= limits.given else None


def verdict_chances(deciding: Sequence[JudgedRule], limits: Thresholds) -> dict[Verdict | None, float]:
    """The probability of each verdict and of none: softmax of `limits.weights` times `verdict_features`."""
    features = verdict_features(deciding)
    logits = {
        verdict: sum(weight * value for weight, value in zip(weights, features, strict=True))
        for verdict, weights in zip(OUTCOMES, limits.weights, strict=True)
    }
    top = max(logits.values())
    shares = {verdict: math.exp(logit - top) for verdict, logit in logits.items()}
    return {verdict: share / sum(shares.values()) for verdict, share in shares.items()}


def verdict_features(deciding: Sequence[JudgedRule]) -> list[float]:
    """The most that a rule bans, limits, demands and allows, how likely the likeliest decides, its logarithm, and 1."""
    best = max((each.decides for each in deciding), default=0.0)
    most = [max((each.support(effect) for each in deciding), default=0.0) for effect in _SPEAKING]
    return [*most, best, math.log(best + 1e-3), 1.0]


def most_specific(likely: Sequence[JudgedRule]) -> list[JudgedRule]:
    """Those nearest to the place; the general ones where it has none of its own."""
    level = max((each.place.specificity for each in likely), default=0)
    return [each for each in likely if each.place.specificity == level]


def likeliest(rules: Sequence[JudgedRule], limits: Thresholds) -> list[JudgedRule]:
    """Those that decide nearly as likely as the likeliest: a strict rule that is only near says nothing beside it."""
    best = max((each.decides for each in rules), default=0.0)
    return [each for each in rules if each.decides >= limits.close * best]


def _bans_here(likely: Sequence[JudgedRule], limits: Thresholds) -> list[JudgedRule]:
    """The rules that name the asked place, or leave it out of a closed list, and ban the thing."""
    bans = [each for each in likely if each.effect is Effect.PROHIBITS]
    return [each for each in bans if each.place.names_place and each.support(Effect.PROHIBITS) >= limits.prohibited]


def _agreeing(deciding: Sequence[JudgedRule], stated: Verdict, verdict: Verdict) -> list[JudgedRule]:
    """The rules that `stated` or the stricter `verdict` is read from: never one that speaks for neither."""
    effects = (*_SUPPORT[stated], *_SUPPORT[verdict])
    found = [each for each in deciding if each.effect in effects]
    return found or [max(deciding, key=lambda each: each.support(*effects))]


def _restricts_beside(rule: JudgedRule, agreeing: Sequence[JudgedRule], limits: Thresholds) -> bool:
    """Whether it restricts the same thing: an item below what decides, or a likely rule of its section."""
    if rule in agreeing or rule.effect in (Effect.ALLOWS, Effect.INFORMS):
        return False
    below = any(each.rule.body[0] in rule.rule.lead for each in agreeing)
    return below or (rule.decides >= limits.decides and _section_of(rule) in {_section_of(each) for each in agreeing})


def _section_of(rule: JudgedRule) -> tuple[str, str]:
    chunk = rule.rule.passage.chunk
    return chunk.doc_id, chunk.policy_path


def _opposes(rule: JudgedRule, verdict: Verdict, limits: Thresholds) -> bool:
    """Whether it bans what the verdict does not, or the other way round."""
    bans = rule.support(Effect.PROHIBITS) >= limits.prohibited
    permits = rule.support(Effect.ALLOWS, Effect.LIMITS) >= limits.restricted
    return bans if verdict is not Verdict.PROHIBITED else permits and not bans


def _differing(rules: Sequence[JudgedRule], verdict: Verdict | None, limits: Thresholds) -> tuple[str, ...]:
    """The places whose own rule says something else."""
    places: dict[str, None] = {}
    for each in rules:
        if each.place.standing is not Standing.ELSEWHERE or each.elsewhere < limits.decides:
            continue
        own = next((verdict for verdict, effects in _SUPPORT.items() if each.effect in effects), None)
        if own is not None and own is not verdict:
            places.update(dict.fromkeys(sorted(each.place.places)))
    return tuple(places)
