"""Approved answers held against questions that mean the same, and against near-misses nobody tuned on."""

from dataclasses import dataclass

import pytest

from adapters.models.onnx import OnnxEmbedder
from rag_core.answers import Answer, AskTrace, Reply
from rag_core.curated.asking import CuratedAsker, shown
from rag_core.ports import Watching
from rag_core.questions import AskRequest, Intent, Question, Scope
from rag_core.understanding.places import find_places
from tests.fakes.curated import SOURCES, TODAY, FakeCurated, FakeVectors, Family, curated, families
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.policies import FakePolicyStore

FEWEST_NEAR_MISSES = 150
LEAST_RECALL = 0.85

WRITES = [
    make_write(make_version(f"{each.slug}_rules"), (Section("Rules", "A rule that holds everywhere, for all ads."),))
    for each in SOURCES
]
STORE = FakePolicyStore(*WRITES, names={each.slug: each for each in SOURCES})


@dataclass(frozen=True, slots=True)
class PlacesHaveTheirOwn:
    """The policies' own answer: a rule that holds everywhere, and in every place one of its own."""

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        regions = ("mars",) if find_places(request.text) else ("global",)
        write = make_write(make_version("acme_x"), (Section("Rule", "A rule that is cited in this answer.", regions),))
        passage = passages_of(write)[0]
        question = Question(request.text, Scope(request.today), Intent.PERMISSION, ())
        answer = shown(curated(cites=[passage]), question, {passage.chunk.chunk_id: passage})
        return Answer(answer.scope, answer.statements, answer.citations), AskTrace(question)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


def asker_of(found: list[Family], embedder: OnnxEmbedder) -> CuratedAsker:
    cited = passages_of(WRITES[0])
    answers = [curated(each.name, wordings=each.wordings, scope=each.scope, cites=cited) for each in found]
    return CuratedAsker(PlacesHaveTheirOwn(), FakeCurated(answers), FakeVectors(), embedder, STORE)


async def shown_to(asker: CuratedAsker, question: str) -> str:
    """The key of the approved answer that was shown, "" for none."""
    reply, _ = await asker.ask(AskRequest(question, TODAY))
    found = reply.approved if isinstance(reply, Answer) else None
    return found.curated_id.removeprefix("id-") if found else ""


@pytest.mark.parametrize("name", ["blind", "development"])
async def test_no_near_miss_is_shown_an_approved_answer(name: str, embedder: OnnxEmbedder) -> None:
    found = families(name)
    asker = asker_of(found, embedder)
    near = [(family.name, text) for family in found for _, text in family.others]
    assert len(near) >= (FEWEST_NEAR_MISSES if name == "blind" else 40)
    assert [(family, text) for family, text in near if await shown_to(asker, text)] == []


async def test_what_means_the_same_finds_its_answer_and_no_other(embedder: OnnxEmbedder) -> None:
    found = families("blind")
    asker = asker_of(found, embedder)
    same = [(family.name, await shown_to(asker, text)) for family in found for text in family.same]
    wordings = [(family.name, await shown_to(asker, text)) for family in found for text in family.wordings]
    assert {(meant, got) for meant, got in (*same, *wordings) if got not in ("", meant)} == set()
    assert sum(meant == got for meant, got in same) / len(same) >= LEAST_RECALL
