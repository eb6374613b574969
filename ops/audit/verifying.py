"""`python -m ops audit verify`."""

import time
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import BEFORE_ALL, SqlAuditCheckpoints, SqlAuditReading
from bot.audit.checkpoints import HEAD_PREFIX, RecordHead, head_line, read_head_line
from bot.audit.entries import INSTALLATION
from bot.audit.trust import Trusted, add_file, add_head, trusted
from bot.audit.verification import ChainCheck, Finding, correction_findings, forgotten_findings
from ops.audit import wording
from ops.audit.answers import StoredAnswers
from ops.audit.checked import Checked
from ops.checkpoints.keys import build_checkpoint_file, build_signer, build_trusted_keys
from ops.config import Config
from ops.parts import utc_now
from ops.wiring import open_engine
from rag_core.errors import Rejected


async def verify(config: Config, workspace: str | None, *, columns: bool = True, head: str | None = None) -> int:
    """Check all chains, or one; with `columns`, what stands beside them as well: columns, personal fields and answers.
    `head`: lines of `python -m ops audit head` that were kept elsewhere, or the file with them. 1 if anything was
    tampered with. Raises Rejected("head_unreadable")."""
    kept = read_heads(head) if head is not None else []
    async with open_engine(config) as engine:
        began = time.perf_counter()
        believed = await believed_checkpoints(config, engine, kept)
        reading = SqlAuditReading(engine)
        chains = sorted({*await reading.chains(), *believed.hashes})
        findings = [each for each in believed.findings if workspace in (None, each.chain) or not each.chain]
        records = 0
        for chain in [each for each in chains if workspace in (None, each)]:
            compared = StoredAnswers(engine, chain) if columns else None
            checked = await check_chain(reading, chain, believed, columns=columns, answers=compared)
            print(wording.checked_chain(checked), flush=True)
            findings += checked.findings
            records += checked.records
        if columns:
            findings += await _forgotten(reading, workspace)
            if workspace in (None, INSTALLATION):
                findings += correction_findings(*await reading.corrections())
        for finding in findings:
            print(wording.finding(finding))
        if believed.elsewhere:
            print(wording.elsewhere(believed.elsewhere))
        print(wording.verified(records, time.perf_counter() - began, len(findings)))
    return 1 if findings else 0


async def believed_checkpoints(config: Config, engine: AsyncEngine, kept: Sequence[RecordHead] = ()) -> Trusted:
    """Those beside the record, those in the file, and heads that were kept elsewhere."""
    checkpoints, keys = SqlAuditCheckpoints(engine), build_trusted_keys(config)
    database, stored = await checkpoints.database(), await checkpoints.stored()
    file = await build_checkpoint_file(config).all()  # read last: each is there before it is beside the record
    found = trusted(stored, keys, database)
    add_file(found, stored, file, keys, database, build_signer(config).key_id)
    for each in kept:
        add_head(found, each, keys, database)
    return found


async def print_head(config: Config) -> int:
    """The last records of all chains as one signed line. Raises Unavailable."""
    async with open_engine(config) as engine:
        database = await SqlAuditCheckpoints(engine).database()
        heads = await SqlAuditReading(engine).heads()
    print(head_line(heads, database.database_id, utc_now(), build_signer(config)))
    return 0


def read_heads(given: str) -> list[RecordHead]:
    """`given`: lines of heads, or the path of a file with them. Raises Rejected("head_unreadable")."""
    try:
        text = given if given.startswith(HEAD_PREFIX) else Path(given).read_text(encoding="ascii")
        heads = [read_head_line(line.strip()) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as exc:
        raise Rejected("head_unreadable") from exc
    if not heads:
        raise Rejected("head_unreadable")
    return heads


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
