"""What `watch` prints, and how it begins and ends in this process."""

import asyncio
import io
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.cli import parse, watch_command
from ingest.cli.watch import Printed
from ingest.model.report import Failure, IngestReport, Note
from ingest.watch.news import CatalogueKept, CatalogueRead, IndexBack, Leading, Looked, StandingBy, StoreBack, StoreDown
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.workshop import Workshop

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
CATALOGUE = """sources:
  - {id: acme, type: folder, path: docs, policy_source: acme, display_name: Acme Ads}
"""


class Said:
    """News told to `Printed`, and what came of it."""

    def __init__(self) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        self.tell = Printed(self._out, self._err)

    @property
    def out(self) -> list[str]:
        return self._out.getvalue().splitlines()

    @property
    def err(self) -> list[str]:
        return self._err.getvalue().splitlines()


def test_a_look_is_one_line_with_its_time_source_and_summary() -> None:
    said = Said()
    said.tell(Looked("acme", NOON, IngestReport(new=2, unchanged=5, chunks=9, embedded=3)))
    assert said.out == [
        "2026-06-01 12:00 acme: Documents: 2 new, 0 changed, 5 unchanged, 0 removed, 0 failed; 9 chunks written, 3 "
        "embedded."
    ]
    assert said.err == []


def test_a_look_that_could_not_be_made_says_why_and_when_it_is_tried_again() -> None:
    said = Said()
    said.tell(Looked("acme", NOON, None, Unavailable("source_timeout"), NOON.replace(minute=5)))
    (line,) = said.out
    assert line.startswith("2026-06-01 12:00 acme: its server did not answer in time.")
    assert line.endswith("Tried again at 2026-06-01 12:05.")
    said.tell(Looked("acme", NOON, IngestReport(new=1, not_indexed=Unavailable("index_unavailable"))))
    assert said.out[1].endswith("Stored, but the search index does not answer: it learns of it as soon as it does.")


def test_a_source_that_failed_as_a_whole_says_why_in_its_line_alone() -> None:
    said = Said()
    missing = Failure("acme", "", "source_folder_missing", {"path": "docs"})
    said.tell(Looked("acme", NOON, IngestReport(failed=[missing]), retry_at=NOON.replace(minute=5)))
    assert said.out[0].startswith("2026-06-01 12:00 acme: there is no folder docs. Its documents stay as they were.")
    assert said.err == []


def test_what_is_wrong_with_documents_is_said_once_until_it_changes() -> None:
    said = Said()
    bad = IngestReport(failed=[Failure("acme", "bad.md", "document_empty")], notes=[Note("acme", "x.md", "odd_thing")])
    worse = IngestReport(failed=[*bad.failed, Failure("acme", "worse.md", "document_empty")], notes=bad.notes)
    for report in (bad, bad, worse, IngestReport(), bad):
        said.tell(Looked("acme", NOON, report))
    assert [line.split(": ")[1] for line in said.err] == ["bad.md", "x.md", "worse.md", "bad.md", "x.md"]
    said.tell(Looked("brim", NOON, bad))
    assert len(said.err) == 7
    assert len(said.out) == 6


def test_everything_else_is_a_sentence_with_what_to_do() -> None:
    said = Said()
    typo = Misconfigured("catalogue_invalid", path="c.yaml", line=2, key="schedule", problem="no schedule")
    for news in (
        Leading(2, ("docs",)),
        StandingBy(),
        CatalogueRead(("new",), ("docs",), ("old",)),
        CatalogueRead((), (), ()),
        StoreDown(Unavailable("store_unavailable")),
        StoreBack(),
        IndexBack(),
        CatalogueKept(typo),
    ):
        said.tell(news)
    assert said.out[0].startswith("Watching 2 sources.")
    assert "by `python -m ingest run`: docs." in said.out[1]
    assert said.out[2].startswith("Another process watches")
    assert said.out[3] == (
        "The catalogue was read again: new: new; changed: docs; no longer watched: old (their documents stay; `remove` "
        "takes them out)."
    )
    assert said.out[4] == "The catalogue was read again, its sources are the same."
    assert said.err[0].startswith("The store does not answer (store unavailable). Nothing is lost")
    assert said.err[1:3] == ["The store answers again.", "The search index answers again and has what it missed."]
    assert said.err[3].startswith("The catalogue c.yaml cannot be used: line 2, schedule: no schedule.")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_a_store_that_is_down_at_the_start_is_waited_for_and_a_signal_ends_it_with_0(
    workshop: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str], how: signal.Signals
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "beer.md").write_text("# Beer\n\nNo ads.\n", encoding="utf-8")
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text(CATALOGUE, encoding="utf-8")
    opened: list[str] = []

    @asynccontextmanager
    async def open_parts() -> AsyncIterator[Workshop]:
        opened.append("asked")
        if len(opened) == 1:
            raise Unavailable("store_unavailable")
        yield workshop
        opened.append("unreachable")

    working = asyncio.create_task(watch_command(parse(["watch"]), open_parts, catalogue))
    async with asyncio.timeout(20):
        while not await workshop.stored("acme"):  # noqa: ASYNC110  a store says when
            await asyncio.sleep(0.05)
        while "Documents: 1 new" not in (said := capsys.readouterr().out):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    os.kill(os.getpid(), how)

    assert await asyncio.wait_for(working, 10) == 0
    assert opened == ["asked", "asked"]
    assert len(said.splitlines()) <= 3
    assert capsys.readouterr().err.endswith("Stopped. What is stored stays; the next run goes on from there.\n")


async def test_a_second_signal_does_not_break_off_the_tidying_up(workshop: Workshop, tmp_path: Path) -> None:
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text(CATALOGUE, encoding="utf-8")
    opened, tidied = asyncio.Event(), []

    @asynccontextmanager
    async def open_parts() -> AsyncIterator[Workshop]:
        opened.set()
        try:
            yield workshop
        finally:
            await asyncio.sleep(0.5)
            tidied.append("all")

    working = asyncio.create_task(watch_command(parse(["watch"]), open_parts, catalogue))
    await asyncio.wait_for(opened.wait(), 10)
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.2)

    assert await asyncio.wait_for(working, 10) == 0
    assert tidied == ["all"]
