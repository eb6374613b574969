"""A process that writes records for a benchmark: `python -m ops.bench.audit_writer FOLDER DATABASE WRITERS SECONDS`.

Prints how many records it wrote. Each writer waits for a record before it writes the next one.
"""

import asyncio
import sys
import time
import uuid
from dataclasses import replace

from adapters.sql.audit_log import SqlAuditLog
from adapters.sql.engine import open_engine
from ops.bench.audit_made import made_entry


async def main(folder: str, database: str, writers: int, seconds: float) -> int:
    """Records written in `seconds`, all of them to one chain."""
    engine = open_engine(database or f"sqlite:///{folder}/adpolicy.sqlite3")
    log = SqlAuditLog(engine)
    until = time.perf_counter() + seconds

    async def run() -> int:
        written = 0
        while time.perf_counter() < until:
            entry = made_entry("bench-written", written)
            await log.append([replace(entry, record_id=uuid.uuid4().hex)])
            written += 1
        return written

    try:
        return sum(await asyncio.gather(*(run() for _ in range(writers))))
    finally:
        await engine.dispose()


if __name__ == "__main__":
    _, given_folder, given_database, given_writers, given_seconds = sys.argv
    print(asyncio.run(main(given_folder, given_database, int(given_writers), float(given_seconds))))
