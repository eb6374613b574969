"""`python -m ops bench audit`: how many records a second are written and checked, and whether tampering is found."""

import asyncio
import secrets
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit_chain import write_sealed
from adapters.sql.audit_reading import SqlAuditReading
from adapters.sql.audit_tables import audit_chains
from adapters.sql.transactions import write
from bot.record.entries import BEGINNING, SealedRecord, seal
from bot.record.trusting import Trusted
from ops.audit.verifying import check_chain
from ops.backends import open_engine
from ops.bench import wording
from ops.bench.audit_made import made_entry
from ops.bench.audit_rate import Rate
from ops.bench.audit_tampering import tamper_many
from ops.bench.databases import own_database_if_set
from ops.config import Config


@dataclass(frozen=True, slots=True)
class Amounts:
    """`seconds` of writing, each time; `records` that are verified."""

    writers: int = 8
    seconds: float = 10.0
    records: int = 100_000
    tamperings: int = 10_000


FULL, SMALLEST = Amounts(), Amounts(writers=2, seconds=0.1, records=100, tamperings=50)

_LOADED = "bench-loaded"
_AT_A_TIME = 2_000


async def bench_audit(config: Config, *, smallest: bool = False) -> int:
    """On a database of its own where a server is set, and on SQLite. 1 if a tampering was not found, or a chain that
    nobody touched does not verify."""
    amounts, whole = SMALLEST if smallest else FULL, True
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adpolicy-bench-")))
        for name, own in [each async for each in _databases(config, folder, stack)]:
            async with open_engine(own) as engine:
                for processes in (1, amounts.writers):
                    rate = await _written(own, processes, amounts)
                    print(wording.audit_written(name, processes, amounts.writers, rate), flush=True)
                whole &= await _verified(name, engine, amounts.records)
    found, made = tamper_many(amounts.tamperings)
    print(wording.audit_tampered(found, made))
    return 0 if whole and found == made else 1


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
        "ops.bench.audit_writer",
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
