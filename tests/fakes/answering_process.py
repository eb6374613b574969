"""A server's workers in a process of their own: `python -m tests.fakes.answering_process ADDRESS KEY WORKER HANGS`.

With HANGS "asking" or "sending" it never gets past that; SIGTERM makes it stop as the server does, after a short drain.
Prints "at work" when it hangs, and the ids of what it delivered.
"""

import asyncio
import sys

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.engine import open_engine
from adapters.sql.database.vault import Vault
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome
from bot.questions.delivery import Pace
from bot.questions.service import QuestionService
from ops.parts import utc_now
from ops.serving import stop_signal, working
from tests.fakes.service import KIND, FakeAsking, FakeServiceLog, Steps

PACE = Pace(workers=2, poll=0.05, lease=600.0)
DRAIN = 0.2


class PrintingSink:
    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    async def send(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, *, was_sending: bool = False
    ) -> None:
        await self._steps.pass_by("sending")
        sys.stdout.write(f"sent {answer_id} {was_sending}\n")
        sys.stdout.flush()


async def main(address: str, key: str, worker: str, hangs: str) -> None:
    stopped, steps = stop_signal(), Steps(hangs)
    engine = open_engine(address)
    service = QuestionService(
        SqlInbox(engine, Vault([key])),
        FakeAsking(steps),
        {KIND: PrintingSink(steps)},
        FakeServiceLog(),
        worker=worker,
        now=utc_now,
        pace=PACE,
    )
    async with working(service, DRAIN):
        if hangs:
            await steps.reached.wait()
            sys.stdout.write("at work\n")
            sys.stdout.flush()
        await stopped.wait()
    await engine.dispose()


if __name__ == "__main__":
    _, given_address, given_key, given_worker, *given_hangs = sys.argv
    asyncio.run(main(given_address, given_key, given_worker, "".join(given_hangs)))
