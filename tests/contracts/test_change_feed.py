"""ChangeReader: what saving versions amounts to, as those may see it who ask."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.dialect import lock_for_changes
from adapters.sql.database.transactions import writing
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.policies.versions import SqlVersionStore
from ingest.planner import Arrival, plan
from ingest.ports import VersionUpdate, VersionWrite
from rag_core.changes import ChangeKind, ChangesWanted, PolicyChange, RuleChangeKind
from rag_core.documents import Classification, PolicySource, VersionStatus
from tests.fakes.documents import ACME, Section, make_version, make_write

NOBODY: frozenset[str] = frozenset()
LEGAL = frozenset({"legal"})
JANUARY, FEBRUARY, MARCH, APRIL = (date(2026, month, 1) for month in (1, 2, 3, 4))


class Shelf:
    """A store that is written as the pipeline writes it: planned from what is stored and what came."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.store = SqlVersionStore(engine)
        self.feed = SqlChangeFeed(engine)

    async def arrive(self, day: date, text: str, document_id: str = "acme_kites", **facts: Any) -> None:
        version = make_version(document_id, day, sha256=f"{text}{facts}", doc_id="", **facts)
        stored = await self.store.stored("acme-folder")
        planned = plan(stored, stored, [Arrival(version, day)], frozenset(), day, forced={"all"})
        (document,) = (each for each in planned.documents if each.document_id == document_id)
        await self.store.save([written(new, text) for new in document.new], document.updates)

    async def all(self, groups: frozenset[str] = NOBODY, **wanted: Any) -> list[PolicyChange]:
        return await self.feed.changes(ChangesWanted(**wanted), groups)

    async def told(self) -> list[tuple[str, date, str | None]]:
        return [(each.kind.value, each.changed_on, each.previous_doc_id) for each in await self.all()]


def written(version: Any, text: str) -> VersionWrite:
    return make_write(version, [Section("Kites", text)])


@pytest.fixture
async def shelf(engine: AsyncEngine) -> Shelf:
    opened = Shelf(engine)
    await opened.store.declare(ACME)
    return opened


def words(change: PolicyChange) -> list[tuple[RuleChangeKind, str, str]]:
    return [(rule.kind, rule.before, rule.after) for section in change.sections for rule in section.rules]


