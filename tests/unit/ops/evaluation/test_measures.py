"""Every measure against a value worked out by hand."""

from datetime import date

import pytest

from ops.evaluation.judging import Judged
from ops.evaluation.measures import ANSWERS, CORRECTNESS, RETRIEVAL, Share
from ops.evaluation.observed import GivenVerdict, Observed
from ops.evaluation.questions import GoldQuestion
from rag_core.answers import Verdict
from tests.fakes.gold import answer, cited, gold, judged, retrieved

MEASURES = {**RETRIEVAL, **ANSWERS, **CORRECTNESS}
OTHER = retrieved("Alcohol > General rules", "Be sober.", regions=("global",))
LATE = date(2026, 5, 1)


def measured(name: str, case: Judged) -> Share | None:
    return MEASURES[name](case)


def test_a_ranking() -> None:
    """The right section at rank 2, its second anchor at rank 3; a third is never found."""
    question = gold(anchors=["beer may not be advertised", "minors", "wine is"])
    ranked = (OTHER, retrieved(), retrieved(text="No minors at all.", chunk_id="second"), OTHER)
    case = judged(question, answer(retrieved=ranked))
    assert measured("section_hit@1", case) == Share(0.0)
    assert measured("section_hit@5", case) == Share(1.0)
    assert measured("anchor_hit@5", case) == Share(1.0)
    assert measured("mrr", case) == Share(0.5)
    assert measured("recall@15", case) == pytest.approx(Share(2 / 3))
    # 1/log2(3) + 1/log2(4), of 1/log2(2) + 1/log2(3) + 1/log2(4)
    assert measured("ndcg@10", case) == pytest.approx(Share((0.63093 + 0.5) / (1 + 0.63093 + 0.5)), abs=1e-4)


def test_a_bot_that_does_not_tell_what_it_found_has_no_ranking() -> None:
    case = judged(gold(), answer(retrieved=None))
    assert {measured(name, case) for name in RETRIEVAL} == {None}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (retrieved(document_id="acme_food", policy_source="other"), "another document"),
        (retrieved(effective_from=date(2026, 7, 1)), "not in force yet"),
        (retrieved(effective_to=date(2026, 6, 1)), "not in force any more"),
        (retrieved(regions=("us",)), "another place"),
        (retrieved("Alcohol > Spain", "Wine is."), "another section, without an anchor"),
    ],
)
def test_what_is_not_the_right_section(wrong: object, why: str) -> None:
    assert measured("section_hit@5", judged(gold(), answer(retrieved=(wrong,)))) == Share(0.0), why


def test_marks_and_apostrophes_do_not_hide_an_anchor() -> None:
    text = "**Beer** may\n not be [advertised](https://a.example) \\_here\\_, it isn’t."
    question = gold(sections=["Elsewhere"], anchors=["be advertised _here_, it isn't"])
    assert measured("anchor_hit@5", judged(question, answer(retrieved=(retrieved(text=text),)))) == Share(1.0)


@pytest.mark.parametrize(
    ("given", "right"),
    [(Verdict.PROHIBITED, 1.0), (Verdict.RESTRICTED, 0.0), (Verdict.ALLOWED, 0.0), (None, 0.0)],
)
def test_a_verdict(given: Verdict | None, right: float) -> None:
    assert measured("verdict_right", judged(gold(), answer(given))) == Share(right)


def test_a_verdict_that_counts_as_well() -> None:
    question = gold(verdict="restricted", verdict_also=[None])
    assert measured("verdict_right", judged(question, answer(None))) == Share(1.0)
    assert measured("verdict_right", judged(question, answer(Verdict.ALLOWED))) == Share(0.0)
    assert measured("verdict_right", judged(question, Observed("refusal"))) == Share(0.0)


def test_no_verdict_is_right_where_the_gold_has_none() -> None:
    question = gold(verdict=None, verdicts=[])
    assert measured("verdict_right", judged(question, answer(None))) is None
    assert measured("verdict_or_none_right", judged(question, answer(None))) == Share(1.0)
    assert measured("verdict_or_none_right", judged(question, answer(Verdict.ALLOWED))) == Share(0.0)


