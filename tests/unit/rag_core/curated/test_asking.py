"""When an approved answer is shown, and when the policies' own answer is given all the same."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from rag_core.answers import Answer, Notice, PlaceVerdict, Reply, Statement, Verdict, WarningCode
from rag_core.curated.asking import CURATED, CuratedAsker, shown
from rag_core.curated.kept import CuratedAnswer, CuratedScope, CuratedState, stands_on
from rag_core.documents import Classification, ContentType, Passage, VersionStatus, chunk_checksum
from rag_core.errors import Unavailable
from rag_core.questions import AskRequest, Filters, Intent, Question, Scope, Turn
from tests.fakes.copies import FailingStore
from tests.fakes.curated import TODAY, FakeCurated, FakeVectors, ScriptedAsker, curated
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.policies import FakePolicyStore

ASKED = "Can I advertise alcohol in the UK?"
RULE = Section("Alcohol", "Ads for alcohol must not be shown to minors anywhere.")
LEGAL = frozenset({"legal"})


def stored(**changes: object) -> tuple[FakePolicyStore, Passage]:
    write = make_write(make_version(**changes), (RULE,))  # type: ignore[arg-type]
    return FakePolicyStore(write), passages_of(write)[0]


class World:
    """One approved answer before an asker that refuses."""

    def __init__(self, *answers: CuratedAnswer, store: FakePolicyStore | None = None, own: Reply | None = None) -> None:
        self.own, self.kept, self.vectors = ScriptedAsker(own), FakeCurated(list(answers)), FakeVectors()
        self.embedder = FakeEmbedder()
        self.store = store or STORE
        self.asker = CuratedAsker(self.own, self.kept, self.vectors, self.embedder, self.store)

    async def ask(self, text: str = ASKED, **more: object) -> Answer | None:
        """The approved answer, if it was shown."""
        reply, _ = await self.asker.ask(AskRequest(text, TODAY, **more))  # type: ignore[arg-type]
        return reply if isinstance(reply, Answer) and reply.approved else None


STORE, PASSAGE = stored()
ANSWER = curated(cites=[PASSAGE], verdict=Verdict.RESTRICTED)


def own_answer(regions: tuple[str, ...] = ("global",), **changes: object) -> Answer:
    """What the policies answer by themselves."""
    passage = replace(PASSAGE, chunk=replace(PASSAGE.chunk, regions=regions))
    made = shown(ANSWER, Question(ASKED, Scope(TODAY), Intent.PERMISSION, ()), {passage.chunk.chunk_id: passage})
    return replace(made, approved=None, **changes)  # type: ignore[arg-type]


async def test_it_says_who_approved_it_and_when_and_what_it_stands_on() -> None:
    world = World(ANSWER)
    reply, trace = await world.asker.ask(AskRequest(ASKED, TODAY))
    assert isinstance(reply, Answer)
    assert reply.approved is not None
    assert (reply.approved.by, reply.approved.on) == ("Legal desk", date(2026, 11, 1))
    assert [each.text for each in reply.statements] == ["Ask the desk before it runs."]
    cited = reply.citations[0]
    assert STORE_TEXT[cited.char_start : cited.char_end] == cited.quote == RULE.body[:40]
    assert [(each.region, each.verdict) for each in reply.verdicts] == [("uk", Verdict.RESTRICTED)]
    note = trace.notes[CURATED]
    assert (note["id"], note["revision"]) == ("id-alcohol", 1)
    assert [(each.chunk_id, each.fate) for each in trace.candidates] == [(PASSAGE.chunk.chunk_id, "cited")]
    assert world.own.asked == 0


async def test_a_persons_words_are_not_shown_before_it_is_said_that_they_are() -> None:
    """What grows under the reader's eyes is shown as quotes of the policies."""
    watched = Watched()
    reply, _ = await World(ANSWER).asker.ask(AskRequest(ASKED, TODAY), watched)
    assert isinstance(reply, Answer)
    assert reply.approved is not None
    assert (watched.questions, watched.statements) == ([ASKED], [])


class Watched:
    def __init__(self) -> None:
        self.questions: list[str] = []
        self.statements: list[str] = []

    def understood(self, question: Question) -> None:
        self.questions.append(question.text)

    def stated(self, statement: Statement) -> None:
        self.statements.append(statement.text)


STORE_TEXT = make_write(make_version(), (RULE,)).text


@pytest.mark.parametrize(
    "text",
    [
        "Can I advertise alcohol in Germany?",
        "Can I advertise alcohol?",
        "Can I advertise alcohol in the UK and Germany?",
        "Can I advertise alcohol in the UK on Acme?",
        "Can I not advertise alcohol in the UK?",
        "Can I advertise alcohol in the UK as of 1 March 2026?",
        "Could I advertise alcohol in the UK in 2024?",
        "Can I advertise alcohol in the UK since March 2026?",
        "Can I advertise alcohol in the UK in a video?",
        "What has changed for alcohol in the UK?",
        "Compare alcohol in the UK and France",
    ],
)
async def test_another_question_is_answered_by_the_policies(text: str) -> None:
    assert await World(ANSWER).ask(text) is None


