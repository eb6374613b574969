"""The whole way of a question, where a catalogue declares labels with variants."""

from dataclasses import replace

from rag_core.documents import Classification, PolicySource
from rag_core.questions import DeclaredLabel
from tests.fakes.kites import BRIM, answer, document, kites, traced
from tests.fakes.policies import FakePolicyStore, open_desk


async def test_a_declared_label_shuts_the_other_variant_out_and_leaves_the_unlabelled_in() -> None:
    label = DeclaredLabel("variant", {"indoor": ("indoor", "inside"), "outdoor": ("outdoor",)}, "outdoor")
    indoor = document("acme_indoor", kites("Ads for kites are not allowed."), labels={"variant": "indoor"})
    outdoor = document("acme_outdoor", kites("Ads for kites are allowed."), labels={"variant": "outdoor"})
    desk = open_desk(indoor, outdoor, BRIM, labels=(label,))
    inside = await answer(desk, "can I advertise kites inside?")
    assert {each.document_id for each in inside.citations} == {"acme_indoor", "brim_toys"}
    unsaid = await answer(desk, "can I advertise kites?")
    assert {each.document_id for each in unsaid.citations} == {"acme_outdoor", "brim_toys"}
    assert unsaid.scope.labels == {"variant": ("outdoor",)}


async def test_who_sees_no_document_with_a_label_is_not_told_that_there_is_one() -> None:
    label = DeclaredLabel("variant", {"indoor": ("indoor", "inside"), "outdoor": ("outdoor",)}, "outdoor")
    secret = {"classification": Classification.RESTRICTED, "allowed_groups": frozenset({"legal"})}
    outdoor = document("acme_outdoor", kites("Ads for kites are allowed."), labels={"variant": "outdoor"}, **secret)
    desk = open_desk(outdoor, BRIM, labels=(label,))
    plain = open_desk(BRIM)
    for question in ("can I advertise kites?", "can I advertise kites inside?"):
        reply, trace = await traced(desk, question)
        unlabelled, unlabelled_trace = await traced(plain, question)
        assert reply == unlabelled
        assert trace.question == unlabelled_trace.question
    told = await answer(desk, "can I advertise kites?", groups=frozenset({"legal"}))
    assert told.scope.labels == {"variant": ("outdoor",)}


async def test_variants_are_not_mixed_before_it_is_known_that_there_are_any() -> None:
    """The first document with a label has just come, and the sources were read a moment ago."""
    label = DeclaredLabel("variant", {"indoor": ("indoor",), "outdoor": ("outdoor",)}, "outdoor")
    indoor = document("acme_indoor", kites("Ads for kites are allowed."), labels={"variant": "indoor"})

    class AMomentAgo(FakePolicyStore):
        async def sources(self, groups: frozenset[str]) -> list[PolicySource]:
            return [replace(each, labels=frozenset()) for each in await super().sources(groups)]

    desk = open_desk(indoor, BRIM, store=AMomentAgo(indoor, BRIM), labels=(label,))
    reply = await answer(desk, "can I advertise kites?")
    assert {each.document_id for each in reply.citations} == {"brim_toys"}
    assert reply.scope.labels == {}
