"""Roads on which channels are told without having asked: alerts, digests, and what subscribing knows of platforms."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from adapters.sql.database.transactions import fetch
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.tables.policies import policy_changes
from bot.access.groups import Audience
from bot.alerts.changes import AlertReading
from bot.alerts.subscribing import read_wish
from bot.model.messages import Actor, Conversation
from bot.model.notices import Notice, NoticeKind
from bot.model.subscriptions import Rhythm, Subscription
from bot.render.slack.alert import slack_alert
from bot.render.teams.alert import teams_alert
from ops.parts import utc_now
from rag_core.questions import Filters
from tests.security.access.attempts import HELD_APART, Attempt, Proof, Road
from tests.security.access.world import Door, World

_COMMAND = "/adpolicy"


@dataclass(frozen=True, slots=True)
class _Channel:
    """A channel of people like the asker, with one subscription: Audiences and Subscriptions to what is told."""

    actor: Actor
    groups: frozenset[str]
    wanted: Filters

    async def everyone(self, _: Conversation) -> Audience:
        return Audience(self.groups)

    async def of_channel(self, *_: str) -> tuple[Subscription, ...]:
        return (Subscription("s", "slack", "T", "C", Rhythm.AT_ONCE, "", utc_now(), 0, self.wanted),)

    async def of_workspace(self, *_: str) -> tuple[Subscription, ...]:
        return await self.of_channel()

    async def begin(self, subscription: Subscription) -> bool:
        return bool(subscription)

    async def end(self, *_: str) -> int:
        return 0

    async def remove_workspace(self, *_: str) -> int:
        return 0


def _told(kind: NoticeKind, at_once: int, wanted: Filters) -> Callable[[Door], Any]:
    """What such a channel reads of all changes there are, so many in a message; 0: all in one."""

    async def take(door: Door) -> str:
        answering = door.world.answering
        channel = _Channel(door.asker.actor, door.asker.groups, wanted)
        reading = AlertReading(SqlChangeFeed(answering.engine), answering.store, channel, channel, answering.links)
        [(count,)] = await fetch(answering.engine, select(func.max(policy_changes.c.change_id)))
        said, step = [], at_once or count
        for first, last in ((first, first + step - 1) for first in range(1, count + 1, step)):
            rhythm = "daily" if kind is NoticeKind.DIGEST else ""
            content: dict[str, object] = {"changes": [[first, last]], "subscriptions": ["s"], "rhythm": rhythm}
            notice = Notice(f"n{first}", kind, "slack", "T", "C", utc_now(), content=content)
            told = await reading.read(notice, utc_now())
            if told is not None:
                said.append(slack_alert(told, answering.links, utc_now().date(), _COMMAND))
                said.append(teams_alert(told, answering.links, utc_now().date()))
        return json.dumps(said, ensure_ascii=False).replace(HELD_APART, "")

    return take


def _alerts(_: World) -> Iterator[Attempt]:
    yield Attempt("each by itself", "memo", _told(NoticeKind.ALERT, 1, Filters()), alike=False)
    norway = Filters(regions=("no",), sections=("alcohol",))
    take = _told(NoticeKind.ALERT, 1, norway)
    yield Attempt("for a place and a topic", "memo", take, proof=Proof.TAKEN, alike=False)
    hidden = Filters(policy_sources=("zorblatt",))
    take = _told(NoticeKind.ALERT, 1, hidden)
    yield Attempt("of a hidden platform", "platform", take, "zorblatt", Proof.TAKEN, alike=False)


def _digests(_: World) -> Iterator[Attempt]:
    whole = _told(NoticeKind.DIGEST, 0, Filters())
    yield Attempt("everything at once", "memo", whole, proof=Proof.TAKEN, alike=False)
    yield Attempt("ten by ten", "memo", _told(NoticeKind.DIGEST, 10, Filters()), alike=False)


def _wishes(_: World) -> Iterator[Attempt]:
    for words in ("zorblatt", "Zorblatt Ads daily", "daily tarrow vexolune"):
        yield Attempt(words, "platform", _wished(words), words, Proof.TAKEN)


def _wished(words: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        return repr(read_wish(words, await door.world.answering.store.sources(door.asker.groups)))

    return take


ROADS = (
    Road("alerts of changes", _alerts),
    Road("digests of changes", _digests),
    Road("what can be subscribed to", _wishes),
)
