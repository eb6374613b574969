"""What a language model says of rules, as judged rules, held against what the small reader says."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest

from rag_core.answers import Quote
from rag_core.generation.parsing import ModelReading, is_stricter
from rag_core.generation.prompt import MOST_RULES, PROMPT_VERSION
from rag_core.generation.reader import ModelOutcome
from rag_core.rules.cues import Opinion
from rag_core.rules.decide import STRICTNESS, decide
from rag_core.rules.judging import JudgedRule, thresholds
from rag_core.rules.places import Standing, read_place
from rag_core.rules.reader import Effect, Judgement
from rag_core.rules.rule import Rule

SURE = 0.85
"""From which probability on the small reader's stricter effect stands."""

PERMITS = 0.35
"""The least probability of "allows" with which the small reader supports a permission."""

SUPPORTS = 0.2
"""The same of other effects: what five have if nothing is known."""

_RESTRICTING = (Effect.LIMITS, Effect.REQUIRES)
"""Both restrict: they support each other."""


class Reason(StrEnum):
    """Why an effect counts, or another one, or none."""

    READER_AGREES = "reader_agrees"
    WORDS_AGREE = "words_agree"
    NO_VERDICT = "no_verdict"
    READER_STRICTER = "reader_stricter"
    PERMISSION_UNSUPPORTED = "permission_unsupported"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class EffectNote:
    """For the trace. `counted`: None where the rule does not decide after all."""

    number: int
    said: Effect
    counted: Effect | None
    why: Reason


@dataclass(frozen=True, slots=True)
class Agreement:
    """What is left of the model's deciding rules, by number, and a note on each that it named."""

    effects: dict[int, Effect]
    notes: tuple[EffectNote, ...]


def checked(reading: ModelReading, judgements: Mapping[int, Judgement], opinions: Mapping[int, Opinion]) -> Agreement:
    """The effects that count of the rules that decide. `judgements` (none without a small reader) and `opinions` are
    those on them, by number.

    1. Where the small reader is sure of a stricter effect, that one stands.
    2. What only informs claims no verdict and needs no support.
    3. Any other effect counts if the small reader or the words of the rule support it.
    4. A permission that neither supports becomes a limit; another effect without support does not count.
    """
    notes = tuple(
        _noted(number, said, judgements.get(number), opinions.get(number))
        for number, said in sorted(reading.deciding.items())
    )
    return Agreement({each.number: each.counted for each in notes if each.counted is not None}, notes)


def _noted(number: int, said: Effect, judgement: Judgement | None, opinion: Opinion | None) -> EffectNote:
    if judgement is not None and (stricter := _sure_and_stricter(judgement, said)) is not None:
        return EffectNote(number, said, stricter, Reason.READER_STRICTER)
    why = _support(said, judgement, opinion)
    if why is not None:
        return EffectNote(number, said, said, why)
    if said is Effect.ALLOWS:
        return EffectNote(number, said, Effect.LIMITS, Reason.PERMISSION_UNSUPPORTED)
    return EffectNote(number, said, None, Reason.UNSUPPORTED)


def _support(said: Effect, judgement: Judgement | None, opinion: Opinion | None) -> Reason | None:
    """What supports the effect; None where nothing does, or the words say that a permission is a ban."""
    if said is Effect.INFORMS:
        return Reason.NO_VERDICT
    if said is Effect.ALLOWS and opinion is not None and opinion.effect is Effect.PROHIBITS:
        return None
    alike = _RESTRICTING if said in _RESTRICTING else (said,)
    least = PERMITS if said is Effect.ALLOWS else SUPPORTS
    if judgement is not None and sum(judgement.effects[each] for each in alike) >= least:
        return Reason.READER_AGREES
    return Reason.WORDS_AGREE if opinion is not None and opinion.effect in alike else None


def _sure_and_stricter(judgement: Judgement, said: Effect) -> Effect | None:
    likeliest = max(judgement.effects, key=judgement.effects.__getitem__)
    sure = judgement.effects[likeliest] >= SURE
    return likeliest if sure and is_stricter(likeliest, said) else None


_TOLD = 0.95
"""How likely a rule decides that the model names and whose text supports it."""

