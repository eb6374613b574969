"""A process that adds to the record: `python -m tests.fakes.audit_process ADDRESS NAME COUNT`.

COUNT answers with two entries each, four at a time, all to one chain. Prints each answer's id once it is saved, so that
whoever kills it knows what must be there.
"""

import asyncio
import sys
from dataclasses import replace

from adapters.sql.audit.answers import SqlAnswerRecords
from adapters.sql.database.engine import open_engine
from bot.ports import RecordedAnswer
from tests.fakes.audit import NOON, make_entry

CHAIN = "T1"


def made(answer_id: str, number: int) -> RecordedAnswer:
    entries = tuple(
        replace(make_entry(number, CHAIN), record_id=f"{answer_id}:{part}", subject=answer_id)
        for part in ("question", "reply")
    )
    return RecordedAnswer(answer_id, "slack", CHAIN, "U1", "Bier?", {"kind": "answer"}, None, NOON, entries)


async def main(address: str, name: str, count: int) -> None:
    engine = open_engine(address)
    records = SqlAnswerRecords(engine)

    async def save(number: int) -> None:
        await records.save(made(f"{name}-{number}", number))
        print(f"{name}-{number}", flush=True)

    for first in range(0, count, 4):
        await asyncio.gather(*(save(number) for number in range(first, min(first + 4, count))))
    await engine.dispose()


if __name__ == "__main__":
    _, given_address, given_name, given_count = sys.argv
    asyncio.run(main(given_address, given_name, int(given_count)))
