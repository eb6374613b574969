"""Checkpoints, for as long as something is added to the record."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.checkpoint_file import CheckpointFile
from adapters.sql.audit.reading import SqlAuditCheckpoints
from bot.audit.checkpoints import Signer, checkpoint_json, sign_head
from ops.checkpoints.keys import build_checkpoint_file, build_signer
from ops.config import Config
from ops.parts import OutageLog, utc_now
from rag_core.errors import Unavailable

EVERY_SECONDS = 30.0


class CheckpointKeeping:
    """Signs the head of each chain that has something new: into the file first, then beside the record. Several
    processes may do it at once."""

    def __init__(
        self,
        stored: SqlAuditCheckpoints,
        file: CheckpointFile,
        signer: Signer,
        now: Callable[[], datetime],
        log: OutageLog | None = None,
    ) -> None:
        self._stored = stored
        self._file = file
        self._signer = signer
        self._now = now
        self._log = log

    async def once(self) -> int:
        """How many chains had something new. Raises Unavailable."""
        due = await self._stored.due(self._signer.key_id)
        database_id = (await self._stored.database()).database_id if due else ""
        for head in due:
            checkpoint = sign_head(head, self._now(), self._signer, database_id)
            await self._file.add(checkpoint_json(checkpoint))
            await self._stored.add(checkpoint)
        return len(due)

    async def run(self, every_seconds: float = EVERY_SECONDS) -> None:
        """Until cancelled; what is down is tried again the next time."""
        while True:
            try:
                await self.once()
            except Unavailable as exc:
                if self._log is not None:
                    self._log.unavailable("-", exc, 0)
            await asyncio.sleep(every_seconds)


def build_keeping(config: Config, engine: AsyncEngine, log: OutageLog | None = None) -> CheckpointKeeping:
    """On what the settings name."""
    file, signer = build_checkpoint_file(config), build_signer(config)
    return CheckpointKeeping(SqlAuditCheckpoints(engine), file, signer, utc_now, log)
