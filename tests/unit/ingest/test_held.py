"""What is held for review is shown nowhere, until somebody releases it."""

from dataclasses import replace
from datetime import date

import pytest

from ingest.planner import up_to_date
from ingest.run.held import held, release
from rag_core.changes import ChangesWanted
from rag_core.documents import VersionStatus
from rag_core.errors import Rejected
from tests.fakes.sources import ACME_DEFAULTS, FakeSource
from tests.fakes.workshop import Workshop

BEER = "# Beer\n\n" + "\n\n".join(
    f"## Rule {n}\n\nAds for beer number {n} are shown to adults only." for n in range(12)
)
STUB = "# Beer\n\nOur rules for zythum have moved.\n"
NOBODY: frozenset[str] = frozenset()
HELD = "acme_beer_2026-06-05"


@pytest.fixture
async def shrunk(workshop: Workshop) -> Workshop:
    await workshop.run(FakeSource({"beer.md": BEER}))
    workshop.wait(4)
    report = await workshop.run(FakeSource({"beer.md": STUB}))
    assert (report.changed, report.unchanged, report.removed, report.failed) == (0, 1, 0, [])
    assert report.embedded == 0
    (note,) = report.notes
    assert (note.code, note.origin, note.details["doc_id"], note.details["why"]) == (
        "version_held",
        "beer.md",
        HELD,
        "shrunk",
    )
    return workshop


async def told(workshop: Workshop) -> list[str]:
    return [each.kind.value for each in await workshop.changes.changes(ChangesWanted(), NOBODY)]


async def test_it_is_stored_and_shown_nowhere(shrunk: Workshop) -> None:
    (version,) = await held(shrunk.versions)
    assert (version.doc_id, version.status, version.chunk_count) == (HELD, VersionStatus.HELD, 1)
    assert await shrunk.versions.text(HELD) is not None
    assert [each.doc_id for each in await shrunk.store.versions(NOBODY)] == ["acme_beer_2026-06-01"]
    assert await shrunk.store.version_text(HELD, NOBODY) is None
    assert await shrunk.store.section(HELD, 0, 5, NOBODY) == []
    assert {each.documents for each in await shrunk.store.sources(NOBODY)} == {1}
    assert {each.version.doc_id for each in await shrunk.passages()} == {"acme_beer_2026-06-01"}
    assert {each.doc_id for each in (await shrunk.writer.indexed()).values()} == {"acme_beer_2026-06-01"}
    assert await shrunk.outbox.pending(10) == []
    assert await told(shrunk) == ["added"]
    live = (await shrunk.stored())[0]
    assert (live.status, live.effective_to) == (VersionStatus.LIVE, None)


async def test_it_is_not_read_again_and_is_named_as_long_as_it_waits(shrunk: Workshop) -> None:
    shrunk.wait(1)

    report = await shrunk.run(FakeSource({"beer.md": STUB}))

    assert (report.changed, report.unchanged, report.chunks) == (0, 1, 0)
    assert [(each.code, each.details["was"], each.details["now"]) for each in report.notes] == [
        ("version_held", len(await shrunk.versions.text("acme_beer_2026-06-01") or ""), len(STUB))
    ]
    assert len(await shrunk.stored()) == 2


async def test_when_the_old_page_is_back_nothing_has_happened(shrunk: Workshop) -> None:
    shrunk.wait(1)

    report = await shrunk.run(FakeSource({"beer.md": BEER}))

    assert (report.changed, report.unchanged, report.embedded, report.notes) == (0, 1, 0, [])
    assert await held(shrunk.versions) == []
    assert [(each.status, each.effective_to) for each in await shrunk.stored()] == [
        (VersionStatus.LIVE, None),
        (VersionStatus.RETIRED, date(2026, 6, 5)),
    ]
    assert (await shrunk.run(FakeSource({"beer.md": BEER}))).unchanged == 1
    assert await told(shrunk) == ["added"]


async def test_released_it_holds_and_is_found(shrunk: Workshop) -> None:
    shrunk.wait(2)

    version = await release(shrunk, HELD, lambda: shrunk.now)

    assert (version.status, version.effective_from, version.effective_to) == (
        VersionStatus.LIVE,
        date(2026, 6, 5),
        None,
    )
    assert [each.effective_to for each in await shrunk.stored()] == [date(2026, 6, 5), None]
    indexed = {each.doc_id for each in (await shrunk.writer.indexed()).values()}
    assert indexed == {"acme_beer_2026-06-01", HELD}
    assert await shrunk.outbox.pending(10) == []
    assert await told(shrunk) == ["added", "changed"]
    assert up_to_date(await shrunk.stored())["beer.md"].doc_id == HELD
    report = await shrunk.run(FakeSource({"beer.md": STUB}))
    assert (report.unchanged, report.notes) == (1, [])
    with pytest.raises(Rejected, match="version_not_held"):
        await release(shrunk, HELD, lambda: shrunk.now)


async def test_released_after_another_version_has_begun_it_holds_from_today(shrunk: Workshop) -> None:
    newer = f"---\neffective_from: 2026-06-07\ndocument_id: acme_beer\n---\n{BEER.replace('adults', 'members')}"
    shrunk.wait(4)
    await shrunk.run(FakeSource({"beer.md": STUB, "newer.md": newer}))
    shrunk.wait(1)

    version = await release(shrunk, HELD, lambda: shrunk.now)

    assert (version.doc_id, version.effective_from) == (HELD, date(2026, 6, 10))
    passages = [each for each in await shrunk.passages() if each.version.doc_id == HELD]
    assert {(each.chunk.effective_from, each.chunk.effective_to) for each in passages} == {(date(2026, 6, 10), None)}
    bounds = {each.doc_id: each.effective_to for each in await shrunk.stored()}
    assert bounds["acme_beer_2026-06-07"] == date(2026, 6, 10)
    shrunk.wait(1)
    report = await shrunk.run(FakeSource({"beer.md": STUB, "newer.md": newer}))
    assert (report.unchanged, report.chunks, report.notes) == (1, 0, [])


async def test_how_much_may_be_lost_is_said_by_the_source(workshop: Workshop) -> None:
    lenient = replace(ACME_DEFAULTS, suspicious_shrink=1.0)
    await workshop.run(FakeSource({"beer.md": BEER}, defaults=lenient))
    workshop.wait(1)

    report = await workshop.run(FakeSource({"beer.md": STUB}, defaults=lenient))

    assert (report.changed, report.notes) == (1, [])


async def test_a_dry_run_foresees_it(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER}))
    workshop.wait(1)

    report = await workshop.run(FakeSource({"beer.md": STUB}), dry_run=True)

    assert (report.changed, report.unchanged, report.embedded) == (0, 1, 0)
    assert [each.code for each in report.notes] == ["version_held"]
    assert await held(workshop.versions) == []


async def test_what_is_not_held_cannot_be_released(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": BEER}))

    for doc_id in ("acme_beer_2026-06-01", "missing"):
        with pytest.raises(Rejected, match="version_not_held") as caught:
            await release(workshop, doc_id, lambda: workshop.now)
        assert caught.value.details == {"doc_id": doc_id}
