"""What a reader says, the score of retrieval and the words of a rule, in one."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.rules.judging import (
    THRESHOLDS as IN_FORCE,
)
from rag_core.rules.judging import (
    JudgedRule,
    Thresholds,
    closed,
    decides_probability,
    judged,
    mixed_effects,
    own_effects,
    quoted_only,
    thresholds,
)
from rag_core.rules.places import Standing
from rag_core.rules.reader import Effect, Judgement, KeptReading, Relation, RuleReading
from rag_core.rules.rule import Rule, rules_in
from tests.fakes.judged import LIMITS, effects
from tests.fakes.rules import passage, unit

PROHIBITS, ALLOWS, INFORMS = Effect.PROHIBITS, Effect.ALLOWS, Effect.INFORMS


def judgement(decides: float = 0.9, effect: Effect = INFORMS, share: float = 0.9, **other: float) -> Judgement:
    relations = dict.fromkeys(Relation, 0.0) | {Relation.DECIDES: decides, Relation.UNRELATED: 1 - decides}
    relations |= {Relation(name): value for name, value in other.items()}
    return Judgement(relations, effects(effect, share))


def one(rule: Rule, said: Judgement, place: str | None = None, score: float = 0.5) -> JudgedRule:
    (found,) = judged([(rule, score)], [said], place, LIMITS)
    return found


KITES = unit("Kites fly high.")


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_surer_reader_and_a_better_score_make_a_rule_likelier(reader: float, score: float, more: float) -> None:
    likely = decides_probability(reader, score, LIMITS)
    assert 0 <= likely <= 1
    assert decides_probability(max(reader, more), score, LIMITS) >= likely
    assert decides_probability(reader, max(score, more), LIMITS) >= likely


@given(st.sampled_from(Effect), st.floats(0.2, 1))
def test_effects_are_shares_of_one(effect: Effect, share: float) -> None:
    for rule in (KITES, unit("Kites are prohibited."), unit("Kites may run.")):
        mixed = mixed_effects(rule, judgement(effect=effect, share=share), LIMITS, None)
        assert sum(mixed.values()) == pytest.approx(1)
        assert set(mixed) == set(Effect)


def test_the_words_of_a_rule_count_beside_the_reader() -> None:
    doubtful = judgement(effect=ALLOWS, share=0.3)
    said = mixed_effects(unit("Kites are prohibited."), doubtful, LIMITS, None)
    assert said[PROHIBITS] > mixed_effects(KITES, doubtful, LIMITS, None)[PROHIBITS]


def test_an_operators_correction_goes_before_what_was_read() -> None:
    read = KeptReading("fake-1", RuleReading(effects(ALLOWS), 0.0))
    corrected = replace(read, corrected=PROHIBITS)
    assert own_effects(KITES) is None
    assert own_effects(replace(KITES, kept=read)) == effects(ALLOWS)
    told = own_effects(replace(KITES, kept=corrected))
    assert told is not None
    assert max(told, key=told.__getitem__) is PROHIBITS
    read_as, corrected_to = (
        mixed_effects(replace(KITES, kept=each), judgement(effect=ALLOWS, share=0.8), thresholds(), None)
        for each in (read, corrected)
    )
    assert max(read_as, key=read_as.__getitem__) is ALLOWS
    assert max(corrected_to, key=corrected_to.__getitem__) is PROHIBITS


def test_a_rule_of_another_place_decides_nothing_here_and_what_it_would_there() -> None:
    found = one(unit("In Belgium, kites fly high."), judgement())
    assert (found.place.standing, found.decides) == (Standing.ELSEWHERE, 0.0)
    assert found.elsewhere > 0.5
    assert found.support(*Effect) == 0.0


def test_a_closed_list_bans_what_it_leaves_out_whatever_a_reader_says() -> None:
    found = one(unit("Kites may fly only in France."), judgement(effect=ALLOWS), "uk")
    assert (found.place.standing, found.effect, found.effects[PROHIBITS]) == (Standing.LEFT_OUT, PROHIBITS, 1.0)
    assert one(unit("Kites may fly only in France."), judgement(effect=ALLOWS), "fr").effect is not PROHIBITS


def test_conditions_and_exceptions_count_together() -> None:
    assert one(KITES, judgement(0.1, conditions=0.5, excepts=0.3)).conditions == pytest.approx(0.8)


def test_the_likeliest_stands_first_and_every_rule_keeps_its_judgement() -> None:
    rules = rules_in(passage("Kites fly high. Darts hit boards. Tops spin round."))
    found = judged([(rule, 0.5) for rule in rules], [judgement(each) for each in (0.1, 0.9, 0.5)], None, LIMITS)
    assert [each.rule.text.split()[0] for each in found] == ["Darts", "Tops", "Kites"]


@pytest.mark.parametrize("place", [None, "fr"])
def test_without_a_reader_rules_keep_their_order_and_none_decides(place: str | None) -> None:
    rules = rules_in(passage("Kites are banned. Darts hit boards."))
    found = quoted_only([(rules[0], 0.9), (rules[1], 0.2)], place)
    assert [each.rule for each in found] == rules
    assert all(each.decides == 0.0 and each.effect is INFORMS for each in found)
    assert [each.elsewhere >= thresholds().shown for each in found] == [True, False]


TABLE = "| Country | Kites |\n| --- | --- |\n| France | yes |\n| Spain | yes |"


@pytest.mark.parametrize(
    ("place", "standing"), [("uk", Standing.LEFT_OUT), ("fr", Standing.HOLDS), ("es", Standing.HOLDS)]
)
def test_a_list_that_stands_beside_a_rule_leaves_out_the_places_that_it_does_not_name(
    place: str, standing: Standing
) -> None:
    rules = rules_in(passage(f"Kites may run only in the countries of the table.\n\n{TABLE}"))
    found = [one(rules[0], judgement(effect=ALLOWS), place)]
    (closing,) = closed(found, rules, place)
    assert closing.place.standing is standing
    assert (closing.effect is PROHIBITS) is (standing is Standing.LEFT_OUT)


@pytest.mark.parametrize(
    "ban", ["Unless a country is listed, kites are not allowed there.", "In all other countries, kites are banned."]
)
@pytest.mark.parametrize("listed", [TABLE, "In France and Spain, kites may run."])
def test_a_ban_for_all_other_places_is_none_where_a_rule_beside_it_names_the_place(ban: str, listed: str) -> None:
    rules = rules_in(passage(f"{listed}\n\n{ban}"))
    said = judgement(effect=Effect.LIMITS)
    here, there = (closed([one(rules[-1], said, place)], rules, place)[0] for place in ("fr", "uk"))
    assert (here.place.standing, here.decides) == (Standing.ELSEWHERE, 0.0)
    assert (there.place.standing, there.effect, there.place.names_place) == (Standing.LEFT_OUT, PROHIBITS, True)


def test_a_ban_for_all_other_places_stays_as_read_where_another_section_names_the_place() -> None:
    here, there = passage(f"{TABLE}\n\nIn all other countries, kites are banned."), passage("Peru has fairs.", "Fairs")
    found = [one(rules_in(here)[-1], judgement(effect=Effect.LIMITS), "pe")]
    assert closed(found, [*rules_in(here), *rules_in(there)], "pe") == found


def test_a_list_that_was_not_found_leaves_nothing_out() -> None:
    rules = rules_in(passage("Kites may run only in the countries of the table."))
    found = [one(rules[0], judgement(effect=ALLOWS), "uk")]
    assert closed(found, rules, "uk") == found


def test_an_item_leaves_nothing_out_that_stands_in_the_next_chunk_of_its_list() -> None:
    lead = "Kites may run only in:"
    first, last = passage(f"{lead}\n\n- France"), passage("- Spain", lead_in=lead)
    (france,), (spain,) = rules_in(first), rules_in(last)
    found = [one(france, judgement(), "es")]
    assert found[0].place.standing is Standing.LEFT_OUT
    (beside,) = closed(found, [france, spain], "es")
    assert (beside.place.standing, beside.decides) == (Standing.ELSEWHERE, 0.0)
    assert closed(found, [france], "es") == found


def test_the_thresholds_in_force_are_asymmetric() -> None:
    kept = Thresholds(**json.loads(IN_FORCE.read_text(encoding="utf-8"))["thresholds"])
    assert kept.allowed > kept.prohibited
    assert kept.allowed > kept.restricted
    assert kept.shown < kept.decides
