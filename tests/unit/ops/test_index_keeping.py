"""The index follows the store by itself: on a real store and a real index, which fail when a test says so."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import pytest

from ingest.indexing import compare
from ingest.parts import IndexingParts
from ingest.ports import IndexEntry, VersionUpdate
from ops.keeping.index import IndexKeeping, KeepingPace
from rag_core.documents import VersionStatus
from rag_core.errors import Rejected, Unavailable
from tests.fakes.clock import Clock
from tests.fakes.documents import ACME, make_version, make_write
from tests.fakes.flaky import FakeLease, FlakyWriter
from tests.fakes.indexes import in_batches, vectorised
from tests.fakes.service import until
from tests.fakes.watches import FakeIndexEvents
from tests.fakes.workshop import Workshop, open_workshop

PACE = KeepingPace(idle=1.0, longest=8.0, look_inside=600.0)


@dataclass
class Keep:
    """A keeper with everything around it. `folder` is the index's."""

    shop: Workshop
    folder: Path
    writer: FlakyWriter
    lease: FakeLease = field(default_factory=FakeLease)
    events: FakeIndexEvents = field(default_factory=FakeIndexEvents)
    clock: Clock = field(default_factory=Clock)

    @property
    def parts(self) -> IndexingParts:
        return replace(self.shop, writer=self.writer)

    def keeper(self, pace: KeepingPace = PACE) -> IndexKeeping:
        return IndexKeeping(self.parts, self.lease, self.events, pace=pace, now=self.clock, chance=lambda: 1.0)

    async def store(self, *names: str) -> None:
        await self.shop.versions.save([make_write(make_version(name)) for name in names], [])

    async def is_level(self) -> bool:
        found = await compare(self.shop.outbox, await self.writer.indexed())
        return found.chunks > 0 and not found.differing

    async def lose(self, doc_id: str, entries: Sequence[IndexEntry] = ()) -> None:
        """The index has this of the version, and nobody will tell it otherwise."""
        await self.shop.writer.write(doc_id, entries)
        await self.shop.writer.commit()

    def delete_index(self) -> None:
        shutil.rmtree(self.folder)


@pytest.fixture
async def keep(tmp_path: Path) -> AsyncIterator[Keep]:
    async with open_workshop(tmp_path) as shop:
        await shop.versions.declare(ACME)
        await shop.writer.rebuild(in_batches([]))
        yield Keep(shop, tmp_path / "index", FlakyWriter(shop.writer))


async def test_what_a_dead_process_left_in_the_outbox_is_indexed(keep: Keep) -> None:
    await keep.store("acme_a", "acme_b")
    assert await keep.keeper().keep()
    assert await keep.is_level()
    assert (keep.events.followed, keep.events.rebuilt) == ([2], [])
    assert keep.lease.held == ["index"]
    assert await keep.shop.outbox.waiting() == []


async def test_what_another_process_does_is_not_done_twice(keep: Keep) -> None:
    await keep.store("acme_a")
    keep.lease.is_free = False
    assert not await keep.keeper().keep()
    assert await keep.writer.indexed() == {}


async def test_an_index_of_another_shape_is_built_anew(keep: Keep) -> None:
    await keep.store("acme_a")
    keeper = keep.keeper()
    await keeper.keep()
    (keep.folder / "manifest.json").write_text("{}")
    assert not await keep.writer.is_current()
    await keeper.keep()
    assert keep.events.rebuilt == ["not_current"]
    assert await keep.is_level()


async def test_an_index_that_is_gone_is_built_anew_in_the_next_round(keep: Keep) -> None:
    await keep.store("acme_a", "acme_b")
    keeper = keep.keeper()
    await keeper.keep()
    await keeper.keep()
    keep.shop.embedder.embedded.clear()
    keep.delete_index()
    await keeper.keep()
    assert keep.events.rebuilt == ["not_current"]
    assert await keep.is_level()
    assert keep.shop.embedder.embedded == []
    await keeper.keep()
    assert keep.writer.rebuilds == 1


async def test_an_index_that_lost_a_part_is_found_out_in_time(keep: Keep) -> None:
    await keep.store("acme_a", "acme_b")
    keeper = keep.keeper()
    await keeper.keep()
    await keep.lose("acme_a_2026-01-01")
    await keeper.keep()
    assert keep.events.rebuilt == []
    keep.clock.seconds += PACE.look_inside
    await keeper.keep()
    assert keep.events.rebuilt == ["incomplete"]
    assert await keep.is_level()


