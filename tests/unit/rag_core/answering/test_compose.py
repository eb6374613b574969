"""Evidence and decisions into an answer in which everything was checked against its source."""

from dataclasses import replace

from rag_core.answering.compose import compose
from rag_core.answering.evidence import Target
from rag_core.answering.statements import is_sound, is_supported
from rag_core.answers import Answer, Verdict
from rag_core.documents import Passage
from rag_core.rules.decide import Decision
from rag_core.rules.judging import JudgedRule
from tests.fakes.reader import FakeReader
from tests.fakes.rules import passage, question, target

NO, YES = "Ads for kites are not allowed.", "Ads for kites are allowed."
DEMAND = "Ads for kites must carry a warning."


def kites(body: str, *regions: str, document_id: str = "acme_kites") -> Passage:
    return passage(body, "Kites", regions or ("global",), document_id=document_id)


def answer(*targets: Target, text: str = "kites", degraded: tuple[str, ...] = ()) -> Answer:
    composed = compose(question(text), targets, degraded)
    assert composed.answer is not None
    return composed.answer


def tampered(found: Target, said: str) -> Target:
    """`found` with every rule saying something else than its source."""
    return replace(found, rules=_changed(found.rules, said), decision=_decided(found, said))


def _decided(found: Target, said: str) -> Decision:
    return replace(found.decision, deciding=_changed(found.decision.deciding, said), conditions=())


def _changed(rules: tuple[JudgedRule, ...], said: str) -> tuple[JudgedRule, ...]:
    return tuple(
        replace(each, rule=replace(each.rule, body=tuple(replace(quote, text=said) for quote in each.rule.body)))
        for each in rules
    )


def test_an_answer_has_statements_citations_and_a_verdict_that_is_read_from_them() -> None:
    passages = [kites(f"{NO} {DEMAND}")]
    found = answer(target("kites", None, *passages), degraded=("embedder",))
    known = {each.chunk.chunk_id: each for each in passages}
    assert [each.text for each in found.statements] == [NO, DEMAND]
    assert all(is_supported(each, known) for each in found.statements)
    assert all(is_sound(each, known) for each in found.citations)
    (verdict,) = found.verdicts
    assert (verdict.verdict, verdict.citations, verdict.region) == (Verdict.PROHIBITED, (1,), None)
    assert found.degraded == ("embedder",)
    assert found.verdict is Verdict.PROHIBITED


def test_what_was_tampered_with_is_dropped_and_named_and_nothing_left_is_no_answer() -> None:
    composed = compose(question("kites"), [tampered(target("kites", None, kites(NO)), "Anything goes.")], ())
    assert (composed.answer, composed.dropped, composed.cited) == (None, ("Anything goes.",), frozenset())


def test_one_tampered_target_leaves_the_others_and_takes_its_verdict_along() -> None:
    other = passage("Ads for kites may run.", "Kites", document_id="brim_kites")
    targets = [tampered(target("kites", None, kites(NO)), "Anything goes."), target("kites", None, other)]
    composed = compose(question("kites"), targets, ())
    assert composed.answer is not None
    assert [each.text for each in composed.answer.statements] == ["Ads for kites may run."]
    assert len(composed.answer.verdicts) == 1
    assert composed.dropped == ("Anything goes.",)
    assert composed.cited == {other.chunk.chunk_id}


def test_at_most_five_statements() -> None:
    many = [kites(f"Ads for kites must carry sticker {n}.", document_id=f"acme_{n}") for n in range(9)]
    assert len(answer(target("kites", None, *many)).statements) == 5


def test_several_places_share_the_room_and_a_rule_for_both_is_shown_once() -> None:
    general = kites(YES)
    many = [kites(f"Ads for kites must carry sticker {n}.", document_id=f"acme_{n}") for n in range(9)]
    found = answer(*(target("kites", place, general, *many) for place in ("uk", "fr", "de")))
    assert [each.region for each in found.verdicts] == ["uk", "fr", "de"]
    assert len(found.statements) == 3
    assert all(verdict.citations == (1,) for verdict in found.verdicts)


def test_verdicts_that_differ_are_no_single_verdict() -> None:
    found = answer(
        target("kites", "uk", kites(NO, "uk")), target("kites", "fr", kites(YES, "fr", document_id="acme_f"))
    )
    assert [each.verdict for each in found.verdicts] == [Verdict.PROHIBITED, Verdict.ALLOWED]
    assert found.verdict is None


def test_a_restriction_comes_with_its_conditions() -> None:
    found = answer(target("kites", None, kites(YES), kites(DEMAND, document_id="acme_other")))
    (verdict,) = found.verdicts
    assert verdict.verdict is Verdict.RESTRICTED
    assert [(each.text, each.citations) for each in verdict.conditions] == [(DEMAND, (2,))]


def test_a_ban_has_no_conditions() -> None:
    (verdict,) = answer(target("kites", None, kites(NO), kites(DEMAND, document_id="acme_other"))).verdicts
    assert verdict.conditions == ()


def near(text: str, *passages: Passage) -> Answer:
    return answer(target(text, None, *passages, reader=FakeReader(all_words=True)), text=text)


def test_where_no_rule_decides_the_nearest_are_quoted_and_the_first_thing_they_lack_is_named() -> None:
    found = near("red paper kites", kites(YES), passage("Ads for string need a note.", "String"))
    assert (found.not_stated, found.verdicts) == (("red",), ())
    assert [each.text for each in found.statements] == [YES]


def test_nothing_is_said_to_be_missing_that_a_quote_states() -> None:
    found = near("red kites", kites(YES), passage("Balloons are red.", "Balloons"))
    assert {each.text for each in found.statements} == {YES, "Balloons are red."}
    assert (found.not_stated, found.verdicts) == ((), ())


def test_the_items_of_a_list_are_one_statement_behind_their_lead_in() -> None:
    items = "\n".join(f"- the kite has sticker {number}" for number in range(9))
    found = answer(target("kites", None, kites(f"Ads for kites may run if:\n\n{items}")))
    (listed,) = found.statements
    assert listed.text.startswith("Ads for kites may run if: the kite has sticker 0; the kite has sticker 1;")
    assert len(listed.quotes) == 10
    assert found.verdict is Verdict.RESTRICTED


def test_a_citation_that_its_chunk_does_not_have_is_no_answer() -> None:
    first = passage("Kites are banned. And so say all of us, every day of the week.", "Kites")
    other = replace(first, chunk=replace(first.chunk, chunk_text="Kites are banned. But who would say so on a Sunday?"))
    composed = compose(question("kites"), [target("kites", "uk", first), target("kites", "fr", other)], ())
    assert composed.answer is None
