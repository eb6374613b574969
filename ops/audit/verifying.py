"""`python -m ops audit verify`."""

import time

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit_checkpoints import SqlAuditCheckpoints
from adapters.sql.audit_reading import BEFORE_ALL, SqlAuditReading
from bot.record.forgetting import forgotten_findings
from bot.record.trusting import Trusted, trusted
from bot.record.verifying import ChainCheck, Finding
from ops.audit import wording
from ops.audit.answers import StoredAnswers
from ops.audit.checked import Checked
from ops.checkpoints.keys import build_checkpoint_file, build_trusted_keys
from ops.config import Config
from ops.wiring import open_engine


async def verify(config: Config, workspace: str | None, *, columns: bool = True) -> int:
    """Check all chains, or one; with `columns`, what stands beside them as well: columns, personal fields and answers.
    1 if anything was tampered with."""
    async with open_engine(config) as engine:
        began = time.perf_counter()
        believed = await believed_checkpoints(config, engine)
        reading = SqlAuditReading(engine)
        chains = sorted({*await reading.chains(), *believed.hashes})
        findings = [each for each in believed.findings if workspace in (None, each.chain)]
        records = 0
        for chain in [each for each in chains if workspace in (None, each)]:
            compared = StoredAnswers(engine, chain) if columns else None
            checked = await check_chain(reading, chain, believed, columns=columns, answers=compared)
            print(wording.checked_chain(checked), flush=True)
            findings += checked.findings
            records += checked.records
        if columns:
            findings += await _forgotten(reading, workspace)
        for finding in findings:
            print(wording.finding(finding))
        print(wording.verified(records, time.perf_counter() - began, len(findings)))
    return 1 if findings else 0


async def believed_checkpoints(config: Config, engine: AsyncEngine) -> Trusted:
    """Those beside the record and those in the file."""
    stored = await SqlAuditCheckpoints(engine).stored()
    return trusted([*stored, *await build_checkpoint_file(config).all()], build_trusted_keys(config))


async def _forgotten(reading: SqlAuditReading, workspace: str | None) -> list[Finding]:
    """What is empty without having been forgotten."""
    found = await reading.forgotten()
    of_interest = [each for each in sorted(found) if workspace in (None, each)]
    return [finding for chain in of_interest for finding in forgotten_findings(chain, *found[chain])]


async def check_chain(
    reading: SqlAuditReading,
    chain: str,
    believed: Trusted,
    *,
    columns: bool,
    answers: StoredAnswers | None = None,
) -> Checked:
    """What is added meanwhile is checked as well."""
    check = ChainCheck(chain, believed.hashes.get(chain, {}))
    while True:
        before = check.records
        async for some in reading.records(chain, columns=columns, after=check.last if before else BEFORE_ALL):
            check.feed(some)
            if answers is not None:
                await answers.compare(some)
        head = await reading.head(chain)  # read last: whoever adds a record moves it in the same transaction
        if head is None or head.count <= check.last or check.records == before:
            break
    findings = (*check.end((head.count, head.hash) if head else None), *(await answers.end() if answers else ()))
    without = answers.without_digests if answers else 0
    return Checked(chain, check.records, check.forgotten, believed.last(chain), findings, without)
