from dataclasses import replace
from datetime import date, timedelta

import pytest

from ingest.ports import Removal, RemovalKind
from ingest.run.removal import Affected, find, remove, retired, undo
from rag_core.changes import ChangesWanted
from rag_core.documents import DocumentVersion, VersionStatus
from rag_core.errors import Rejected, Unavailable
from tests.fakes.documents import make_version
from tests.fakes.flaky import FakeLease
from tests.fakes.sources import FakeSource
from tests.fakes.workshop import Workshop

BEER, WINE = "# Beer\n\nNo beer ads.\n", "# Wine\n\nNo wine ads.\n"
TODAY = date(2026, 6, 1)


@pytest.fixture
def source() -> FakeSource:
    return FakeSource({"beer.md": BEER, "wine.md": WINE})


async def removed(workshop: Workshop, name: str, *, all_days: bool = False) -> int:
    found = await find(name, workshop)
    number = await remove(found, Removal(found.kind, name, "ops", workshop.now, "a draft", all_days), workshop)
    await workshop.run()
    return number


async def shown(workshop: Workshop, day: date) -> list[str]:
    """The documents that answer for `day`: by store and index alike."""
    versions = await workshop.store.versions(frozenset())
    found = sorted(each.document_id for each in versions if each.holds_on(day))
    indexed = {each.doc_id for each in (await workshop.writer.indexed()).values()}
    assert {each.doc_id for each in versions if each.holds_on(day)} <= indexed
    return found


async def test_a_removed_document_answers_for_the_days_before_only_and_stays_out(
    workshop: Workshop, source: FakeSource
) -> None:
    await workshop.run(source)
    workshop.wait(days=10)

    number = await removed(workshop, "acme_beer")

    today = workshop.now.date()
    assert await shown(workshop, TODAY) == ["acme_beer", "acme_wine"]
    assert await shown(workshop, today) == ["acme_wine"]
    workshop.wait(days=1)
    report = await workshop.run(source)
    assert (report.new, report.changed, report.unchanged, report.removed) == (0, 0, 1, 0)
    assert [(each.origin, each.code, each.details["removal_id"]) for each in report.notes] == [
        ("beer.md", "document_removed", number)
    ]
    assert [each.status for each in await workshop.stored()] == [VersionStatus.RETIRED, VersionStatus.LIVE]
    assert await shown(workshop, workshop.now.date()) == ["acme_wine"]


