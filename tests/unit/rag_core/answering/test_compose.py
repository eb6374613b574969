"""Evidence and decisions into an answer in which everything was checked against its source."""

from dataclasses import replace

from rag_core.answering.compose import Target, compose
from rag_core.answering.evidence import Evidence, Rule
from rag_core.answering.verdicts import Decision
from rag_core.answering.verify import is_sound, is_supported
from rag_core.answers import Answer, Verdict
from rag_core.documents import Passage
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
    return replace(
        found, evidence=Evidence(_changed(found.evidence.rules, said), (), ()), decision=_decided(found, said)
    )


def _decided(found: Target, said: str) -> Decision:
    return replace(found.decision, deciding=_changed(found.decision.deciding, said), conditions=())


def _changed(rules: tuple[Rule, ...], said: str) -> tuple[Rule, ...]:
    return tuple(
        replace(
            rule,
            reading=replace(
                rule.reading,
                unit=replace(rule.unit, body=tuple(replace(quote, text=said) for quote in rule.unit.body)),
            ),
        )
        for rule in rules
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


def test_words_that_nothing_covers_are_named_and_there_is_no_verdict() -> None:
    found = answer(target("red kites", None, kites(YES), passage("Balloons are red.", "Balloons")), text="red kites")
    assert found.not_stated == ("red",)
    assert found.verdicts == ()
    assert found.statements


def test_a_list_that_is_too_long_keeps_the_verdict_of_its_lead_in() -> None:
    items = "\n".join(f"- the kite has sticker {number} {'on its tail ' * 12}" for number in range(9))
    found = answer(target("kites", None, kites(f"Ads for kites may run if:\n\n{items}")))
    assert found.statements[0].text.endswith("[...]")
    assert found.verdict is Verdict.RESTRICTED
    assert 0 < len(found.verdicts[0].conditions) < 9


def test_a_citation_that_its_chunk_does_not_have_is_no_answer() -> None:
    first = passage("Kites are banned. And so say all of us, every day of the week.", "Kites")
    other = replace(first, chunk=replace(first.chunk, chunk_text="Kites are banned. But who would say so on a Sunday?"))
    composed = compose(question("kites"), [target("kites", "uk", first), target("kites", "fr", other)], ())
    assert composed.answer is None