_Key = tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class ModelJudged:
    """What came of asking `name` once about all places. `judged`: the rules of each place; `numbered`: those that the
    model was told, from 1. Without a reading `judged` is the small reader's, and `agreement` None."""

    name: str
    outcome: ModelOutcome
    numbered: tuple[Rule, ...]
    judged: Mapping[str | None, list[JudgedRule]]
    agreement: Agreement | None = None

    @property
    def telling(self) -> frozenset[_Key]:
        """The rules that decide, condition or except, as far as that counts."""
        reading = self.outcome.reading
        if reading is None or self.agreement is None:
            return frozenset()
        numbers = {*self.agreement.effects, *reading.conditions, *reading.exceptions}
        return frozenset(self.numbered[number - 1].quotes for number in numbers)


def numbered_rules(candidates: Iterable[Sequence[tuple[Rule, float]]]) -> tuple[Rule, ...]:
    """The rules of all places in one list, the likeliest of each first, each rule once."""
    rounds = (each for turn in zip_longest(*candidates) for each in turn if each is not None)
    rules = {rule.quotes: rule for rule, _ in rounds}
    return tuple(rules.values())[:MOST_RULES]


def as_told(
    rules: Sequence[tuple[Rule, float]],
    numbered: Sequence[Rule],
    reading: ModelReading,
    effects: Mapping[int, Effect],
    small: Iterable[JudgedRule],
    place: str | None,
) -> list[JudgedRule]:
    """The rules of one place as a language model judged them: those in `effects` (by number, from 1) decide, no other
    one does. What `small`, the small reader, thought of those says which of them are nearest."""
    numbers = {rule.quotes: number for number, rule in enumerate(numbered, 1)}
    near = {each.rule.quotes: each.elsewhere for each in small}
    conditions = {*reading.conditions, *reading.exceptions}
    told = []
    for rule, score in rules:
        number = numbers.get(rule.quotes, 0)
        likely = min(near.get(rule.quotes, 0.0), _most_undecided())
        told.append(_told(rule, score, place, effects.get(number), likely, applies=number in conditions))
    return sorted(told, key=lambda each: (-each.decides, -each.conditions, -each.score))


def _most_undecided() -> float:
    """The highest probability with which a rule does not decide."""
    return math.nextafter(min(thresholds().decides, thresholds().states), 0.0)


def _told(
    rule: Rule, score: float, place: str | None, effect: Effect | None, likely: float, *, applies: bool
) -> JudgedRule:
    standing = read_place(rule, place)
    likely = _TOLD if effect is not None else likely
    here = 0.0 if standing.standing in (Standing.ELSEWHERE, Standing.EXCEPTED) else likely
    if standing.standing is Standing.LEFT_OUT:
        effect = Effect.PROHIBITS
    named = effect or (Effect.REQUIRES if applies else Effect.INFORMS)
    return JudgedRule(
        rule, standing, score, here, likely, float(applies), {each: float(each is named) for each in Effect}
    )


def stricter(
    told: list[JudgedRule], small: list[JudgedRule], place: str | None, *, asks_permission: bool
) -> list[JudgedRule]:
    """What the language model says; where the small reader comes, surely enough, to a stricter verdict, what that one
    says."""
    limits = thresholds()
    sure = replace(limits, prohibited=limits.overrules, restricted=limits.overrules)
    theirs = decide(told, place, asks_permission=asks_permission).verdict
    ours = decide(small, place, asks_permission=asks_permission, limits=sure).verdict
    if theirs is None or ours is None:
        return told
    return small if STRICTNESS[ours] > STRICTNESS[theirs] else told


def noted_model(model: ModelJudged) -> dict[str, object]:
    """For the trace: what was asked of the model, and what became of what it said."""
    outcome, reading = model.outcome, model.outcome.reading
    return {
        "name": model.name,
        "prompt_version": PROMPT_VERSION,
        "prompt": outcome.prompt_hash,
        "rules": outcome.shown,
        "usage": {"prompt": outcome.usage.prompt, "completion": outcome.usage.completion, "cost": outcome.usage.cost},
        "failure": outcome.failure.value if outcome.failure else None,
        "unreadable": outcome.unreadable.value if outcome.unreadable else None,
        "not_stated": reading.not_stated if reading else None,
        "effects": [
            {"rule": each.number, "said": each.said, "counted": each.counted, "why": each.why}
            for each in (model.agreement.notes if model.agreement else ())
        ],
    }
