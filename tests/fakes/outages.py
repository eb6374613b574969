"""Processes on one database that goes away and comes back."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.claims import LocalClaims
from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.tables.policies import inbox as inbox_table
from bot.model.messages import InboundQuestion
from bot.ports import InboxState, Lease, Spool
from bot.questions.inbox import FallbackInbox, InboxPatience
from bot.questions.limits import SteadyClaims
from tests.fakes.clock import FakeClock
from tests.fakes.questions import NOON, make_question
from tests.fakes.shared_services import FakeClaims, FakeSpool, FakeSpoolLog, SwitchedInbox

LEASE = 60.0
PATIENCE = InboxPatience(accept=60.0, call=60.0, look_again=2.0, settle=5.0)
"""By real time a database that is only slow is never down; the others go by the world's clock."""


class World:
    """One database, shared claims and a clock; processes on them, each with its own connection to the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.clock = FakeClock()
        self.vault = Vault([new_key()])
        self.engine = engine
        self.shared_claims = FakeClaims()

    def process(self, spool: Spool | None = None, patience: InboxPatience = PATIENCE) -> "Process":
        return Process(self, spool or FakeSpool(), patience)

    def elapsed(self) -> float:
        return (self.clock() - NOON).total_seconds()

    async def state(self, question_id: str = "q1") -> str:
        statement = select(inbox_table.c.state).where(inbox_table.c.question_id == question_id)
        async with self.engine.connect() as connection:
            return str(await connection.scalar(statement))


class Process:
    """A process: kill it by making another one on its spool."""

    def __init__(self, world: World, spool: Spool, patience: InboxPatience) -> None:
        self.world = world
        self.spool = spool
        self.sql = SwitchedInbox(SqlInbox(world.engine, world.vault, world.clock))
        self.log = FakeSpoolLog()
        claims = SteadyClaims(world.shared_claims, LocalClaims())
        self.inbox = FallbackInbox(self.sql, claims, spool, self.log, elapsed=world.elapsed, patience=patience)

    async def take(self) -> Lease:
        lease = await self.inbox.take("w", LEASE)
        assert lease is not None
        return lease

    async def send(self, lease: Lease) -> None:
        """As the service does; the reply itself is left out."""
        assert await self.inbox.hold(lease, LEASE, sending=True)
        assert await self.inbox.finish(lease, InboxState.SENT)

    async def comes_back(self) -> None:
        """The database answers again, and this process has looked."""
        self.sql.down = self.sql.hangs = False
        self.world.clock.move(seconds=PATIENCE.look_again)
        await self.inbox.settle(LEASE)

    async def takes_nothing(self) -> bool:
        """Not now, and not when every lease has run out."""
        for _ in range(3):
            if await self.inbox.take("w", LEASE) is not None:
                return False
            self.world.clock.move(seconds=2 * LEASE)
        return True


def again(number: int = 1) -> InboundQuestion:
    """Another delivery of the same message."""
    return make_question(number, question_id=f"q{number}-again")