def test_any_verdict_is_right_where_the_gold_does_not_speak_of_it() -> None:
    expected = {"document_ids": ["acme"], "sections": ["France"]}
    question = GoldQuestion.model_validate({"id": "q", "question": "?", "expected": expected})
    assert judged(question, answer(Verdict.ALLOWED)).verdict_is_right
    assert not judged(question, Observed("refusal")).verdict_is_right
    assert measured("verdict_right", judged(question, answer(None))) is None
    assert measured("verdict_or_none_right", judged(question, answer(None))) is None


def test_of_several_places_each_has_its_own() -> None:
    both = [
        {"region": "fr", "policy_source": "acme", "verdict": "prohibited"},
        {"region": "uk", "policy_source": "acme", "verdict": "restricted"},
    ]
    question = gold(verdict=None, verdicts=both, not_regions=[])
    right = (GivenVerdict("fr", "acme", Verdict.PROHIBITED), GivenVerdict("uk", "acme", Verdict.RESTRICTED))
    assert measured("verdict_right", judged(question, answer(None, verdicts=right))) == Share(1.0)
    assert measured("verdict_right", judged(question, answer(None, verdicts=right[:1]))) == Share(0.0)
    swapped = (GivenVerdict("fr", "acme", Verdict.ALLOWED), right[1])
    case = judged(question, answer(None, verdicts=swapped))
    assert measured("verdict_right", case) == Share(0.0)
    assert measured("allowed_though_prohibited", case) == Share(1.0)


def test_wrong_permissive_verdicts_are_counted() -> None:
    assert measured("allowed_though_prohibited", judged(gold(), answer(Verdict.ALLOWED))) == Share(1.0)
    assert measured("restricted_though_prohibited", judged(gold(), answer(Verdict.ALLOWED))) == Share(0.0)
    assert measured("restricted_though_prohibited", judged(gold(), answer(Verdict.RESTRICTED))) == Share(1.0)
    also = gold(verdict_also=["restricted"])
    assert measured("restricted_though_prohibited", judged(also, answer(Verdict.RESTRICTED))) == Share(0.0)
    assert measured("allowed_though_prohibited", judged(gold(verdict="restricted"), answer(Verdict.ALLOWED))) is None


def test_citations() -> None:
    """Of three, one quotes the anchor, one is of the section, one is of neither; of two sections, one is cited."""
    question = gold(sections=["France", "Wine"], anchors=["beer may not be advertised", "wine is"])
    citations = (cited(text="Label it."), cited("Alcohol > Beer"), cited("Alcohol > Spain", "No."))
    case = judged(question, answer(Verdict.PROHIBITED, *citations))
    assert measured("citation_precision", case) == Share(2, 3)
    assert measured("citation_span_precision", case) == Share(1, 3)
    assert measured("first_citation", case) == Share(1.0)
    assert measured("citation_recall", case) == Share(1, 2)
    assert measured("anchor_recall", case) == Share(1, 2)
    refused = judged(question, Observed("refusal"))
    assert measured("citation_precision", refused) is None
    assert measured("citation_recall", refused) == Share(0, 2)


def test_rules_cited_by_number() -> None:
    question = gold(sections=["4.2 Beer"])
    assert measured("rule_cited", judged(question, answer(Verdict.PROHIBITED, cited("4.2 Beer")))) == Share(1.0)
    deeper = cited("Alcohol", rule_number="4.2.1")
    assert measured("rule_cited", judged(question, answer(Verdict.PROHIBITED, deeper))) == Share(1.0)
    longer = cited("4.20 Wine")
    assert measured("rule_cited", judged(question, answer(Verdict.PROHIBITED, longer))) == Share(0.0)
    assert measured("rule_cited", judged(gold(), answer())) is None


@pytest.mark.parametrize(
    ("observed", "handled"),
    [
        (Observed("refusal"), 1.0),
        (answer(None, not_stated=("a fee",)), 1.0),
        (answer(None), 0.0),
        (answer(Verdict.PROHIBITED, not_stated=("a fee",)), 0.0),
        (answer(None, not_stated=("a fee",), verdicts=(GivenVerdict("fr", "acme", Verdict.ALLOWED),)), 0.0),
        (Observed("clarification"), 0.0),
    ],
)
def test_near_misses(observed: Observed, handled: float) -> None:
    assert measured("near_miss_handled", judged(gold(kind="gap"), observed)) == Share(handled)


