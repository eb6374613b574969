"""`python -m ops audit verify`."""

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import stored_answers
from adapters.sql.audit.reading import BEFORE_ALL, SqlAuditCheckpoints, SqlAuditReading
from adapters.sql.people.privacy import forgettings_state
from bot.audit.checkpoints import HEAD_PREFIX, RecordHead, head_line, read_head_line
from bot.audit.entries import INSTALLATION, body_of
from bot.audit.trust import Trusted, add_file, add_head, trusted
from bot.audit.verification import (
    ChainCheck,
    Finding,
    Problem,
    StoredRecord,
    answer_on_record,
    correction_findings,
    first_difference,
    forgotten_findings,
    has_digests,
    retained_since,
)
from ops.audit import wording
from ops.audit.checked import Checked
from ops.checkpoints.keys import build_checkpoint_file, build_signer, build_trusted_keys
from ops.config import Config
from ops.parts import utc_now
from ops.wiring import open_engine
from rag_core.errors import Rejected

_KIND = "answers"
"""As retention names them."""


class StoredAnswers:
    """Compares answers with records as they come by. `without_digests`: how many records do not say what the row of
    their answer held, whether it is there or not."""

    def __init__(self, engine: AsyncEngine, chain: str) -> None:
        self._engine = engine
        self._chain = chain
        self._findings: list[Finding] = []
        self._gone: dict[str, int] = {}
        self.without_digests = 0

    async def compare(self, records: Sequence[StoredRecord]) -> None:
        """Raises Unavailable."""
        replies = {answer_id: each for each in records if (answer_id := answer_on_record(each)) is not None}
        rows = await stored_answers(self._engine, replies)
        for answer_id, record in replies.items():
            told = has_digests(record)
            self.without_digests += not told
            if answer_id not in rows:
                self._gone |= {answer_id: record.sequence} if told else {}
            elif (detail := first_difference(record, rows[answer_id])) is not None:
                self._findings.append(Finding(self._chain, record.sequence, record.sequence, Problem.ANSWER, detail))

    async def end(self) -> list[Finding]:
        """All that was found. Answers that retention removed, or that are being forgotten, are no finding: what was
        recorded of that meanwhile counts. Raises Unavailable."""
        if self._gone:
            begun, finished = await forgettings_state(self._engine)
            reading = SqlAuditReading(self._engine)
            since = retained_since(await reading.acts(), _KIND)
            for answer_id, sequence in self._gone.items():
                if await self._is_kept(reading, answer_id, sequence, since):
                    problem = Problem.FORGETTING if begun > finished else Problem.DELETED
                    self._findings.append(Finding(self._chain, sequence, sequence, problem))
        return self._findings

    async def _is_kept(self, reading: SqlAuditReading, answer_id: str, sequence: int, since: datetime | None) -> bool:
        """Whether the answer should be there: it is neither forgotten by now nor older than what retention removed."""
        of_subject = await reading.of_subject(answer_id)
        record = next((each for each in of_subject if (each.chain, each.sequence) == (self._chain, sequence)), None)
        if record is None or not record.personal:
            return False
        return since is None or datetime.fromisoformat(body_of(record.canonical)["at"]) >= since


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
