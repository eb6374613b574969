import asyncio
import os
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from adapters.sql.policies.sources import SqlSourceRuns
from ingest.ports import SourceRun
from ingest.reader.contents import Contents, ReadingTask
from ingest.watch.catalogue_file import WatchedCatalogue
from ingest.watch.news import CatalogueKept, CatalogueRead, Leading, Looked, StoreDown
from ingest.watch.service import WORK, Outage, begun, watch
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.flaky import FlakyWriter
from tests.fakes.watch_time import TimeUp, WatchTime
from tests.fakes.workshop import Workshop

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def time() -> WatchTime:
    return WatchTime()


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    for name in ("hourly", "daily", "once"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "beer.md").write_text(f"# Beer of {name}\n\nNo ads.\n", encoding="utf-8")
    return written(tmp_path, hourly="every 1h", daily="daily 03:00", once="")


def written(folder: Path, jitter: str = "0m", **schedules: str) -> Path:
    """A catalogue of folders, by name and schedule ("": none)."""
    path = folder / "catalogue.yaml"
    lines = ["sources:"]
    for name, schedule in schedules.items():
        said = f"schedule: {schedule}, jitter: {jitter}, " if schedule else ""
        lines.append(f"  - {{id: {name}, type: folder, path: {name}, {said}policy_source: {name}, display_name: X}}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    moment = path.stat().st_mtime_ns + 1_000_000  # two writes within one tick of the file system's clock
    os.utime(path, ns=(moment, moment))
    return path


async def watched(time: WatchTime, workshop: Workshop, catalogue: Path, lasting: timedelta) -> None:
    """A watch that begins now and is over after `lasting`."""
    time.until = time.now + lasting
    around = time.around()
    with pytest.raises(TimeUp):
        await watch(WatchedCatalogue(catalogue), workshop, around, Outage(around.sleep, around.tell))


async def test_every_source_is_read_at_first_and_then_when_it_is_due(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    await watched(time, workshop, catalogue, 20 * HOUR)

    first = [("hourly", "01 12:00"), ("daily", "01 12:00"), ("once", "01 12:00")]
    assert time.looks()[:3] == first
    looks = time.looks()[3:]
    assert [each for each in looks if each[0] == "once"] == []
    assert [each for each in looks if each[0] == "daily"] == [("daily", "02 03:00")]
    hours = [at for name, at in looks if name == "hourly"]
    assert hours[:2] == ["01 13:00", "01 14:00"]
    assert len(hours) == 19
    assert time.news[0] == Leading(3, ("once",))
    reports = [each.report for each in time.news if isinstance(each, Looked) and each.report is not None]
    assert [each.new for each in reports] == [1, 1, 1] + [0] * 20
    assert set(time.kinds()) == {"Leading", "Looked"}


async def test_the_delay_is_a_share_of_the_jitter_and_drawn_once(
    time: WatchTime, workshop: Workshop, tmp_path: Path, catalogue: Path
) -> None:
    written(tmp_path, jitter="20m", hourly="every 1h")
    time.chance = 0.5

    await watched(time, workshop, catalogue, 3 * HOUR)

    assert [at for name, at in time.looks() if name == "hourly"] == ["01 12:00", "01 13:10", "01 14:20"]


async def test_a_missed_time_is_caught_up_once_after_a_restart(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    await watched(time, workshop, catalogue, MINUTE)
    time.news.clear()
    time.now += 5 * HOUR

    await watched(time, workshop, catalogue, MINUTE)

    assert time.looks() == [("hourly", "01 17:01")]


async def test_what_was_changed_between_two_looks_is_read(time: WatchTime, workshop: Workshop, catalogue: Path) -> None:
    beer = catalogue.parent / "hourly" / "beer.md"
    time.events[time.now + 30 * MINUTE] = lambda: beer.write_text("# Beer\n\nNo ads at all.\n", encoding="utf-8")

    await watched(time, workshop, catalogue, 2 * HOUR)

    looks = [each.report for each in time.news if isinstance(each, Looked) and each.source_id == "hourly"]
    assert [each.changed for each in looks if each] == [0, 1]


async def test_a_source_that_fails_backs_off_and_does_not_stop_the_others(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    folder, away = catalogue.parent / "daily", catalogue.parent / "away"
    folder.rename(away)
    time.events[time.now + 30 * MINUTE] = lambda: away.rename(folder)

    await watched(time, workshop, catalogue, 2 * HOUR)

    daily = [each for each in time.news if isinstance(each, Looked) and each.source_id == "daily"]
    assert [f"{each.at:%H:%M}" for each in daily] == ["12:00", "12:05", "12:15", "12:35"]
    assert [f"{each.retry_at:%H:%M}" if each.retry_at else "" for each in daily] == ["12:05", "12:15", "12:35", ""]
    assert daily[-1].report is not None
    assert daily[-1].report.new == 1
    run = (await workshop.runs.known())["daily"]
    assert (run.outcome, run.failures) == ("", 0)
    assert [at for name, at in time.looks() if name == "hourly"] == ["01 12:00", "01 13:00"]


async def test_a_source_that_cannot_be_opened_is_a_failure_of_its_own(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    with catalogue.open("a", encoding="utf-8") as file:  # there are no tools for it in the workshop
        file.write(
            "  - {id: site, type: website, start_urls: https://ads.example/, policy_source: site, display_name: X}\n"
        )

    await watched(time, workshop, catalogue, MINUTE)

    assert time.looks()[-1] == ("site", "01 12:00")
    assert isinstance(time.news[-1], Looked)
    assert isinstance(time.news[-1].problem, Misconfigured)
    assert (await workshop.runs.known())["site"].outcome == "source_tools_missing"


async def test_a_changed_catalogue_is_read_again(time: WatchTime, workshop: Workshop, catalogue: Path) -> None:
    folder = catalogue.parent
    time.events[time.now + MINUTE] = lambda: written(folder, hourly="every 2h", once="")

    await watched(time, workshop, catalogue, 4 * HOUR)

    assert [each for each in time.news if isinstance(each, CatalogueRead)] == [
        CatalogueRead((), ("hourly",), ("daily",))
    ]
    assert time.looks()[3:] == [("hourly", "01 12:01"), ("hourly", "01 14:01")]


async def test_a_catalogue_with_a_typo_is_said_once_and_the_old_one_kept(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    time.events[time.now + MINUTE] = lambda: written(catalogue.parent, hourly="evry 2h")

    await watched(time, workshop, catalogue, 2 * HOUR)

    kept = [each.error for each in time.news if isinstance(each, CatalogueKept)]
    assert [(each.code, each.details["line"]) for each in kept] == [("catalogue_invalid", 2)]
    assert [at for name, at in time.looks() if name == "hourly"] == ["01 12:00", "01 13:00"]


def test_a_catalogue_that_cannot_be_used_at_first_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="catalogue_missing"):
        WatchedCatalogue(tmp_path / "none.yaml")


async def test_only_one_of_two_looks_and_the_other_takes_over(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    second = WatchTime()
    async with workshop.lease.hold(WORK, 0.0) as is_ours:
        assert is_ours
        await watched(second, workshop, catalogue, MINUTE)
    assert second.kinds() == ["StandingBy"]
    second.until = second.now + MINUTE
    second.events.clear()
    await watched(second, workshop, catalogue, MINUTE)
    assert second.kinds()[1] == "Leading"
    assert len(second.looks()) == 3


async def test_what_another_process_read_meanwhile_is_not_due(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    now = time.now
    for name in ("hourly", "daily", "once"):
        await workshop.runs.keep(SourceRun(name, now - 10 * MINUTE, now - 9 * MINUTE))

    await watched(time, workshop, catalogue, HOUR)

    assert time.looks() == [("hourly", "01 12:50")]


class DownRuns(SqlSourceRuns):
    """Fails as a database that is down does, for the next `down` calls."""

    down = 0

    async def known(self) -> dict[str, SourceRun]:
        if self.down > 0:
            self.down -= 1
            raise Unavailable("store_unavailable")
        return await super().known()


async def test_a_store_that_is_down_is_waited_for_and_said_once(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    runs = DownRuns(workshop.runs._engine)
    down = replace(workshop, runs=runs)
    time.events[time.now + MINUTE] = lambda: setattr(runs, "down", 7)

    await watched(time, down, catalogue, 2 * HOUR)

    told = [each for each in time.kinds() if each != "Looked"]
    assert told == ["Leading", "StoreDown", "StoreBack"]
    assert [each.error.code for each in time.news if isinstance(each, StoreDown)] == ["store_unavailable"]
    waits = [each for each in time.slept if each != 5.0]
    assert waits[:7] == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert [at for name, at in time.looks() if name == "hourly"] == ["01 12:00", "01 13:00"]


class SlowReader:
    """Never ends; or, with `die`, is broken off as by a kill."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def read(self, task: ReadingTask) -> Contents:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def rest(self) -> None:
        """Nothing to end."""


async def test_a_look_that_is_broken_off_leaves_no_half_document_and_is_made_again(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    slow = SlowReader()
    stuck = replace(workshop, reader=slow)
    around = time.around()
    work = asyncio.create_task(watch(WatchedCatalogue(catalogue), stuck, around, Outage(around.sleep, around.tell)))
    await asyncio.wait_for(slow.asked.wait(), 10)
    work.cancel()
    with suppress(asyncio.CancelledError):
        await work

    assert await workshop.stored("hourly") == []
    assert (await workshop.runs.known())["hourly"].finished_at is None
    await watched(time, workshop, catalogue, MINUTE)
    assert ("hourly", "01 12:00") in time.looks()
    assert len(await workshop.stored("hourly")) == 1
    assert (await workshop.runs.known())["hourly"].failures == 0


def test_a_look_broken_off_twice_in_a_row_counts_as_a_failure() -> None:
    noon = datetime(2026, 6, 1, 12)  # noqa: DTZ001  only passed on
    first = begun("acme", None, noon)
    second = begun("acme", first, noon)
    assert (first.failures, second.failures, begun("acme", second, noon).failures) == (0, 1, 2)
    assert begun("acme", replace(second, finished_at=noon, failures=0), noon).failures == 0


class CountingReader:
    """Remembers when it was told to rest, and reads like the workshop's."""

    def __init__(self, workshop: Workshop) -> None:
        self._reader = workshop.reader
        self.read_before_rest: list[int] = []
        self._read = 0

    async def read(self, task: ReadingTask) -> Contents:
        self._read += 1
        return await self._reader.read(task)

    async def rest(self) -> None:
        self.read_before_rest.append(self._read)


async def test_the_reading_processes_rest_after_the_looks_and_not_in_between(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    reader = CountingReader(workshop)

    await watched(time, replace(workshop, reader=reader), catalogue, 90 * MINUTE)

    assert reader.read_before_rest == [3, 3]  # after the first three looks, and after the one at 13:00


async def test_an_index_that_did_not_answer_is_brought_level_between_the_looks(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    writer = FlakyWriter(workshop.writer)
    writer.error = Unavailable("index_unavailable")
    time.events[time.now + 3 * MINUTE] = lambda: setattr(writer, "error", None)

    await watched(time, replace(workshop, writer=writer), catalogue, 30 * MINUTE)

    assert time.kinds() == ["Leading", "Looked", "Looked", "Looked", "IndexBack"]
    assert len(await workshop.writer.indexed()) == 3


async def test_documents_that_did_not_answer_bring_the_source_back_before_its_schedule(
    time: WatchTime, workshop: Workshop, catalogue: Path
) -> None:
    class Flaky:
        left = 1

        async def read(self, task: ReadingTask) -> Contents:
            if b"daily" in task.content and self.left:
                self.left -= 1
                raise Unavailable("parser_not_started")
            return await workshop.reader.read(task)

        async def rest(self) -> None:
            """Nothing to end."""

    await watched(time, replace(workshop, reader=Flaky()), catalogue, 30 * MINUTE)

    assert time.looks() == [
        ("hourly", "01 12:00"),
        ("daily", "01 12:00"),
        ("once", "01 12:00"),
        ("daily", "01 12:05"),
    ]
    assert len(await workshop.stored("daily")) == 1
