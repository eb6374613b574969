"""What a language model says that rules do -> what counts: only what the rules' own text supports."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rag_core.generation.parsing import ModelReading, is_stricter
from rag_core.rules.cues import Opinion
from rag_core.rules.reader import Effect, Judgement

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