def test_a_rule_that_people_read_as_either() -> None:
    question = gold(kind="gap", verdict_also=["restricted"])
    assert measured("near_miss_handled", judged(question, answer(Verdict.RESTRICTED))) == Share(1.0)
    assert measured("near_miss_handled", judged(question, answer(Verdict.ALLOWED))) == Share(0.0)


def test_refusals() -> None:
    wrongly = judged(gold(), Observed("refusal"))
    rightly = judged(gold("off-topic", kind="refusal"), Observed("refusal"))
    answered = judged(gold("off-topic", "other-day", kind="refusal"), answer())
    assert measured("refusal_precision", wrongly) == Share(0.0)
    assert measured("refusal_precision", rightly) == Share(1.0)
    assert measured("refusal_precision", answered) is None
    assert measured("refusal_recall", rightly) == Share(1.0)
    assert measured("refusal_recall", answered) == Share(0.0)
    assert measured("off_topic_refused", answered) == Share(0.0)
    assert measured("other_day_refused", answered) == Share(0.0)
    assert measured("answerable_refused", wrongly) == Share(1.0)
    assert measured("answerable_refused", judged(gold(), answer(None, not_stated=("x",)))) == Share(0.0)
    assert measured("answerable_declined", judged(gold(), answer(None, not_stated=("x",)))) == Share(1.0)


def test_places() -> None:
    """A state's rule is of its country; the EU's rules are France's; a list of many places is everybody's."""
    for regions in (("fr",), ("eu",), ("global",), ("uk", "fr"), ("fr-idf",)):
        case = judged(gold(), answer(Verdict.PROHIBITED, cited(regions=regions)))
        assert measured("place_right", case) == Share(1.0), regions
    for regions in (("uk",), ("es",), ("uk", "us")):
        case = judged(gold(), answer(Verdict.PROHIBITED, cited(), cited(regions=regions)))
        assert measured("place_right", case) == Share(0.0), regions
    nowhere = gold(verdicts=[], not_regions=[])
    assert measured("place_right", judged(nowhere, answer(Verdict.PROHIBITED, cited(regions=("uk",))))) is None


def test_days() -> None:
    question = gold("as-of", version_day=LATE.isoformat())
    right = answer(Verdict.PROHIBITED, cited(effective_from=LATE))
    assert measured("day_right", judged(question, right)) == Share(1.0)
    assert measured("day_right", judged(question, answer())) == Share(0.0)
    assert measured("day_right", judged(question, Observed("refusal"))) == Share(0.0)
    assert measured("day_right", judged(gold("as-of"), answer())) is None
    assert measured("day_right", judged(gold("as-of", "what-changed", version_day="2026-05-01"), answer())) is None


def test_follow_ups() -> None:
    assert measured("follow_up_right", judged(gold("follow-up"), answer())) == Share(1.0)
    assert measured("follow_up_right", judged(gold("follow-up"), answer(regions=()))) == Share(0.0)
    elsewhere = cited(document_id="acme_food", policy_source="other")
    assert measured("follow_up_right", judged(gold("follow-up"), answer(None, elsewhere))) == Share(0.0)
    assert measured("follow_up_right", judged(gold(), answer())) is None


def test_words_that_must_be_mentioned() -> None:
    question = gold(must_mention=["BEER may", "18 or over"])
    assert measured("mentioned", judged(question, answer())) == Share(1, 2)
    assert measured("correct", judged(question, answer())) == Share(0.0)
    assert measured("correct", judged(gold(must_mention=["beer may"]), answer())) == Share(1.0)
    assert measured("correct", judged(gold(), answer(Verdict.ALLOWED))) == Share(0.0)


def test_broad_questions() -> None:
    assert measured("asked_back", judged(gold(kind="clarification"), Observed("clarification"))) == Share(1.0)
    assert measured("asked_back", judged(gold(kind="clarification"), answer())) == Share(0.0)