async def test_all_else_that_doctor_finds_heals_by_itself_too(keep: Keep) -> None:
    """A version that the store does not have, and one whose facts are those of long ago."""
    await keep.store("acme_a")
    keeper = keep.keeper()
    await keeper.keep()
    former = make_write(make_version("acme_a", labels={"stage": "former"}))
    for wrong in (make_write(make_version("acme_orphan")), former):
        await keep.lose(wrong.version.doc_id, vectorised(wrong))
        assert not await keep.is_level()
        keep.clock.seconds += PACE.look_inside
        await keeper.keep()
        assert await keep.is_level()
        await keeper.keep()
    assert keep.events.rebuilt == ["differs", "differs"]
    assert keep.events.troubles == []


async def test_what_waits_in_the_outbox_is_no_loss(keep: Keep) -> None:
    """Its item is put off, say, because it failed before."""
    await keep.store("acme_a", "acme_b")
    keeper = keep.keeper()
    await keeper.keep()
    await keep.lose("acme_a_2026-01-01")
    closed = VersionUpdate("acme_a_2026-01-01", date(2026, 5, 1), VersionStatus.RETIRED, None)
    await keep.shop.versions.save([], [closed])
    [item] = await keep.shop.outbox.pending(1)
    await keep.shop.outbox.failed(item.item_id, "mapping_refused")
    keep.clock.seconds += PACE.look_inside
    await keeper.keep()
    assert keep.writer.rebuilds == 0


async def test_what_somebody_wrote_into_an_emptied_index_does_not_hide_the_loss(keep: Keep) -> None:
    """The server came back empty, and the next document reached it before anybody looked."""
    await keep.store("acme_a", "acme_b")
    await keep.keeper().keep()
    await keep.shop.writer.rebuild(in_batches([]))
    await keep.store("acme_c")
    await keep.keeper().keep()
    assert keep.events.rebuilt == ["incomplete"]
    assert await keep.is_level()


async def test_a_store_without_documents_gets_an_empty_index_once(keep: Keep) -> None:
    keep.delete_index()
    keeper = keep.keeper()
    for _ in range(3):
        await keeper.keep()
        keep.clock.seconds += PACE.look_inside
    assert keep.events.rebuilt == ["not_current"]
    await keep.store("acme_a")
    await keeper.keep()
    await keeper.keep()
    assert keep.writer.rebuilds == 1
    assert await keep.is_level()


async def test_a_version_that_is_refused_does_not_stop_others_and_is_no_loss(keep: Keep) -> None:
    keep.writer.refuses = {"acme_a_2026-01-01"}
    await keep.store("acme_a", "acme_b")
    await keep.keeper().keep()
    await keep.keeper().keep()
    assert keep.writer.rebuilds == 0
    assert {each.doc_id for each in (await keep.writer.indexed()).values()} == {"acme_b_2026-01-01"}
    assert keep.events.failing == [(1, 1, "mapping_refused")] * 2


async def test_each_failure_of_the_outbox_is_told_once(keep: Keep) -> None:
    keep.writer.refuses = {"acme_a_2026-01-01"}
    await keep.store("acme_a")
    keeper = keep.keeper()
    for _ in range(3):
        await keeper.keep()
    assert keep.events.failing == [(1, 1, "mapping_refused")]


@pytest.mark.parametrize("since_the_last_look", [1.0, PACE.look_inside])
async def test_what_even_a_rebuild_does_not_take_is_told_and_not_built_for_ever(
    keep: Keep, since_the_last_look: float
) -> None:
    await keep.store("acme_a", "acme_b")
    keeper = keep.keeper()
    await keeper.keep()
    keep.clock.seconds += since_the_last_look
    keep.delete_index()
    keep.writer.refuses = {"acme_a_2026-01-01"}
    for _ in range(5):
        await keeper.keep()
        keep.clock.seconds += PACE.look_inside
    assert keep.writer.rebuilds == 1
    assert [str(each) for each in keep.events.troubles] == ["index_refuses_versions (versions=1)"]
    assert {each.doc_id for each in (await keep.writer.indexed()).values()} == {"acme_b_2026-01-01"}


