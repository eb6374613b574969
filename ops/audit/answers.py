"""The table of answers beside the record of one chain."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.answer_records import kept_replies
from bot.record.answers import answer_on_record, first_difference
from bot.record.verifying import Finding, Problem, StoredRecord


class AnswersAsKept:
    """Compares answers with records as they come by. One that its table has not any more is no finding: answers are
    kept for as long as retention says, the record for good."""

    def __init__(self, engine: AsyncEngine, chain: str) -> None:
        self._engine = engine
        self._chain = chain
        self.findings: list[Finding] = []

    async def compare(self, records: Sequence[StoredRecord]) -> None:
        """Raises Unavailable."""
        replies = {answer_id: each for each in records if (answer_id := answer_on_record(each)) is not None}
        kept = await kept_replies(self._engine, replies)
        for answer_id, record in replies.items():
            if answer_id in kept and (detail := first_difference(record, kept[answer_id])) is not None:
                place = record.sequence
                self.findings.append(Finding(self._chain, place, place, Problem.ANSWER, detail))