async def test_a_history_is_told_from_version_to_version(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.")
    await shelf.arrive(FEBRUARY, "Kites must be blue.")
    await shelf.arrive(MARCH, "kites must be “blue”")
    added, changed, formatting = await shelf.all()
    assert (added.kind, added.previous_doc_id, added.sections) == (ChangeKind.ADDED, None, ())
    assert (changed.kind, changed.changed_on, changed.title) == (ChangeKind.CHANGED, FEBRUARY, "Acme Kites")
    assert words(changed) == [(RuleChangeKind.CHANGED, "Kites must be red.", "Kites must be blue.")]
    assert changed.sections[0].summary == "Kites: red -> blue"
    assert formatting.kind is ChangeKind.FORMATTING
    assert words(formatting) == []
    assert formatting.sections[0].formatting == 1
    assert (formatting.previous_doc_id, formatting.doc_id) == ("acme_kites_2026-02-01", "acme_kites_2026-03-01")


async def test_all_versions_of_a_document_in_one_save(shelf: Shelf) -> None:
    first = make_version("acme_kites", JANUARY, effective_to=FEBRUARY)
    second = make_version("acme_kites", FEBRUARY, supersedes=first.doc_id)
    await shelf.store.save([written(second, "Kites must be blue."), written(first, "Kites must be red.")], [])
    assert await shelf.told() == [("added", JANUARY, None), ("changed", FEBRUARY, first.doc_id)]


async def test_a_version_put_in_between_is_compared_with_its_neighbours(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.", origin="a.md")
    await shelf.arrive(MARCH, "Kites must be blue.", origin="b.md")
    (_, before) = await shelf.all()
    await shelf.arrive(FEBRUARY, "Kites must be green.", origin="c.md")
    assert await shelf.told() == [
        ("added", JANUARY, None),
        ("changed", FEBRUARY, "acme_kites_2026-01-01"),
        ("changed", MARCH, "acme_kites_2026-02-01"),
    ]
    last = (await shelf.all())[-1]
    assert words(last) == [(RuleChangeKind.CHANGED, "Kites must be green.", "Kites must be blue.")]
    assert last.change_id > before.change_id, "who reads on from an id is told of the correction"


async def test_a_version_replaced_on_its_day_leaves_no_trace(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.")
    await shelf.arrive(FEBRUARY, "Kites must be blue.")
    await shelf.arrive(FEBRUARY, "Kites must be green.")
    assert await shelf.told() == [("added", JANUARY, None), ("changed", FEBRUARY, "acme_kites_2026-01-01")]
    changed = (await shelf.all())[1]
    assert changed.doc_id == "acme_kites_2026-02-01.2"
    assert words(changed) == [(RuleChangeKind.CHANGED, "Kites must be red.", "Kites must be green.")]


async def test_reading_a_version_again_tells_nobody_anew(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.")
    await shelf.arrive(FEBRUARY, "Kites must be blue.")
    before = await shelf.all()
    await shelf.arrive(FEBRUARY, "Kites must be blue.", pipeline="another")
    after = await shelf.all()
    assert [each.change_id for each in after] == [each.change_id for each in before]
    assert after[1] == replace(before[1], doc_id="acme_kites_2026-02-01.2")


async def test_a_document_that_goes_and_comes_back(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.")
    (stored,) = await shelf.store.stored("acme-folder")
    gone = VersionUpdate(stored.doc_id, FEBRUARY, VersionStatus.RETIRED, None)
    await shelf.store.save([], [gone])
    assert await shelf.told() == [("added", JANUARY, None), ("removed", FEBRUARY, None)]
    await shelf.arrive(MARCH, "Kites must be blue.")
    assert await shelf.told() == [
        ("added", JANUARY, None),
        ("removed", FEBRUARY, None),
        ("changed", MARCH, stored.doc_id),
    ]
    await shelf.store.save([], [VersionUpdate(stored.doc_id, MARCH, VersionStatus.RETIRED, None)])
    assert [kind for kind, *_ in await shelf.told()] == ["added", "changed"]


async def test_newest_first_a_limit_leaves_out_the_oldest(shelf: Shelf) -> None:
    for day, colour in ((JANUARY, "red"), (FEBRUARY, "blue"), (MARCH, "green")):
        await shelf.arrive(day, f"Kites must be {colour}.")
    found = await shelf.feed.changes(ChangesWanted(newest_first=True), NOBODY, 2)
    assert [each.changed_on for each in found] == [MARCH, FEBRUARY]


async def test_what_is_held_for_review_changes_nothing(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.")
    held = make_version("acme_kites", FEBRUARY, status=VersionStatus.HELD)
    await shelf.store.save([written(held, "Hello.")], [])
    assert await shelf.told() == [("added", JANUARY, None)]


async def test_saving_again_tells_nothing_new(shelf: Shelf) -> None:
    first = written(make_version("acme_kites", JANUARY, effective_to=FEBRUARY), "Kites must be red.")
    second = written(make_version("acme_kites", FEBRUARY), "Kites must be blue.")
    await shelf.store.save([first, second], [])
    before = await shelf.all()
    closing = VersionUpdate(first.version.doc_id, FEBRUARY, first.version.status, None)
    await asyncio.gather(*(shelf.store.save([first, second], [closing]) for _ in range(4)))
    assert await shelf.all() == before


async def test_a_save_that_fails_tells_nothing(shelf: Shelf) -> None:
    missing = VersionUpdate("missing", None, VersionStatus.LIVE, None)
    with pytest.raises(Exception, match="unknown_doc_id"):
        await shelf.store.save([written(make_version("acme_kites"), "Kites must be red.")], [missing])
    assert await shelf.told() == []


async def test_restricted_documents_tell_their_groups_only(shelf: Shelf) -> None:
    facts: dict[str, Any] = {"classification": Classification.RESTRICTED, "allowed_groups": LEGAL}
    await shelf.arrive(JANUARY, "Kites must be red.", **facts)
    await shelf.arrive(FEBRUARY, "Kites must be blue.", **facts)
    assert await shelf.all() == []
    assert await shelf.all(frozenset({"sales"})) == []
    assert [each.kind for each in await shelf.all(LEGAL)] == [ChangeKind.ADDED, ChangeKind.CHANGED]


async def test_what_was_restricted_stays_so_in_the_changes_of_what_is_public(shelf: Shelf) -> None:
    facts: dict[str, Any] = {"classification": Classification.RESTRICTED, "allowed_groups": LEGAL}
    await shelf.arrive(JANUARY, "Kites must be red, says the secret.", **facts)
    await shelf.arrive(FEBRUARY, "Kites must be blue.")
    (seen,) = await shelf.all()
    assert (seen.kind, seen.previous_doc_id, seen.sections) == (ChangeKind.ADDED, None, ())
    assert words((await shelf.all(LEGAL))[1])


async def test_days_sources_cursor_and_limit(shelf: Shelf) -> None:
    await shelf.store.declare(PolicySource("brew", "Brew"))
    await shelf.arrive(MARCH, "Kites must be red.")
    await shelf.arrive(JANUARY, "Balloons must be red.", "acme_balloons")
    await shelf.arrive(FEBRUARY, "Beer must be cold.", "brew_beer")

    async def documents(limit: int | None = None, **wanted: Any) -> Sequence[str]:
        found = await shelf.feed.changes(ChangesWanted(**wanted), NOBODY, limit)
        return [each.document_id for each in found]

    assert await documents() == ["acme_balloons", "brew_beer", "acme_kites"]
    assert await documents(since=FEBRUARY) == ["brew_beer", "acme_kites"]
    assert await documents(until=FEBRUARY) == ["acme_balloons", "brew_beer"]
    assert await documents(since=APRIL) == []
    assert await documents(policy_sources=frozenset({"brew"})) == ["brew_beer"]
    assert await documents(policy_sources=frozenset({"unheard"})) == []
    assert await documents(2) == ["acme_balloons", "brew_beer"]
    assert await documents(after=0) == ["acme_kites", "acme_balloons", "brew_beer"]
    first = (await shelf.feed.changes(ChangesWanted(after=0), NOBODY, 1))[0]
    assert await documents(after=first.change_id) == ["acme_balloons", "brew_beer"]


async def test_changes_are_recorded_one_transaction_after_the_other(engine: AsyncEngine, shelf: Shelf) -> None:
    """Else an id could become visible after a higher one that a subscriber has read already."""
    async with writing(engine) as connection:
        await lock_for_changes(connection)
        saving = asyncio.create_task(shelf.arrive(JANUARY, "Kites must be red."))
        done, _ = await asyncio.wait({saving}, timeout=0.5)
        assert not done
    await saving
    assert await shelf.told() == [("added", JANUARY, None)]


async def test_what_is_held_is_told_when_it_is_released(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.")
    (first,) = await shelf.store.stored("acme-folder")
    held = make_version("acme_kites", FEBRUARY, status=VersionStatus.HELD, supersedes=first.doc_id)
    await shelf.store.save([written(held, "Hello.")], [])
    assert await shelf.told() == [("added", JANUARY, None)]
    closing = VersionUpdate(first.doc_id, FEBRUARY, VersionStatus.LIVE, None)
    released = VersionUpdate(held.doc_id, None, VersionStatus.LIVE, first.doc_id)
    await shelf.store.save([], [closing, released])
    assert await shelf.told() == [("added", JANUARY, None), ("changed", FEBRUARY, first.doc_id)]
    assert words((await shelf.all())[1]) != []


async def test_what_was_held_and_released_for_a_later_day_is_told_for_that_day(shelf: Shelf) -> None:
    await shelf.arrive(JANUARY, "Kites must be red.")
    (first,) = await shelf.store.stored("acme-folder")
    held = make_version("acme_kites", FEBRUARY, status=VersionStatus.HELD, supersedes=first.doc_id)
    await shelf.store.save([written(held, "Kites must be blue.")], [])
    closing = VersionUpdate(first.doc_id, MARCH, VersionStatus.LIVE, None)
    released = VersionUpdate(held.doc_id, None, VersionStatus.LIVE, first.doc_id, effective_from=MARCH)
    await shelf.store.save([], [closing, released])
    assert await shelf.told() == [("added", JANUARY, None), ("changed", MARCH, first.doc_id)]


async def test_a_version_that_ends_on_a_stated_day_is_gone_on_that_day(shelf: Shelf) -> None:
    ending = make_version("acme_kites", JANUARY, effective_to=MARCH)
    await shelf.store.save([written(ending, "Kites must be red.")], [])
    assert await shelf.told() == [("added", JANUARY, None), ("removed", MARCH, None)]
    (_, gone) = await shelf.all()
    assert (gone.doc_id, gone.title, gone.sections) == (ending.doc_id, "Acme Kites", ())


async def test_a_version_of_the_future_changes_on_the_day_from_which_it_holds(shelf: Shelf) -> None:
    future = date(2031, 5, 1)
    await shelf.arrive(JANUARY, "Kites must be red.")
    await shelf.arrive(future, "Kites must be blue.")
    assert await shelf.told() == [("added", JANUARY, None), ("changed", future, "acme_kites_2026-01-01")]
    assert [each.changed_on for each in await shelf.all(until=APRIL)] == [JANUARY]