async def test_what_was_not_taken_once_and_is_there_again_is_looked_after_again(keep: Keep) -> None:
    await keep.store("acme_a")
    keeper = keep.keeper()
    await keeper.keep()
    keep.delete_index()
    keep.writer.refuses = {"acme_a_2026-01-01"}
    await keeper.keep()
    await keeper.keep()
    keep.writer.refuses = set()
    await keep.lose("acme_a_2026-01-01", vectorised(make_write(make_version("acme_a"))))
    keep.clock.seconds += PACE.look_inside
    await keeper.keep()
    assert keep.writer.rebuilds == 1
    await keep.lose("acme_a_2026-01-01")
    keep.clock.seconds += PACE.look_inside
    await keeper.keep()
    assert keep.writer.rebuilds == 2
    assert await keep.is_level()


@pytest.mark.parametrize("error", [Unavailable("index_failed"), Rejected("odd"), ZeroDivisionError()])
async def test_nothing_ends_it_and_it_heals(keep: Keep, error: Exception) -> None:
    await keep.store("acme_a")
    keep.writer.error = error
    keeping = asyncio.create_task(keep.keeper(KeepingPace(idle=0.001, longest=0.01)).run())

    async def has_failed() -> bool:
        return len(keep.events.troubles) >= 3

    await until(has_failed)
    assert set(keep.events.troubles) == {error}
    keep.writer.error = None
    await until(keep.is_level)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert keeping.cancelled()


async def test_a_lease_that_nobody_can_give_is_waited_for(keep: Keep) -> None:
    await keep.store("acme_a")
    keep.lease.error = Unavailable("store_down")
    keeping = asyncio.create_task(keep.keeper(KeepingPace(idle=0.001, longest=0.01)).run())

    async def has_failed() -> bool:
        return bool(keep.events.troubles)

    await until(has_failed)
    keep.lease.error = None
    await until(keep.is_level)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


async def test_what_comes_back_may_have_come_back_empty(keep: Keep) -> None:
    """And with another document already in it, so that it does not look empty."""
    await keep.store("acme_a", "acme_b")
    keeping = asyncio.create_task(keep.keeper(KeepingPace(idle=0.001, longest=0.01)).run())
    await until(keep.is_level)
    keep.writer.error = Unavailable("index_failed")

    async def has_failed() -> bool:
        return bool(keep.events.troubles)

    await until(has_failed)
    await keep.lose("acme_a_2026-01-01")
    keep.writer.error = None
    await until(keep.is_level)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


async def test_what_is_lost_after_a_failure_is_not_taken_for_what_a_rebuild_refused(keep: Keep) -> None:
    await keep.store("acme_a", "acme_b")
    rounds = 0

    async def between_rounds(_: float) -> None:
        nonlocal rounds
        rounds += 1
        match rounds:
            case 1:
                keep.delete_index()
            case 2:
                assert keep.events.rebuilt == ["not_current"]
                keep.writer.error = Unavailable("index_down")
            case 3:
                assert keep.events.troubles == [keep.writer.error]
                keep.writer.error = None
                await keep.lose("acme_a_2026-01-01")
            case _:
                raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await IndexKeeping(keep.parts, keep.lease, keep.events, pace=PACE, sleep=between_rounds).run()
    assert keep.events.rebuilt == ["not_current", "incomplete"]
    assert await keep.is_level()


async def test_pauses_grow_to_a_bound_with_jitter(keep: Keep) -> None:
    keeper = keep.keeper()
    assert [keeper._pause(failures) for failures in (0, 1, 2, 3, 4, 10_000)] == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    early = IndexKeeping(keep.parts, keep.lease, keep.events, pace=PACE, chance=lambda: 0.0)
    assert [early._pause(failures) for failures in (0, 1, 10)] == [1.0, 1.0, 4.0]


async def test_an_index_that_does_not_become_current_is_not_built_without_a_pause(keep: Keep) -> None:
    """Two versions of this program beside each other would build against one another for ever."""
    await keep.store("acme_a")
    keep.writer.never_current = True
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 6:
            raise asyncio.CancelledError

    keeper = IndexKeeping(keep.parts, keep.lease, keep.events, pace=PACE, chance=lambda: 1.0, sleep=sleep)
    with pytest.raises(asyncio.CancelledError):
        await keeper.run()
    assert keep.writer.rebuilds == 6
    assert pauses == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
