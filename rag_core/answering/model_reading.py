"""What a language model says of rules, as judged rules, held against what the small reader says."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rag_core.answers import Quote
from rag_core.generation.agreement import Agreement
from rag_core.generation.parsing import ModelReading
from rag_core.generation.prompt import MOST_RULES, PROMPT_VERSION
from rag_core.generation.reader import ModelOutcome
from rag_core.rules.decide import STRICTNESS, decide
from rag_core.rules.judging import JudgedRule, thresholds
from rag_core.rules.places import Standing, read_place
from rag_core.rules.reader import Effect
from rag_core.rules.rule import Rule

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
