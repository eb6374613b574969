"""Which effects count of those that a language model names: those that the rules' text supports."""

import pytest

from rag_core.answering.model_reading import PERMITS, SUPPORTS, SURE, Agreement, EffectNote, Reason, checked
from rag_core.generation.parsing import ModelReading
from rag_core.rules.cues import Opinion, opinion_of
from rag_core.rules.reader import Effect, Judgement, Relation, RuleText

SILENT = Opinion(None, 0.0)
CLOSE = 0.01


def judged(**effects: float) -> Judgement:
    """What is left of the probability is that it informs."""
    probabilities = {each: effects.get(each.value, 0.0) for each in Effect}
    probabilities[Effect.INFORMS] += 1 - sum(probabilities.values())
    return Judgement(dict.fromkeys(Relation, 0.2), probabilities)


def one(said: Effect, judgement: Judgement | None, opinion: Opinion = SILENT) -> tuple[Effect | None, Reason]:
    found = checked(ModelReading({1: said}), {1: judgement} if judgement else {}, {1: opinion})
    (note,) = found.notes
    assert found.effects == ({} if note.counted is None else {1: note.counted})
    assert (note.number, note.said) == (1, said)
    return note.counted, note.why


def says(effect: Effect) -> Opinion:
    return Opinion(effect, 1.0)


def test_a_ban_counts_where_the_reader_or_the_words_support_it() -> None:
    banned = Effect.PROHIBITS
    assert one(banned, judged(prohibits=SUPPORTS)) == (banned, Reason.READER_AGREES)
    assert one(banned, judged(), says(banned)) == (banned, Reason.WORDS_AGREE)
    assert one(banned, None, says(banned)) == (banned, Reason.WORDS_AGREE)


@pytest.mark.parametrize("said", [Effect.PROHIBITS, Effect.LIMITS, Effect.REQUIRES])
def test_what_neither_supports_does_not_count(said: Effect) -> None:
    assert one(said, judged(**{said: SUPPORTS - CLOSE}), says(Effect.ALLOWS)) == (None, Reason.UNSUPPORTED)
    assert one(said, None) == (None, Reason.UNSUPPORTED)


def test_a_limit_and_a_duty_support_each_other() -> None:
    assert one(Effect.LIMITS, judged(limits=0.1, requires=0.1)) == (Effect.LIMITS, Reason.READER_AGREES)
    assert one(Effect.REQUIRES, judged(), says(Effect.LIMITS)) == (Effect.REQUIRES, Reason.WORDS_AGREE)


def test_a_permission_needs_more_and_becomes_a_limit_without_it() -> None:
    allowed = Effect.ALLOWS
    assert one(allowed, judged(allows=PERMITS)) == (allowed, Reason.READER_AGREES)
    assert one(allowed, judged(), says(allowed)) == (allowed, Reason.WORDS_AGREE)
    limited = (Effect.LIMITS, Reason.PERMISSION_UNSUPPORTED)
    assert one(allowed, judged(allows=PERMITS - CLOSE), says(Effect.LIMITS)) == limited
    assert one(allowed, judged(), SILENT) == limited
    assert one(allowed, None) == limited


@pytest.mark.parametrize(
    ("said", "sure"),
    [
        (Effect.ALLOWS, Effect.PROHIBITS),
        (Effect.ALLOWS, Effect.LIMITS),
        (Effect.ALLOWS, Effect.REQUIRES),
        (Effect.LIMITS, Effect.PROHIBITS),
        (Effect.REQUIRES, Effect.PROHIBITS),
        (Effect.INFORMS, Effect.PROHIBITS),
        (Effect.INFORMS, Effect.LIMITS),
    ],
)
def test_a_stricter_effect_stands_of_which_the_reader_is_sure(said: Effect, sure: Effect) -> None:
    assert one(said, judged(**{sure: SURE}), says(said)) == (sure, Reason.READER_STRICTER)
    counted, why = one(said, judged(**{sure: SURE - CLOSE}), says(said))
    assert counted is said
    assert why is not Reason.READER_STRICTER


def test_a_looser_effect_changes_nothing_however_sure_the_reader_is() -> None:
    assert one(Effect.PROHIBITS, judged(allows=0.99), says(Effect.PROHIBITS))[0] is Effect.PROHIBITS
    assert one(Effect.LIMITS, judged(requires=0.99))[0] is Effect.LIMITS
    assert one(Effect.INFORMS, judged(allows=0.99)) == (Effect.INFORMS, Reason.NO_VERDICT)


def test_what_informs_needs_no_support() -> None:
    assert one(Effect.INFORMS, None) == (Effect.INFORMS, Reason.NO_VERDICT)


def test_each_rule_is_held_against_its_own_text_and_every_one_is_noted() -> None:
    rules = [
        RuleText(("Toys",), "", "Ads for darts are prohibited."),
        RuleText(("Toys",), "", "Ads for kites are allowed."),
        RuleText(("Toys",), "", "Kites come in many colours."),
    ]
    reading = ModelReading({3: Effect.ALLOWS, 2: Effect.ALLOWS, 1: Effect.ALLOWS, 9: Effect.PROHIBITS})
    judgements = [judged(prohibits=0.97), judged(allows=0.1), judged()]
    assert checked(
        reading,
        dict(enumerate(judgements, 1)),
        {number: opinion_of(rule) for number, rule in enumerate(rules, 1)},
    ) == Agreement(
        {1: Effect.PROHIBITS, 2: Effect.ALLOWS, 3: Effect.LIMITS},
        (
            EffectNote(1, Effect.ALLOWS, Effect.PROHIBITS, Reason.READER_STRICTER),
            EffectNote(2, Effect.ALLOWS, Effect.ALLOWS, Reason.WORDS_AGREE),
            EffectNote(3, Effect.ALLOWS, Effect.LIMITS, Reason.PERMISSION_UNSUPPORTED),
            EffectNote(9, Effect.PROHIBITS, None, Reason.UNSUPPORTED),
        ),
    )
    assert checked(ModelReading({}), {}, {}) == Agreement({}, ())
