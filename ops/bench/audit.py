"""`python -m ops bench audit`: how many records a second are written and checked.

`python -m ops.bench.audit FOLDER DATABASE WRITERS SECONDS` is one of its processes: it writes, and prints how many
records it wrote. Each writer waits for a record before it writes the next one.
"""

import asyncio
import hashlib
import secrets
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import write_sealed
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.database.engine import open_engine as open_sql_engine
from adapters.sql.database.transactions import write
from adapters.sql.tables.audit import audit_chains
from bot.audit.entries import BEGINNING, AuditEntry, RecordKind, SealedRecord, seal
from bot.audit.trust import Trusted
from ops.audit.verifying import check_chain
from ops.backends import open_engine
from ops.bench import wording
from ops.bench.stores import own_database_if_set
from ops.bench.timing import Rate
from ops.config import Config


@dataclass(frozen=True, slots=True)
class Amounts:
    """`seconds` of writing, each time; `records` that are verified."""

    writers: int = 8
    seconds: float = 10.0
    records: int = 100_000


FULL, SMALLEST = Amounts(), Amounts(writers=2, seconds=0.1, records=100)

_LOADED = "bench-loaded"
_AT_A_TIME = 2_000
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_CHUNKS = 8
_CITATIONS = 3
_QUOTE = "Ads for this kind of goods may run only if the audience is of age and the seller is licensed, rule {n}."


async def bench_audit(config: Config, *, smallest: bool = False) -> int:
    """On a database of its own where a server is set, and on SQLite. 1 if an untouched chain does not verify."""
    amounts, whole = SMALLEST if smallest else FULL, True
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adpolicy-bench-")))
        for name, own in [each async for each in _databases(config, folder, stack)]:
            async with open_engine(own) as engine:
                for processes in (1, amounts.writers):
                    rate = await _written(own, processes, amounts)
                    print(wording.audit_written(name, processes, amounts.writers, rate), flush=True)
                whole &= await _verified(name, engine, amounts.records)
    return 0 if whole else 1


async def _databases(config: Config, folder: Path, stack: AsyncExitStack) -> AsyncIterator[tuple[str, Config]]:
    embedded = Config(data_dir=folder)
    address = await own_database_if_set(config, f"adpolicy-bench-{uuid.uuid4().hex[:8]}", stack)
    if address is not None:
        yield "PostgreSQL", embedded.model_copy(update={"database_url": SecretStr(address)})
    yield "SQLite", embedded


async def _written(config: Config, processes: int, amounts: Amounts) -> Rate:
    """All writers, each waiting for each of its records; in one process or in as many as there are writers."""
    address = config.database_url.get_secret_value() if config.database_url else ""
    commands = [
        sys.executable,
        "-m",
        "ops.bench.audit",
        str(config.data_dir),
        address,
        str(amounts.writers // processes),
        str(amounts.seconds),
    ]
    running = [
        await asyncio.create_subprocess_exec(*commands, stdout=asyncio.subprocess.PIPE) for _ in range(processes)
    ]
    told = [(await each.communicate())[0] for each in running]
    return Rate(sum(int(each) for each in told), amounts.seconds, 200)


async def _verified(name: str, engine: AsyncEngine, records: int) -> bool:
    await load(engine, records)
    whole = True
    for columns, target in ((False, 10_000), (True, 4_000)):
        began = time.perf_counter()
        checked = await check_chain(SqlAuditReading(engine), _LOADED, Trusted(), columns=columns)
        rate = Rate(checked.records, time.perf_counter() - began, target)
        print(wording.audit_verified(name, columns, rate), flush=True)
        whole &= not checked.findings and checked.records == records
    return whole


async def load(engine: AsyncEngine, count: int) -> None:
    """A chain of `count` records, many in a transaction."""
    sealed = sealed_chain(_LOADED, count)
    last: SealedRecord | None = None
    while some := list(islice(sealed, _AT_A_TIME)):

        async def add(connection: AsyncConnection, some: list[SealedRecord] = some) -> None:
            await write_sealed(connection, some)

        await write(engine, add)
        last = some[-1]
    head = {"chain": _LOADED, "sequence": count, "hash": last.hash if last else BEGINNING}

    async def finish(connection: AsyncConnection) -> None:
        await connection.execute(audit_chains.insert().values(head))

    await write(engine, finish)


def sealed_chain(chain: str, count: int) -> Iterator[SealedRecord]:
    previous = BEGINNING
    for sequence in range(1, count + 1):
        sealed = seal(made_entry(chain, sequence), sequence, previous, lambda: secrets.token_hex(16))
        previous = sealed.hash
        yield sealed


def made_entry(chain: str, number: int) -> AuditEntry:
    """Entry `number` of a made chain, as big as real ones: every second one a question, the others its answers."""
    person = f"person-{number % 500}"
    at = _FIRST + timedelta(seconds=number)
    answer_id = f"answer-{chain}-{number // 2}"
    if number % 2:
        facts: dict[str, Any] = {"outcome": "answer", "filters": {}, "as_of": None, "groups": [], "top_k": 15}
        personal = {"person": person, "channel": "C1", "asked": f"can I advertise goods of kind {number}"}
        return AuditEntry(f"q-{number}", RecordKind.QUESTION, chain, at, answer_id, "bench", facts, personal)
    personal = {"person": person, "understood": f"goods of kind {number}", "shown": _QUOTE.format(n=number) * 5}
    return AuditEntry(f"r-{number}", RecordKind.ANSWER, chain, at, answer_id, "bench", _answered(number), personal)


def _answered(number: int) -> dict[str, Any]:
    chunks = [_chunk(number, n) for n in range(_CHUNKS)]
    return {
        "scope": {"as_of": "2026-01-01", "regions": ["uk"], "policy_sources": []},
        "verdicts": [{"region": "uk", "policy_source": "bench", "verdict": "restricted"}],
        "statements": [{"text": _QUOTE.format(n=n), "citations": [n], "quotes": []} for n in range(_CITATIONS)],
        "citations": [
            {**chunks[n], "number": n, "char_start": 0, "char_end": 90, "quote": _QUOTE.format(n=n)}
            for n in range(_CITATIONS)
        ],
        "chunks": chunks,
        "dropped": 0,
        "model": None,
        "timings_ms": {"embed": 5.25, "retrieve": 3.5, "total": 21.125},
    }


def _chunk(number: int, n: int) -> dict[str, str]:
    found = hashlib.sha256(f"{number % 97}:{n}".encode()).hexdigest()
    return {"chunk_id": found[:36], "doc_id": f"bench_{n}_2026-01-01", "content_hash": found}


async def write_records(folder: str, database: str, writers: int, seconds: float) -> int:
    """Records written in `seconds`, all of them to one chain."""
    engine = open_sql_engine(database or f"sqlite:///{folder}/adpolicy.sqlite3")
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
    print(asyncio.run(write_records(given_folder, given_database, int(given_writers), float(given_seconds))))
