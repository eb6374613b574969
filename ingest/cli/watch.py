"""`watch`: what it prints, and how it is stopped."""

import argparse
import asyncio
import random
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NoReturn, TextIO

from ingest import wording
from ingest import wording_running as running
from ingest.cli.showing import remarks
from ingest.model.operators import utc_now
from ingest.model.report import IngestReport
from ingest.parts import IngestParts
from ingest.watch.catalogue_file import WatchedCatalogue
from ingest.watch.news import (
    CatalogueKept,
    CatalogueRead,
    IndexBack,
    Leading,
    Looked,
    News,
    StandingBy,
    StoreBack,
    StoreDown,
)
from ingest.watch.service import Outage, Surroundings, watch
from rag_core.errors import Misconfigured, Unavailable

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

OpenParts = Callable[[], AbstractAsyncContextManager[IngestParts]]


async def watch_command(args: argparse.Namespace, open_parts: OpenParts, catalogue: Path) -> int:
    """Until SIGTERM or SIGINT, then 0; 2 for a catalogue that cannot be used at the start.

    Raises Misconfigured for settings of the store that cannot be used.
    """
    try:
        watched = WatchedCatalogue(args.catalogue or catalogue)
    except Misconfigured as error:
        print(wording.refused(error.code, error.details), file=sys.stderr)
        return 2
    chances = random.SystemRandom()
    around = Surroundings(utc_now, asyncio.sleep, chances.random, Printed(sys.stdout, sys.stderr))
    work = asyncio.create_task(_watch(watched, open_parts, around))
    loop = asyncio.get_running_loop()
    for each in _SIGNALS:
        loop.add_signal_handler(each, _stop, work)
    try:
        await work
    except asyncio.CancelledError:
        print(running.STOPPED, file=sys.stderr)
    finally:
        for each in _SIGNALS:
            loop.remove_signal_handler(each)
    return 0


def _stop(work: "asyncio.Task[NoReturn]") -> None:
    if not work.cancelling():  # a second signal must not break off the tidying up after the first
        work.cancel()


async def _watch(catalogue: WatchedCatalogue, open_parts: OpenParts, around: Surroundings) -> NoReturn:
    outage = Outage(around.sleep, around.tell)
    while True:
        try:
            async with open_parts() as parts:
                await watch(catalogue, parts, around, outage)
        except Unavailable as error:
            await outage.wait(error)


class Printed:
    """News as lines: a line a look on `out`; what is wrong with documents on `err`, as far as it is new."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err
        self._said: dict[str, set[str]] = {}

    def __call__(self, news: News) -> None:
        if isinstance(news, Looked):
            self._looked(news)
            return
        out = self._out if isinstance(news, Leading | StandingBy | CatalogueRead) else self._err
        print(_words(news), file=out, flush=True)

    def _looked(self, look: Looked) -> None:
        print(running.looked(look.source_id, look.at, _outcome(look), look.retry_at), file=self._out, flush=True)
        if look.report is None or look.failure is not None:
            return
        lines = remarks(look.report)
        before = self._said.get(look.source_id, set())
        for line in lines:
            if line not in before:
                print(line, file=self._err, flush=True)
        self._said[look.source_id] = set(lines)


def _outcome(look: Looked) -> str:
    if (failure := look.failure) is not None:
        return wording.reason(failure.code, failure.details)
    report = look.report or IngestReport()
    behind = f" {running.WAITS_FOR_INDEX}" if report.not_indexed is not None else ""
    return wording.summary(report) + behind


def _words(news: News) -> str:
    match news:
        case Leading():
            said = running.leading(news.sources, news.unscheduled)
        case StandingBy():
            said = running.STANDING_BY
        case StoreDown():
            said = running.store_down(news.error.code)
        case StoreBack():
            said = running.STORE_BACK
        case IndexBack():
            said = running.INDEX_BACK
        case CatalogueKept():
            said = running.catalogue_kept(wording.refused(news.error.code, news.error.details))
        case CatalogueRead():
            said = running.catalogue_read(news.added, news.changed, news.gone)
        case Looked():
            said = running.looked(news.source_id, news.at, _outcome(news), news.retry_at)
    return said
