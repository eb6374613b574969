"""A process of its own that works on an inbox: `python -m tests.fakes.inbox_process ADDRESS KEY WORKER COUNT`.

Accepts questions 0..COUNT-1, each of another conversation, then takes, sends and finishes until nothing is left.
Prints as JSON which ones it was the first to accept, and which ones it finished.
"""

import asyncio
import json
import sys

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.engine import open_engine
from adapters.sql.database.vault import Vault
from bot.model.messages import Conversation
from bot.ports import InboxState
from tests.fakes.questions import make_question

LEASE_SECONDS = 600.0


async def main(address: str, key: str, worker: str, count: int) -> None:
    engine = open_engine(address)
    inbox = SqlInbox(engine, Vault([key]))
    questions = [
        make_question(n, question_id=f"{worker}-{n}", conversation=Conversation("slack", "T1", "C1", str(n)))
        for n in range(count)
    ]
    accepted = [each.claim_key for each in questions if await inbox.accept(each)]
    finished = []
    while lease := await inbox.take(worker, LEASE_SECONDS):
        await inbox.hold(lease, LEASE_SECONDS, sending=True)
        if await inbox.finish(lease, InboxState.SENT):
            finished.append(lease.question.claim_key)
    await engine.dispose()
    sys.stdout.write(json.dumps({"accepted": accepted, "finished": finished}))


if __name__ == "__main__":
    _, given_address, given_key, given_worker, given_count = sys.argv
    asyncio.run(main(given_address, given_key, given_worker, int(given_count)))
