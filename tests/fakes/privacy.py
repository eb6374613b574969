"""Two people who asked, with everything that is kept of them, and a search through all bytes for one of them."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.spool import LocalSpool
from adapters.sql.audit.answers import SqlAnswerRecords, SqlGivenAnswers
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.chat.conversations import SqlConversationMemory
from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.chat.posted import SqlPostedMessages
from adapters.sql.database.vault import Vault
from adapters.sql.database.wiping import wipe
from adapters.sql.people.feedback import SqlFeedback
from adapters.sql.people.privacy import SqlPeopleForgetting, open_pseudonyms
from bot.access.pseudonyms import Pseudonyms
from bot.answers.feedback import GivingFeedback, Rating, Said
from bot.audit.exchanges import Exchange, failed_entry
from bot.model.messages import Actor, Conversation
from bot.model.posted import MessagePlace, Posted, Subject
from bot.ports import FastMemory, InboxEntry, InboxState, RecordedAnswer
from bot.questions.answerer import Asked, Asking
from bot.questions.conversation import Conversations, LayeredMemory
from bot.questions.limits import Allowances, Limit, SteadyLimits
from bot.questions.spool import audit_entry_json, entry_json, record_json
from ops.privacy.command import Forgetting
from rag_core.errors import Unavailable
from tests.fakes.clock import FakeClock
from tests.fakes.conversing import FakeAsker
from tests.fakes.keepers import Keepers
from tests.fakes.questions import NOON, make_question

PERSON = Actor("slack", "T1", "U0FORGETME")
OTHER = Actor("slack", "T1", "U0STAYS")
THREAD = Conversation("slack", "T1", "C1", "1700000000.000100")
WORDS = ("absinthe", "zanzibar", "moonshine")
"""In each of the person's questions there is one of them, and in nobody else's."""

KEY = base64.urlsafe_b64encode(bytes(32)).decode()


@dataclass
class Town:
    """What a server has open."""

    engine: AsyncEngine
    keepers: Keepers
    spool: LocalSpool
    pseudonyms: Pseudonyms
    clock: FakeClock
    fast: Any
    asking: Asking
    inbox: SqlInbox

    async def ask(self, actor: Actor, question: str, answer_id: str, where: Conversation | None = THREAD) -> None:
        self.clock.move(minutes=1)
        asked = Asked(question, actor, actor.platform, conversation=where, answer_id=answer_id)
        await self.asking.ask(asked)

    async def live(self) -> None:
        """The person asks between others, alone and over the API, and says what he thinks of it; some of that waits in
        the inbox and in the spool."""
        await self.ask(OTHER, "beer in Spain?", "o1")
        await self.ask(OTHER, "are casinos fine in Italy", "o3")
        await self.ask(PERSON, "absinthe for students", "p1")
        await self.ask(OTHER, "and in France?", "o2")  # completed from the person's words
        await self.ask(PERSON, "zanzibar lottery", "p2", Conversation("slack", "T1", "D1", "1700000001.000100"))
        await self.say(PERSON, "p1", "absinthe is not beer")
        await self.say(OTHER, "o1", "just what I asked")
        await self.post(PERSON, "p1")
        await self.post(OTHER, "o1")
        await self.wait_in_inbox()
        await self.wait_in_spool()

    async def post(self, actor: Actor, answer_id: str) -> None:
        """Their answer stands in the thread."""
        place = MessagePlace("slack", THREAD.workspace, THREAD.channel, answer_id, THREAD.thread)
        person = self.pseudonyms.of(actor)
        await SqlPostedMessages(self.engine).save(Posted(place, Subject.ANSWER, answer_id, NOON, "", person))

    async def say(self, actor: Actor, answer_id: str, comment: str) -> None:
        giving = GivingFeedback(
            SqlGivenAnswers(self.engine),
            SqlFeedback(self.engine),
            now=self.clock,
            new_id=lambda: answer_id,
            known_as=self.pseudonyms.of,
        )
        assert await giving.give(actor, Said(answer_id, Rating.NOT_USEFUL, comment=comment), "slack") is not None

    async def wait_in_inbox(self) -> None:
        for number, actor in ((1, PERSON), (2, OTHER)):
            told = "moonshine ads" if actor == PERSON else "wine ads"
            where = replace(THREAD, thread=str(number))
            await self.inbox.accept(make_question(number, actor=actor, text=told, conversation=where))

    async def wait_in_spool(self) -> None:
        for name, actor in (("p", PERSON), ("o", OTHER)):
            question = make_question(3, actor=actor, question_id=f"{name}3", claim_key=name, text="moonshine")
            await self.spool.put("question", f"{name}3", entry_json(InboxEntry(question, InboxState.ACCEPTED)))
            entry = failed_entry(Exchange(f"{name}4", "slack", "T1", actor.person, "moonshine", NOON), "too_slow")
            await self.spool.put("audit", entry.record_id, audit_entry_json(entry))
            person = self.pseudonyms.of(actor)
            record = RecordedAnswer(f"{name}5", "slack", "T1", person, "moonshine", {}, None, NOON)
            await self.spool.put("answer", record.answer_id, record_json(record))

    def forgetting(self, actor: Actor = PERSON, memory: FastMemory | None = None, wait: float = 5.0) -> Forgetting:
        stored = SqlPeopleForgetting(self.engine, actor, self.pseudonyms, self.clock)
        return Forgetting(
            actor, stored, self.spool, memory or self.fast, lambda: wipe(self.engine), "operator", self.clock, wait
        )

    async def spooled(self) -> list[str]:
        return [key for kind in ("question", "audit", "answer") async for key, _ in self.spool.entries(kind)]

    async def rows(self, query: str) -> list[Any]:
        async with self.engine.connect() as connection:
            return list((await connection.execute(text(query))).all())


@asynccontextmanager
async def open_town(engine: AsyncEngine, keepers: Keepers, folder: Path) -> AsyncIterator[Town]:
    vault, clock = Vault([KEY]), FakeClock()
    spool = LocalSpool(folder / "spool", encrypt=vault.encrypt, decrypt=vault.decrypt, most_bytes=1_000_000)
    pseudonyms = await open_pseudonyms(engine, vault, now=clock)
    fast = keepers.memory()
    log = SqlAuditLog(engine)
    limits = keepers.limits(Allowances(Limit(1000, 600), Limit(1000, 600), Limit(1000, 600)))
    asking = Asking(
        FakeAsker(),
        SqlAnswerRecords(engine, log),
        shape=lambda answer_id, reply, trace: {"text": f"Read as {trace.question.search_text}", "id": answer_id},
        now=clock,
        new_id=lambda: "unused",
        deadline_seconds=10,
        conversations=Conversations(LayeredMemory(fast, SqlConversationMemory(engine)), keepers.locks()),
        limits=SteadyLimits(limits, limits),
        audit=log,
        pseudonyms=pseudonyms,
    )
    yield Town(engine, keepers, spool, pseudonyms, clock, fast, asking, SqlInbox(engine, vault))


async def dump_of(engine: AsyncEngine, folder: Path) -> bytes:
    """All bytes of the database: its files, or every row of every table as text."""
    if engine.dialect.name == "sqlite":
        return await asyncio.to_thread(_bytes_of, folder)
    async with engine.connect() as connection:
        tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        found = [b""]
        for name in (await connection.execute(text(tables))).scalars().all():
            each = f'SELECT t::text FROM "{name}" t'  # noqa: S608 - the database's own names
            rows = (await connection.execute(text(each))).scalars()
            found += [row.encode() for row in rows]
        records = (await connection.execute(text("SELECT canonical FROM audit_records"))).scalars()
        return b"\n".join([*found, *map(bytes, records)])


def _bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("store.sqlite3*")))


async def redis_dump(keepers: Any) -> bytes:
    """All keys and values under the prefix."""
    kinds = {
        b"list": ("LRANGE", 0, -1),
        b"zset": ("ZRANGE", 0, -1),
        b"string": ("GET",),
    }
    found = []
    for key in await keepers.keys():
        kind = await keepers.raw.execute_command("TYPE", key)
        command, *arguments = kinds[kind]
        found.append(f"{key} {await keepers.raw.execute_command(command, key, *arguments)}".encode())
    return b"\n".join(found)


class DownMemory:
    """A Redis that does not answer after some calls."""

    def __init__(self, answers: int = 0) -> None:
        self._answers = answers

    async def forget_all(self) -> int:
        self._answers -= 1
        if self._answers < 0:
            raise Unavailable("redis_down")
        return 0
