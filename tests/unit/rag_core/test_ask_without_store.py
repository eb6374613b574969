"""Questions while the store is silent: answered from copies of public documents, and told."""

from dataclasses import replace
from datetime import date

import pytest

from ingest.ports import VersionWrite
from rag_core.answers import RefusalReason
from rag_core.ask import Asker
from rag_core.errors import Unavailable
from rag_core.retrieval.search import PolicySearch
from tests.fakes.copies import FailingStore, FakeCopies
from tests.fakes.documents import Section
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.kites import (
    DARTS,
    NO,
    QUESTIONS,
    ROWS,
    SECRET,
    TOYS,
    answer,
    ask,
    document,
    kites,
    refusal,
    traced,
    two_chunks,
)
from tests.fakes.policies import Desk, FakeSearchIndex
from tests.fakes.reader import FakeReader


def outage(*writes: VersionWrite, copied: bool = True) -> tuple[Desk, FailingStore]:
    """A desk whose store a test can silence. The copies hold everything, restricted documents too."""
    embedder, store = FakeEmbedder(), FailingStore(*writes)
    copies = FakeCopies(*writes) if copied else None
    index = FakeSearchIndex(*writes, embedder=embedder)
    search = PolicySearch(index, store, embedder, copies)
    return Desk(store, index, search, Asker(search, store, copies, reader=FakeReader())), store


@pytest.mark.parametrize("text", ["can I advertise kites in the UK?", "can I advertise zeppelins?", "what can I do?"])
async def test_a_silent_store_is_survived_and_told_once(text: str) -> None:
    desk, store = outage(TOYS, DARTS)
    before = await ask(desk, text)
    assert before.degraded == ()
    store.is_down = True
    reply = await ask(desk, text)
    assert reply.degraded == ("store",)
    assert replace(reply, degraded=()) == before


async def test_the_rest_of_a_section_comes_from_the_copies_too() -> None:
    write = two_chunks(Section("Table", ROWS))
    desk, store = outage(write)
    await ask(desk, "can I advertise kites?")
    store.is_down = True
    reply, trace = await traced(desk, "can I advertise kites in Peru?")
    assert reply.degraded == ("store",)
    assert write.chunks[1].chunk_id in {each.chunk_id for each in trace.candidates}


async def test_another_day_is_told_from_the_copies_too() -> None:
    desk, store = outage(document("acme_toys", kites(NO), effective_to=date(2026, 5, 1)), DARTS)
    await ask(desk, "can I advertise kites?")
    store.is_down = True
    reply = await refusal(desk, "can I advertise kites?")
    assert (reply.reason, reply.degraded) == (RefusalReason.OTHER_DAY, ("store",))


async def test_a_store_that_falls_silent_in_the_middle_is_told() -> None:
    desk, store = outage(TOYS)
    await desk.asker._sources.known(frozenset())
    store.is_down = True
    assert (await answer(desk, "can I advertise kites in Peru?")).degraded == ("store",)


@pytest.mark.parametrize("text", ["can I advertise kites in Peru?", "can I advertise zeppelins?"])
async def test_a_store_that_falls_silent_at_any_step_is_told(text: str) -> None:
    write = two_chunks(Section("Table", ROWS))
    desk, store = outage(write)
    await ask(desk, text)
    store.calls = 0
    await ask(desk, text)
    steps = store.calls
    assert steps > 1
    for answered in range(steps):
        store.answers_left = answered
        assert (await ask(desk, text)).degraded == ("store",), f"silent after {answered} of {steps}"


async def test_sources_that_are_only_remembered_are_told() -> None:
    desk, store = outage(TOYS)
    await ask(desk, "can I advertise kites?")
    desk.asker._sources._now = lambda: float("inf")
    store.sources_are_down = True
    assert (await answer(desk, "can I advertise kites in Peru?")).degraded == ("store",)


@pytest.mark.parametrize("text", QUESTIONS)
async def test_a_silent_store_shows_nothing_restricted_not_even_to_its_group(text: str) -> None:
    desk, store = outage(TOYS, DARTS, SECRET)
    await ask(desk, text, groups=frozenset({"legal"}))
    store.is_down = True
    shown = repr(await traced(desk, text, groups=frozenset({"legal"})))
    assert "acme_counsel" not in shown
    assert "blessing of counsel." not in shown


async def test_a_silent_store_without_copies_is_an_error() -> None:
    desk, store = outage(TOYS, copied=False)
    await ask(desk, "can I advertise kites?")
    store.is_down = True
    with pytest.raises(Unavailable, match="store_down"):
        await ask(desk, "can I advertise kites in Peru?")