async def test_what_the_asker_fixed_counts_like_words() -> None:
    world = World(ANSWER)
    assert await world.ask("Can I advertise alcohol?", filters=Filters(regions=("uk",))) is not None
    assert await world.ask(filters=Filters(regions=("de",))) is None
    assert await world.ask(filters=Filters(content_types=(str(ContentType.VIDEO),))) is None
    assert await world.ask(filters=Filters(sections=("Alcohol",))) is None
    assert await world.ask(filters=Filters(labels={"product": ("ads",)})) is None
    assert await world.ask(as_of=TODAY) is not None
    assert await world.ask(as_of=TODAY - timedelta(days=1)) is None
    assert await world.ask(as_of=TODAY + timedelta(days=1)) is None


async def test_what_a_channel_means_counts_like_words() -> None:
    plain = "Can I advertise alcohol?"
    here = Filters(regions=("uk",))
    found = await World(ANSWER).ask(plain, defaults=here)
    assert found is not None
    assert (found.scope.regions, "regions" in found.scope.assumed) == (("uk",), True)
    assert await World(ANSWER).ask(plain, defaults=Filters(regions=("de",))) is None
    assert await World(ANSWER).ask("Can I advertise alcohol in any country?", defaults=here) is None
    # one on no platform is not the answer where a platform is meant
    assert await World(ANSWER).ask(defaults=Filters(("acme",))) is None
    assert await World(ANSWER).ask(defaults=Filters(regions=("atlantis",))) is None  # it is said that it is ignored


async def test_a_place_that_is_asked_back_is_not_passed_over() -> None:
    asked = "Can I advertise alcohol in the UK and Austrlia?"
    assert await World(ANSWER).ask(asked) is None


async def test_a_follow_up_gets_none_for_it_may_have_been_completed_wrongly() -> None:
    before = (Turn("user", "Can I advertise alcohol in France?"), Turn("assistant", "No."))
    assert await World(ANSWER).ask("And in the UK?", history=before) is None
    assert await World(ANSWER).ask(history=before) is not None


async def test_a_wider_answer_holds_only_where_the_place_has_no_rule_of_its_own() -> None:
    worldwide = replace(ANSWER, scope=CuratedScope())
    agreed = own_answer(verdicts=(PlaceVerdict("de", "acme", Verdict.RESTRICTED, (), (1,)),))
    german = "Can I advertise alcohol in Germany?"
    assert await World(worldwide, own=agreed).ask(german) is not None
    assert await World(worldwide, own=agreed).ask("Can I advertise alcohol?") is not None
    assert await World(worldwide, own=replace(agreed, verdicts=())).ask(german) is None
    stricter = (PlaceVerdict("de", "acme", Verdict.PROHIBITED, (), (1,)),)
    assert await World(worldwide, own=replace(agreed, verdicts=stricter)).ask(german) is None
    of_its_own = own_answer(("de",), verdicts=agreed.verdicts)
    assert await World(worldwide, own=of_its_own).ask(german) is None
    differing = replace(agreed, warnings=(Notice(WarningCode.PLACES_DIFFER),))
    assert await World(worldwide, own=differing).ask(german) is None
    assert await World(worldwide, own=replace(agreed, not_stated=("beer",))).ask(german) is None
    assert await World(worldwide).ask(german) is None  # the policies do not say


async def test_a_wider_answer_without_a_verdict_hides_none_of_the_policies() -> None:
    """A worldwide list may forbid in Germany what an approved answer says nothing of."""
    silent = replace(ANSWER, scope=CuratedScope(), verdict=None)
    german = "Can I advertise alcohol in Germany?"
    banned = own_answer(verdicts=(PlaceVerdict("de", "acme", Verdict.PROHIBITED, (), (1,)),))
    assert await World(silent, own=banned).ask(german) is None
    assert await World(silent, own=own_answer(verdicts=())).ask(german) is not None


async def test_a_wider_answer_is_not_shown_where_platforms_differ() -> None:
    worldwide = replace(ANSWER, scope=CuratedScope(), verdict=None)
    mixed = own_answer(
        verdicts=(
            PlaceVerdict(None, "acme", Verdict.ALLOWED, (), (1,)),
            PlaceVerdict(None, "brim", Verdict.PROHIBITED, (), (1,)),
        )
    )
    assert await World(worldwide, own=mixed).ask("Can I advertise alcohol?") is None


async def test_an_answer_for_the_eu_is_none_for_the_uk() -> None:
    european = replace(ANSWER, scope=CuratedScope(("eu",)))
    agreed = own_answer(("eu",))
    assert await World(european, own=agreed).ask("Can I advertise alcohol in France?") is not None
    assert await World(european, own=agreed).ask(ASKED) is None


