"""A process that alerts and sends, and dies where it is told: `python -m tests.fakes.notice_process ADDRESS FILE STEP`.

STEP: "queueing" (the notices are written, the transaction is not ended), "queued" (it is ended), "taken" (the third
notice is taken), "sent" (the third is at the platform, and that is not written down), or "none": until nothing is left.
What is at the platform stands in FILE, a line each: channel and notice id.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from adapters.sql.chat import alert_book
from adapters.sql.chat.alert_book import SqlAlertBook
from adapters.sql.chat.notices import SqlNoticeQueue, add_notices
from adapters.sql.chat.subscriptions import SqlSubscriptions
from adapters.sql.database.engine import open_engine
from adapters.sql.database.types import utc_now
from bot.alerts.alerting import Alerting, AlertPace
from bot.alerts.sender import NoticePace, NoticeService
from bot.model.notices import Notice, NoticeLease
from tests.fakes.notices import KeptLog

PACE = NoticePace(poll=0.05, lease=1.0, send=0.5, a_second=10_000.0, burst=10_000.0, in_channel=0.0)
_THIRD = 3


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingBook(SqlAlertBook):
    """Dies after its transaction."""

    async def tell(self, notices: Sequence[Notice], moved: Mapping[str, int], looked_at: datetime | None) -> None:
        await super().tell(notices, moved, looked_at)
        die()


async def dying_within(*given: Any) -> int:
    """In place of `add_notices`: the notices are added, and nothing is committed."""
    await add_notices(*given)
    die()
    return 0


class FileSink:
    """Posts into a file, and looks there where nobody knows whether it did."""

    def __init__(self, file: Path, step: str) -> None:
        self._file = file
        self._step = step
        self._taken = 0

    async def send(self, lease: NoticeLease) -> None:
        self._taken += 1
        if self._step == "taken" and self._taken == _THIRD:
            die()
        line = f"{lease.notice.channel} {lease.notice.notice_id}\n"
        if not (lease.was_sending and line in self._file.read_text().splitlines(keepends=True)):
            with self._file.open("a") as posted:
                posted.write(line)
        if self._step == "sent" and self._taken == _THIRD:
            die()


async def main(address: str, file: Path, step: str) -> None:
    engine, log = open_engine(address), KeptLog()
    if step == "queueing":
        setattr(alert_book, "add_notices", dying_within)  # noqa: B010
    book = DyingBook(engine) if step == "queued" else SqlAlertBook(engine)
    await Alerting(book, utc_now, log, AlertPace(settle=0.0, most_single=100)).round()
    queue = SqlNoticeQueue(engine)
    service = NoticeService(
        queue, {"slack": FileSink(file, step)}, SqlSubscriptions(engine), log,
        worker=str(os.getpid()), now=utc_now, monotonic=time.monotonic, pace=replace(PACE, workers=2),
    )  # fmt: skip
    running = asyncio.create_task(service.run())
    while (await queue.backlog())[0]:  # noqa: ASYNC110 - other processes empty it as well
        await asyncio.sleep(0.05)
    service.stop()
    await running
    await engine.dispose()


if __name__ == "__main__":
    _, given_address, given_file, given_step = sys.argv
    asyncio.run(main(given_address, Path(given_file), given_step))
