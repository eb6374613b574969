"""Roads through what was said before in a thread of a channel, which everybody reads."""

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

from adapters.local.memory import LocalConversationMemory
from adapters.sql.audit.answers import SqlGivenAnswers
from adapters.sql.chat.conversations import SqlConversationMemory
from adapters.sql.chat.posted import SqlPostedMessages
from bot.model.jsonable import jsonable
from bot.model.messages import Actor, Conversation
from bot.model.posted import MessagePlace, Posted, Subject
from bot.ports import ConversationMemory
from bot.questions.answerer import Asked, Asking
from bot.questions.conversation import Conversations, LayeredMemory, ThreadBeginnings
from bot.render.json import reply_json
from bot.render.slack.message import slack_message
from ops.backends import build_keepers
from ops.parts import new_id, utc_now
from tests.security.access.attempts import Attempt, Road
from tests.security.access.people import LEAVERS, MEMBERS
from tests.security.access.talking import TALKS, proof_of
from tests.security.access.world import Door, World

_HOUR = 3600.0


def _threads(memory: str) -> Callable[[World], Iterator[Attempt]]:
    def attempts(world: World) -> Iterator[Attempt]:
        if memory == "redis" and world.backends.redis is None:
            return
        for of, before, question in TALKS:
            take, by = _in_thread(memory, before, question), frozenset({MEMBERS[0].name, LEAVERS[0].name})
            yield Attempt(f"{before} / {question}", of, take, question, proof_of(of), before=before, before_by=by)

    return attempts


def _in_thread(memory: str, before: str, question: str) -> Callable[[Door], Any]:
    """The member asks in a channel's thread, where everybody reads it; then the asker does, from another process."""

    async def take(door: Door) -> str:
        where = Conversation("slack", "T1", "C1", str(uuid.uuid4()))
        keep = _memory(memory, door.world)
        member = Asked(before, _on_slack(MEMBERS[0].person), "slack", groups=MEMBERS[0].groups, conversation=where)
        await _asking(door.world, keep()).ask(member)
        return await _asks_on(door, question, where, _asking(door.world, keep()))

    return take


def _after_commands(world: World) -> Iterator[Attempt]:
    for of, before, question in TALKS:
        take, by = _after_command(before, question), frozenset({MEMBERS[0].name, LEAVERS[0].name})
        yield Attempt(f"{before} / {question}", of, take, question, proof_of(of), before=before, before_by=by)


def _after_command(before: str, question: str) -> Callable[[Door], Any]:
    """The member types a command, and the answer begins a thread; there the asker asks on, and nobody remembers it."""

    async def take(door: Door) -> str:
        world, thread = door.world, str(uuid.uuid4())
        posted = SqlPostedMessages(world.answering.engine)
        beginnings = ThreadBeginnings(posted, SqlGivenAnswers(world.answering.engine))
        asking = _asking(world, _memory("local", world)(), beginnings)
        where = Conversation("slack", "T1", "C1")
        member = Asked(before, _on_slack(MEMBERS[0].person), "slack", groups=MEMBERS[0].groups, conversation=where)
        answered = await asking.ask(member)
        place = MessagePlace("slack", "T1", "C1", thread, thread)
        await posted.save(Posted(place, Subject.ANSWER, answered.answer_id, utc_now()))
        return await _asks_on(door, question, replace(where, thread=thread), asking)

    return take


async def _asks_on(door: Door, question: str, where: Conversation, asking: Asking) -> str:
    asker = _on_slack(door.asker.person or door.asker.name)
    asked = Asked(question, asker, "slack", groups=door.asker.groups, conversation=where)
    answered = await asking.ask(asked)
    links = door.world.answering.links
    shown = reply_json("", answered.reply, links, {})
    message = slack_message(question, "", answered.reply, links)
    trace = jsonable({**asdict(answered.trace), "timings_ms": {}, "notes": {}})
    return "\n".join(json.dumps(each, default=str, ensure_ascii=False) for each in (shown, message, trace))


def _on_slack(person: str) -> Actor:
    return Actor("slack", "T1", person)


def _memory(name: str, world: World) -> Callable[[], LayeredMemory]:
    """What a process remembers with; what is in the process itself is another one each time."""
    local = LocalConversationMemory(seconds=_HOUR)
    if name == "local":
        return lambda: LayeredMemory(local, LocalConversationMemory(seconds=_HOUR))
    if name == "sql":
        durable: ConversationMemory = SqlConversationMemory(world.answering.engine)
        return lambda: LayeredMemory(LocalConversationMemory(seconds=_HOUR), durable)
    kept = build_keepers(world.config, world.backends.redis).memory
    return lambda: LayeredMemory(kept, LocalConversationMemory(seconds=_HOUR))


def _asking(world: World, memory: LayeredMemory, beginnings: ThreadBeginnings | None = None) -> Asking:
    return Asking(
        world.answering.asker,
        world.records,
        shape=lambda answer_id, reply, trace: reply_json(answer_id, reply, world.answering.links, trace.timings_ms),
        now=utc_now,
        new_id=new_id,
        deadline_seconds=world.config.ask_seconds,
        conversations=Conversations(memory, beginnings=beginnings),
    )


ROADS = (
    Road("a thread, remembered in the process", _threads("local")),
    Road("a thread, remembered in SQL", _threads("sql")),
    Road("a thread, remembered in Redis", _threads("redis")),
    Road("a thread that begins with an answer to a command", _after_commands),
)