async def test_nothing_is_shown_on_rules_that_do_not_stand() -> None:
    ended, cited = stored(effective_to=TODAY)
    assert await World(curated(cites=[cited]), store=ended).ask() is None
    coming, cited = stored(effective_from=TODAY + timedelta(days=1))
    assert await World(curated(cites=[cited]), store=coming).ask() is None
    retired, cited = stored(status=VersionStatus.RETIRED)
    assert await World(curated(cites=[cited]), store=retired).ask() is None
    changed = replace(ANSWER, citations=(replace(ANSWER.citations[0], content_hash="0"),))
    assert await World(changed).ask() is None
    gone = replace(ANSWER, citations=(replace(ANSWER.citations[0], chunk_id="gone"),))
    assert await World(gone).ask() is None
    half = replace(ANSWER, citations=(*ANSWER.citations, gone.citations[0]))
    assert await World(half).ask() is None
    assert await World(replace(ANSWER, citations=())).ask() is None


async def test_only_those_see_it_who_see_what_it_cites() -> None:
    store, cited = stored(classification=Classification.RESTRICTED, allowed_groups=LEGAL)
    world = World(curated(cites=[cited]), store=store)
    assert await world.ask() is None
    assert await world.ask(groups=frozenset({"sales"})) is None
    assert await world.ask(groups=LEGAL) is not None


@pytest.mark.parametrize("state", [CuratedState.DRAFT, CuratedState.SUSPENDED, CuratedState.RETIRED])
async def test_nothing_but_approved_answers_is_shown(state: CuratedState) -> None:
    assert await World(curated(cites=[PASSAGE], state=state)).ask() is None
    assert await World(replace(ANSWER, approval=None)).ask() is None


async def test_one_that_cannot_be_read_keeps_nobody_from_asking() -> None:
    odd = (replace(ANSWER, wordings=("x" * 10_000,)), replace(ANSWER, scope=CuratedScope(("atlantis",))))
    for each in odd:
        world = World(each)
        assert await world.ask() is None
        assert world.own.asked == 1
        assert await World(replace(each, curated_id="id-odd"), ANSWER).ask() is not None


async def test_of_two_that_fit_none_is_shown() -> None:
    other = replace(ANSWER, curated_id="id-other", key="other")
    assert await World(ANSWER, other).ask() is None
    # but one for the place itself goes before one for the world
    worldwide = replace(other, scope=CuratedScope())
    found = await World(ANSWER, worldwide).ask()
    assert found is not None
    assert found.approved is not None
    assert found.approved.curated_id == "id-alcohol"


async def test_without_the_store_of_answers_the_policies_answer() -> None:
    world = World(ANSWER)
    world.kept.down = True
    assert await world.ask() is None
    assert world.own.asked == 1


async def test_where_a_cited_text_was_changed_in_the_store_nothing_is_answered() -> None:
    store = FailingStore(make_write(make_version(), (RULE,)))
    store.changed = True
    world = World(ANSWER, store=store)
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await world.ask()
    assert world.own.asked == 0


@pytest.mark.parametrize(("checksum", "stands"), [(chunk_checksum(PASSAGE.chunk), True), ("0", False)])
def test_a_changed_chunk_carries_no_approved_answer(checksum: str, stands: bool) -> None:
    found = stands_on(ANSWER, [replace(PASSAGE, checksum=checksum)], TODAY)
    assert (found is not None) is stands


async def test_without_the_model_the_policies_answer() -> None:
    world = World(ANSWER)
    world.asker.embedder = Silent()
    assert await world.ask() is None
    assert world.own.asked == 1


class Silent(FakeEmbedder):
    async def embed(self, texts):  # type: ignore[no-untyped-def]
        raise Unavailable("model_failed")


async def test_wordings_are_embedded_once_for_each_model_and_read_once_a_revision() -> None:
    world = World(ANSWER)
    await world.ask()
    await world.ask()
    assert world.embedder.embedded.count("Can I advertise alcohol") == 3  # the wording once, the question twice
    assert world.kept.read == ["id-alcohol"]
    world.asker.embedder = FakeEmbedder(model="another")
    assert await world.ask() is not None
    assert {model for model, _ in world.vectors.kept} == {"fake-bag-of-words", "another"}
    world.kept.answers = [replace(ANSWER, revision=2, wordings=("Can I advertise cigars in the UK?",))]
    assert await world.ask() is None
    assert world.kept.read == ["id-alcohol", "id-alcohol"]


async def test_words_alone_do_not_do() -> None:
    """The same words, far apart in meaning by the model's lights."""
    world = World(ANSWER)
    world.asker.embedder = Opposite()
    assert await world.ask() is None


class Opposite(FakeEmbedder):
    async def embed(self, texts):  # type: ignore[no-untyped-def]
        made = await super().embed(texts)
        return [made[0], *(-each for each in made[1:])]
