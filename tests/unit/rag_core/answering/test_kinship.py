"""Words that no rule has, and what is akin to them: with the packaged model, on made-up rules."""

import asyncio

import pytest

from adapters.models.onnx import OnnxEmbedder
from rag_core.answering.evidence import Evidence, judge
from rag_core.answering.kinship import Kinship
from rag_core.answering.verdicts import decide
from rag_core.answers import Verdict
from rag_core.ports import Vector
from rag_core.questions import AskRequest, Question
from rag_core.retrieval.found import Found
from rag_core.understanding.understand import understand
from tests.fakes.documents import Section, passages_of
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.kites import TODAY, document
from tests.fakes.policies import SilentEmbedder

RULES = document(
    "acme_rules",
    Section("Couches", "Ads for couches are not allowed.", ("global",)),
    Section("Cutlery", "Ads for kitchen knives must show the length of the blade.", ("global",)),
    Section("Bicycles", "Ads for bicycles are allowed.", ("global",)),
)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    embedder = OnnxEmbedder()
    asyncio.run(embedder.embed(["loaded before the time counts"]))
    return embedder


def asked(text: str) -> Question:
    return understand(AskRequest(text, TODAY), ())


def found(*, cosine: float | None = 0.4) -> list[Found]:
    return [Found(passage, 1.0 - number / 10, cosine) for number, passage in enumerate(passages_of(RULES))]


async def judged(text: str, embedder: OnnxEmbedder) -> Evidence:
    extended = await Kinship(embedder).extended(asked(text), found())
    return judge(extended, None, found())


def test_without_it_the_word_is_in_no_rule() -> None:
    evidence = judge(asked("can we advertise sofas?"), None, found())
    assert not evidence.may_decide
    assert "sofas" in evidence.not_stated


@pytest.mark.parametrize(
    ("text", "named", "verdict"),
    [
        ("can we advertise sofas?", "sofas", Verdict.PROHIBITED),
        ("may I run ads for cooking knives with ceramic blades?", "cooking", Verdict.RESTRICTED),
    ],
)
async def test_a_thing_akin_is_under_the_rule_and_named_as_not_stated(
    text: str, named: str, verdict: Verdict, embedder: OnnxEmbedder
) -> None:
    evidence = await judged(text, embedder)
    assert named in evidence.not_stated
    assert decide(evidence).verdict is verdict


async def test_nothing_is_allowed_because_it_is_like_something_that_is(embedder: OnnxEmbedder) -> None:
    evidence = await judged("can we advertise mountain bikers' motorbikes?", embedder)
    assert decide(evidence).verdict is not Verdict.ALLOWED
    assert evidence.not_stated


@pytest.mark.parametrize("text", ["can we advertise toy couches?", "can we advertise fake couches?"])
async def test_what_a_word_turns_round_is_akin_to_nothing(text: str, embedder: OnnxEmbedder) -> None:
    extended = await Kinship(embedder).extended(asked(text), found())
    assert not any(term.akin for term in extended.terms)


async def test_a_thing_of_another_kind_is_akin_to_nothing(embedder: OnnxEmbedder) -> None:
    extended = await Kinship(embedder).extended(asked("can we advertise mortgages?"), found())
    assert [term.akin for term in extended.terms] == [()]


async def test_phrases_of_rules_are_embedded_once_and_words_of_people_never_kept() -> None:
    embedder = FakeEmbedder()
    kinship = Kinship(embedder)
    for _ in range(2):
        await kinship.extended(asked("can we advertise sofas?"), found())
    assert embedder.embedded.count("couches") == 1
    assert embedder.embedded.count("sofas") == 2


class SlowEmbedder(SilentEmbedder):
    async def embed(self, texts: object) -> list[Vector]:
        await asyncio.sleep(60)
        raise AssertionError


@pytest.mark.parametrize("embedder", [SilentEmbedder(), SlowEmbedder()])
async def test_a_model_that_is_silent_changes_nothing(embedder: SilentEmbedder) -> None:
    question = asked("can we advertise sofas?")
    async with asyncio.timeout(20):
        assert await Kinship(embedder).extended(question, found()) == question


def test_the_nearest_passage_is_shown_where_few_words_are_said() -> None:
    evidence = judge(asked("can we advertise velvet settees with oak legs?"), None, found())
    assert evidence.is_far
    assert [rule.unit.text for rule in evidence.rules] == ["Ads for couches are not allowed."]
    assert decide(evidence).verdict is None
    assert "settees" in " ".join(evidence.not_stated)


@pytest.mark.parametrize("cosine", [None, 0.2])
def test_what_is_not_near_is_not_shown(cosine: float | None) -> None:
    evidence = judge(asked("can we advertise velvet settees with oak legs?"), None, found(cosine=cosine))
    assert (evidence.rules, evidence.may_decide) == ((), False)


@pytest.mark.parametrize("text", ["can we advertise bicycle lessons?", "can we advertise couch insurance?"])
async def test_a_phrase_is_no_kin_by_the_word_alone_that_it_shares(text: str, embedder: OnnxEmbedder) -> None:
    """Bicycles are nothing wider than bicycle lessons, though the model finds the two alike."""
    evidence = await judged(text, embedder)
    assert decide(evidence).verdict is None
    assert evidence.not_stated
