"""The table of answers beside the record of one chain."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import stored_answers
from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.people.privacy import forgettings_state
from bot.audit.entries import body_of
from bot.audit.verification import (
    Finding,
    Problem,
    StoredRecord,
    answer_on_record,
    first_difference,
    has_digests,
    retained_since,
)

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
