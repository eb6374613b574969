"""Answers for those who have them before their eyes: what proves it, what they may see, the text around a quote."""

from dataclasses import replace

import pytest

from bot.answers.passages import MOST, in_context
from bot.answers.recorded import was_shown_to
from bot.answers.seen import SeenAnswer, SeenAnswers, cited_chunks
from bot.model.messages import Actor, Conversation
from ingest.ports import VersionWrite
from rag_core.answers import Answer
from tests.fakes.documents import Section, make_write, passages_of
from tests.fakes.feedback import FakeGivenAnswers
from tests.fakes.slack_answers import recorded
from tests.fakes.slack_sources import CLOSED, PUBLIC, with_secret
from tests.fakes.web import QUOTE, FakePolicyStore, uk_answer

NOBODY: frozenset[str] = frozenset()
LEGAL = frozenset({"legal"})
OTHER = Actor("slack", "T1", "U2")
HERE = Conversation("slack", "T1", "C1", "1.2")
RECORD = recorded(with_secret(), PUBLIC, CLOSED, answer_id="a1", channel="C1", groups=("legal",))


@pytest.mark.parametrize(
    ("actor", "seen_in", "shown"),
    [
        (OTHER, HERE, True),
        (OTHER, None, False),
        (OTHER, replace(HERE, channel="C2"), False),
        (OTHER, replace(HERE, channel=""), False),
        (OTHER, replace(HERE, workspace="T2"), False),
        (OTHER, replace(HERE, platform="teams"), False),
        (replace(OTHER, workspace="T2"), HERE, False),
        (replace(OTHER, platform="rest"), HERE, False),
    ],
)
def test_an_answer_is_shown_to_who_is_where_it_stands(actor: Actor, seen_in: Conversation | None, shown: bool) -> None:
    assert was_shown_to(RECORD, actor, seen_in) is shown


def test_where_nothing_says_where_it_stood_it_was_shown_to_nobody_else() -> None:
    traces: tuple[dict[str, object] | None, ...] = (None, {}, {"notes": []}, {"notes": {"shown_in": ""}})
    for trace in traces:
        assert not was_shown_to(replace(RECORD, trace=trace), OTHER, HERE)


async def seen(*writes: VersionWrite, groups: frozenset[str]) -> SeenAnswer:
    known = SeenAnswers(FakeGivenAnswers(RECORD), FakePolicyStore(writes))
    found = await known.find("a1", OTHER, HERE)
    assert found is not None
    assert not found.is_own
    return await known.read(found, groups)


async def test_a_reader_gets_the_passages_that_he_may_see() -> None:
    whole, partly = await seen(PUBLIC, CLOSED, groups=LEGAL), await seen(PUBLIC, CLOSED, groups=NOBODY)
    assert (whole.is_whole, len(whole.passages), whole.gone) == (True, 2, 0)
    assert (partly.is_whole, len(partly.passages), partly.gone) == (False, 1, 0)


async def test_what_is_gone_is_told_to_who_could_see_all_of_it() -> None:
    assert (await seen(PUBLIC, groups=LEGAL)).gone == 1
    assert (await seen(groups=NOBODY)).gone == 0


async def test_whoever_is_elsewhere_finds_nothing() -> None:
    known = SeenAnswers(FakeGivenAnswers(RECORD), FakePolicyStore())
    assert await known.find("a1", OTHER, None) is None
    assert await known.find("a2", OTHER, HERE) is None


@pytest.mark.parametrize("citations", [None, "x", [1, {}, {"chunk_id": 3}]])
def test_a_reply_without_citations_cites_nothing(citations: object) -> None:
    assert cited_chunks({"citations": citations}) == ()


async def context(answer: Answer, write: VersionWrite) -> tuple[str, str, str]:
    record = recorded(answer, write, answer_id="a1", channel="C1")
    store = FakePolicyStore([write])
    read = await SeenAnswers(FakeGivenAnswers(record), store).read(SeenAnswer(record, True), NOBODY)
    found = await in_context(read, store, NOBODY)
    [one] = found.values()
    return one.before, one.quote, one.after


async def test_a_short_passage_is_shown_with_those_beside_it() -> None:
    before, quote, after = await context(uk_answer(PUBLIC), PUBLIC)
    assert (before, quote, after) == (
        "Advertisements for alcohol must not be addressed to minors.",
        QUOTE,
        "In Germany, alcohol ads are not allowed before films for children.",
    )


async def test_of_a_long_passage_the_words_nearest_to_the_quote() -> None:
    long = make_write(sections=(Section("UK", f"{'first ' * 100}near. {QUOTE} {'last ' * 100}"),))
    before, _, after = await context(uk_answer(long), long)
    assert before.endswith("first near.")
    assert before.startswith("first ")
    assert after.startswith("last ")
    assert max(len(before), len(after)) <= 350


async def test_a_quote_at_another_place_is_looked_for_and_a_lead_in_has_the_passage_behind_it() -> None:
    answer = uk_answer(PUBLIC)
    moved = replace(answer, citations=(replace(answer.citations[0], char_start=0),))
    assert (await context(moved, PUBLIC))[1] == QUOTE
    lead_in = replace(answer, citations=(replace(answer.citations[0], quote="Only under these conditions:"),))
    before, quote, after = await context(lead_in, PUBLIC)
    assert (before, quote) == ("", "Only under these conditions:")
    assert after.startswith(QUOTE[:20])


async def test_of_very_many_sources_only_the_first_are_read() -> None:
    write = make_write(sections=tuple(Section(f"S{n}", f"Rule {n} holds.") for n in range(MOST + 5)))
    one = uk_answer(write, "Rule 0 holds.").citations[0]
    cited = tuple(
        replace(one, number=n + 1, chunk_id=each.chunk.chunk_id, quote=each.chunk.chunk_text)
        for n, each in enumerate(passages_of(write))
    )
    record = recorded(replace(uk_answer(PUBLIC), citations=cited), answer_id="a1", channel="C1")
    store = FakePolicyStore([write])
    read = await SeenAnswers(FakeGivenAnswers(record), store).read(SeenAnswer(record, True), NOBODY)
    assert len(await in_context(read, store, NOBODY)) == MOST