async def test_a_change_at_the_source_does_not_bring_it_back(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    await removed(workshop, "acme_beer")
    source.documents["beer.md"] = "# Beer\n\nBeer ads after all.\n"

    report = await workshop.run(source)

    assert (report.new, report.changed, len(report.notes)) == (0, 0, 1)
    assert len(await workshop.stored()) == 2


async def test_with_all_days_it_answers_for_no_day(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    workshop.wait(days=10)
    source.documents["beer.md"] = "# Beer\n\nBeer ads may be shown.\n"
    await workshop.run(source)
    workshop.wait(days=10)

    await removed(workshop, "acme_beer", all_days=True)

    for days in range(0, 30, 5):
        assert await shown(workshop, TODAY + timedelta(days=days)) == ["acme_wine"]
    assert {each.doc_id for each in (await workshop.writer.indexed()).values()} == {"acme_wine_2026-06-01"}
    assert len(await workshop.stored()) == 3


async def test_undone_it_is_read_again_by_the_next_run(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    number = await removed(workshop, "acme_beer")
    workshop.wait(days=3)

    undone = await undo(number, "legal", workshop.now, workshop)

    assert (undone.undone_by, undone.target) == ("legal", "acme_beer")
    assert await shown(workshop, workshop.now.date()) == ["acme_wine"]
    report = await workshop.run(source)
    assert (report.changed, report.notes, report.embedded) == (1, [], 0)
    assert await shown(workshop, workshop.now.date()) == ["acme_beer", "acme_wine"]
    with pytest.raises(Rejected, match="unknown_removal"):
        await undo(number, "ops", workshop.now, workshop)


async def test_a_removed_source_is_not_read_at_all(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    workshop.wait(days=1)

    await removed(workshop, "acme-docs")

    assert await shown(workshop, workshop.now.date()) == []
    source.documents["ale.md"] = "# Ale\n\nNo ale ads.\n"
    source.documents.pop("beer.md")
    report = await workshop.run(source)
    assert (report.documents, [(each.origin, each.code) for each in report.notes]) == (0, [("", "source_removed")])
    assert source.closed == 2


async def test_a_source_that_was_never_read_can_be_removed_too(workshop: Workshop, source: FakeSource) -> None:
    found = await find("acme-docs", workshop, declared=["acme-docs"])
    assert (found.kind, found.source_ids, found.documents) == (RemovalKind.SOURCE, (), ())
    await remove(found, Removal(found.kind, "acme-docs", "ops", workshop.now), workshop)
    assert (await workshop.run(source)).documents == 0


async def test_what_would_go_is_told_before(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    workshop.wait(days=1)
    source.documents["beer.md"] = "# Beers\n\nNo beer ads.\n"
    await workshop.run(source)

    beer = Affected("acme_beer", "Beers", versions=2, chunks=2)
    assert (await find("acme_beer", workshop)).documents == (beer,)
    assert (await find("acme-docs", workshop)).documents == (beer, Affected("acme_wine", "Wine", 1, 1))


async def test_an_unknown_name_comes_with_those_that_are_near(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    with pytest.raises(Rejected, match="nothing_to_remove") as caught:
        await find("acme_bear", workshop)
    assert str(caught.value.details["near"]).startswith("['acme_beer'")
    with pytest.raises(Rejected, match="nothing_to_remove") as caught:
        await find("acme_beer", workshop, RemovalKind.SOURCE)
    assert "acme_beer" not in str(caught.value.details["near"])


async def test_a_name_of_a_document_and_of_a_source_has_to_be_told_apart(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER}, source_id="acme_beer"))
    with pytest.raises(Rejected, match="removal_ambiguous"):
        await find("acme_beer", workshop)
    assert (await find("acme_beer", workshop, RemovalKind.SOURCE)).kind is RemovalKind.SOURCE


async def test_what_was_broken_off_is_finished_by_the_next_run(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    workshop.wait(days=1)
    await workshop.removals.record(Removal(RemovalKind.DOCUMENT, "acme_beer", "ops", workshop.now))  # and then a kill

    report = await workshop.run(source)

    assert [each.code for each in report.notes] == ["document_removed"]
    assert await shown(workshop, workshop.now.date()) == ["acme_wine"]


async def test_a_dry_run_leaves_it_out_as_well(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    await removed(workshop, "acme_beer")
    report = await workshop.run(source, dry_run=True)
    assert (report.new, report.changed, [each.code for each in report.notes]) == (0, 0, ["document_removed"])


async def test_the_removal_is_among_the_changes(workshop: Workshop, source: FakeSource) -> None:
    await workshop.run(source)
    workshop.wait(days=2)
    await removed(workshop, "acme_beer")
    from_feed = await workshop.changes.changes(_everything(), frozenset())
    assert [(each.document_id, each.kind, each.changed_on) for each in from_feed if each.kind == "removed"] == [
        ("acme_beer", "removed", TODAY + timedelta(days=2))
    ]


def _everything() -> ChangesWanted:
    return ChangesWanted()


def history() -> list[DocumentVersion]:
    old = make_version("acme_beer", date(2026, 1, 1), effective_to=date(2026, 3, 1))
    now = make_version("acme_beer", date(2026, 3, 1), effective_to=date(2026, 9, 1), supersedes=old.doc_id)
    later = make_version("acme_beer", date(2026, 9, 1))
    held = make_version("acme_beer", date(2026, 5, 1), doc_id="acme_beer_held", status=VersionStatus.HELD)
    return [old, now, later, held]


def test_from_today_on_nothing_is_shown_and_what_never_was_is_not_shown_for_the_past() -> None:
    ends = {each.doc_id: (each.effective_to, each.status) for each in retired(history(), TODAY, all_days=False)}
    assert ends == {
        "acme_beer_2026-01-01": (date(2026, 3, 1), VersionStatus.RETIRED),
        "acme_beer_2026-03-01": (TODAY, VersionStatus.RETIRED),
        "acme_beer_2026-09-01": (date(2026, 9, 1), VersionStatus.RETIRED),
        "acme_beer_held": (date(2026, 5, 1), VersionStatus.RETIRED),
    }


def test_for_all_days_every_version_ends_where_it_begins() -> None:
    found = retired(history(), TODAY, all_days=True)
    assert [each.effective_to for each in found] == [each.effective_from for each in history()]
    assert [each.supersedes for each in found] == [each.supersedes for each in history()]


def test_what_is_retired_already_is_left_alone() -> None:
    gone = replace(history()[0], status=VersionStatus.RETIRED)
    assert retired([gone], TODAY, all_days=False) == []


async def test_a_source_that_somebody_reads_for_too_long_is_for_trying_again_and_the_removal_is_recorded(
    workshop: Workshop, source: FakeSource
) -> None:
    await workshop.run(source)
    lease = FakeLease()
    lease.is_free = False
    found = await find("acme_beer", workshop)
    removal = Removal(found.kind, "acme_beer", "ops", workshop.now)
    with pytest.raises(Unavailable, match="work_busy"):
        await remove(found, removal, replace(workshop, lease=lease))
    assert lease.held == ["source:acme-docs"]
    assert {each.status for each in await workshop.stored()} == {VersionStatus.LIVE}
    assert [each.target for each in await workshop.removals.all()] == ["acme_beer"]

    number = await remove(found, removal, workshop)

    assert len(await workshop.removals.all()) == 1
    assert number == (await workshop.removals.all())[0].removal_id
    assert VersionStatus.RETIRED in {each.status for each in await workshop.stored()}
