"""Passages out of the store, or public ones out of the index's copies."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from rag_core.deadlines import within
from rag_core.documents import Classification, VersionStatus
from rag_core.errors import Unavailable
from rag_core.retrieval import stored
from rag_core.retrieval.stored import PassageReader
from tests.fakes.copies import FailingStore, FakeCopies
from tests.fakes.documents import make_version, make_write

LEGAL = frozenset({"legal"})
DAY = date(2026, 6, 1)
WRITE = make_write(make_version("acme_toys"))
SECRET = make_write(
    make_version("acme_counsel", classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))
)
IDS = [chunk.chunk_id for chunk in (*WRITE.chunks, *SECRET.chunks)]


def down(*copied: Any) -> tuple[PassageReader, FakeCopies]:
    store, copies = FailingStore(WRITE, SECRET), FakeCopies(*copied)
    store.is_down = True
    return PassageReader(store, copies), copies


async def test_a_store_that_answers_is_the_only_one_asked() -> None:
    copies = FakeCopies()
    copies.error = AssertionError("asked")
    read = await PassageReader(FailingStore(WRITE, SECRET), copies).passages(IDS, LEGAL, DAY)
    assert [each.chunk.chunk_id for each in read.passages] == IDS
    assert read.degraded == ()


async def test_no_copy_stands_in_for_a_text_that_was_changed_in_the_store() -> None:
    copies = FakeCopies(WRITE)
    copies.error = AssertionError("asked")
    store = FailingStore(WRITE)
    store.changed = True
    reader = PassageReader(store, copies)
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await reader.passages(IDS, frozenset(), DAY)
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await reader.section(WRITE.version.doc_id, 0, 1, frozenset())


async def test_without_copies_it_is_as_the_store_is() -> None:
    store = FailingStore(WRITE)
    reader = PassageReader(store)
    assert (await reader.section(WRITE.version.doc_id, 0, 1, frozenset())).passages
    store.is_down = True
    with pytest.raises(Unavailable, match="store_down"):
        await reader.passages(IDS, LEGAL, DAY)
    with pytest.raises(Unavailable, match="store_down"):
        await reader.section(WRITE.version.doc_id, 0, 1, frozenset())


async def test_copies_stand_in_and_it_is_said() -> None:
    reader, _ = down(WRITE)
    read = await reader.passages(list(reversed(IDS)), frozenset(), DAY)
    assert [each.chunk.chunk_id for each in read.passages] == [each.chunk_id for each in reversed(WRITE.chunks)]
    section = await reader.section(WRITE.version.doc_id, 1, 2, frozenset())
    assert [each.chunk.chunk_index for each in section.passages] == [1, 2]
    assert read.degraded == section.degraded == ("store",)


@pytest.mark.parametrize("groups", [frozenset[str](), LEGAL])
async def test_no_restricted_text_from_a_copy_whoever_asks(groups: frozenset[str]) -> None:
    reader, _ = down(SECRET)
    assert (await reader.passages(IDS, groups, DAY)).passages == []
    assert (await reader.section(SECRET.version.doc_id, 0, 9, groups)).passages == []


@pytest.mark.parametrize(
    ("changes", "day"),
    [
        ({"status": VersionStatus.HELD}, None),
        ({"status": VersionStatus.FAILED}, DAY),
        ({"effective_to": DAY}, DAY),
        ({"effective_from": date(2026, 6, 2)}, DAY),
    ],
)
async def test_what_the_copy_itself_knows_to_be_over_is_dropped(changes: dict[str, Any], day: date | None) -> None:
    reader, _ = down(replace(WRITE, version=replace(WRITE.version, **changes)))
    assert (await reader.passages(IDS, frozenset(), day)).passages == []


async def test_a_retired_version_still_speaks_for_its_days() -> None:
    old = replace(WRITE, version=replace(WRITE.version, status=VersionStatus.RETIRED, effective_to=DAY))
    reader, _ = down(old)
    assert (await reader.passages(IDS, frozenset(), date(2026, 5, 31))).passages
    assert not (await reader.passages(IDS, frozenset(), DAY)).passages


async def test_both_silent_is_an_error() -> None:
    reader, copies = down(WRITE)
    copies.error = Unavailable("index_down")
    with pytest.raises(Unavailable, match="index_down"):
        await reader.passages(IDS, frozenset(), DAY)


async def test_a_store_that_hangs_costs_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "STORE_SECONDS", 0.02)
    store = FailingStore(WRITE)
    store.hangs = True
    read = await PassageReader(store, FakeCopies(WRITE)).passages(IDS, frozenset(), DAY)
    assert (len(read.passages), read.degraded) == (len(WRITE.chunks), ("store",))


async def test_the_end_of_the_whole_answers_time_is_not_taken_for_a_silent_store() -> None:
    store = FailingStore(WRITE)
    store.hangs = True
    with pytest.raises(TimeoutError):
        async with within(0.02):
            await PassageReader(store, FakeCopies(WRITE)).passages(IDS, frozenset(), DAY)
