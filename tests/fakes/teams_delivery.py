"""Everything between a kept question and the message in Teams: real inbox, workers, sink and stores on a double."""

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.teams.addresses import MESSAGE, TeamsAddress, TeamsPlace, TeamsReference
from adapters.teams.delivery.posting import TeamsPoster
from adapters.teams.delivery.progress import StreamPace, TeamsProgress
from adapters.teams.delivery.replies import TeamsReplySink, TeamsWithdrawing
from adapters.teams.delivery.sent import SentBefore
from adapters.teams.ports import Activity, TeamsOutbound
from bot.model.messages import Actor, InboundQuestion
from bot.model.outcomes import Outcome
from bot.model.posted import KeepingPosted, Posted
from bot.questions.delivery import Pace
from bot.render.teams.view import TeamsView
from rag_core.answers import Answer
from rag_core.errors import Rejected
from tests.fakes.databases import migrated_engine
from tests.fakes.delivery import (
    PACE,
    PSEUDONYMS,
    DeliveringProcess,
    DeliveryWorld,
)
from tests.fakes.service import Steps
from tests.fakes.slack import FakeClock
from tests.fakes.teams import BOT, CHANNEL, SERVICE_URL, TEAM, TENANT, activity, person_id, personal_chat, user_id

SOON = StreamPace(begin_after=0.0, every=0.02, last_after=0.0)


@dataclass
class Standing:
    """A message as it stands in a conversation. `shown`: what was streamed; `is_open`: the stream has no end yet."""

    id: str
    to: TeamsReference
    activity: Mapping[str, Any]
    is_open: bool = False
    shown: str = ""
    ended: str = ""
    sequence: int = 0

    @property
    def text(self) -> str:
        return str(self.activity["text"])

    @property
    def has_card(self) -> bool:
        return bool(self.activity.get("attachments"))


@dataclass
class StrictOutbound:
    """A `TeamsOutbound` with the rules of streams. `troubles` by method: an error, and whether it was done all the
    same. `calls` in order; `why` off: Teams does not say why a stream is over."""

    steps: Steps
    messages: dict[str, Standing] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    parts: list[Mapping[str, Any]] = field(default_factory=list)
    troubles: dict[str, deque[tuple[Exception, bool]]] = field(default_factory=lambda: defaultdict(deque))
    biggest: int = 80_000
    says_why: bool = True
    slow: float = 0.0
    wrong_typing: Exception | None = None

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        found: dict[str, Any] = json.loads(json.dumps(activity))
        info = next((each for each in found.get("entities", []) if each["type"] == "streaminfo"), None)
        kind = str(info["streamType"]) if info else "send"
        await self.steps.pass_by(f"before {kind}")
        trouble = self._begins(kind)
        if trouble and not trouble[1]:
            raise trouble[0]
        id_ = self._streamed(to, found, info) if info else self._new(to, found)
        await self.steps.pass_by(f"after {kind}")
        if trouble:
            raise trouble[0]
        return id_

    async def update(self, to: TeamsReference, activity_id: str, activity: Activity) -> None:
        await self.steps.pass_by("before update")
        trouble = self._begins("update")
        if trouble:
            raise trouble[0]
        found = self.messages.get(activity_id)
        if found is None:
            raise Rejected("teams_message_gone")
        if found.is_open:
            raise self._over("")
        self._check(activity)
        found.activity = json.loads(json.dumps(activity))
        await self.steps.pass_by("after update")

    async def delete(self, to: TeamsReference, activity_id: str) -> None:
        self._begins("delete")
        if self.messages.pop(activity_id, None) is None:
            raise Rejected("teams_message_gone")

    async def typing(self, to: TeamsReference) -> None:
        trouble = self._begins("typing")
        await asyncio.sleep(self.slow)
        if self.wrong_typing:
            raise self.wrong_typing
        if trouble:
            raise trouble[0]

    async def resume(self, to: TeamsReference, person: str) -> TeamsReference:
        return replace(to, conversation=f"a:chat-of-{person}")

    def stop(self, why: str = "stopped") -> None:
        """Of the open stream: the person pressed stop, or the time is over."""
        [found] = [each for each in self.messages.values() if each.is_open]
        found.is_open, found.ended = False, why

    def _begins(self, method: str) -> tuple[Exception, bool] | None:
        self.calls.append(method)
        return self.troubles[method].popleft() if self.troubles[method] else None

    def _new(self, to: TeamsReference, activity: Mapping[str, Any]) -> str:
        self._check(activity)
        made = Standing(f"m{len(self.calls)}", to, activity)
        self.messages[made.id] = made
        return made.id

    def _check(self, activity: Activity) -> None:
        if len(json.dumps(activity)) > self.biggest:
            raise Rejected("teams_message_too_big")

    def _streamed(self, to: TeamsReference, activity: Mapping[str, Any], info: Mapping[str, Any]) -> str:
        self.parts.append(activity)
        if "streamId" not in info:
            assert info["streamSequence"] == 1
            assert not any(each.is_open and each.to == to for each in self.messages.values())
            id_ = self._new(to, activity)
            self.messages[id_].is_open, self.messages[id_].sequence = True, 1
            return id_
        found = self.messages[info["streamId"]]
        if not found.is_open:
            raise self._over(found.ended)
        self._check(activity)
        if info["streamType"] == "final":
            assert "streamSequence" not in info
            assert activity["type"] == "message"
            if not activity["text"].startswith(found.shown):
                raise self._over("")
            found.is_open, found.ended, found.activity = False, "completed", activity
            return found.id
        assert info["streamSequence"] == found.sequence + 1
        found.sequence += 1
        if info["streamType"] == "streaming":
            assert activity["text"].startswith(found.shown)
            found.shown = activity["text"]
        found.activity = activity
        return found.id

    def _over(self, why: str) -> Rejected:
        return Rejected("teams_stream_over", error="ContentStreamNotAllowed", why=why if self.says_why else "")


def rendered(
    question: InboundQuestion, answer_id: str, outcome: Outcome, characters: int | None, begun: str
) -> Activity:
    """A reply as small as the test wants it."""
    kind = type(outcome).__name__.lower()
    card = {"contentType": "application/vnd.microsoft.card.adaptive", "content": {"of": answer_id, "kind": kind}}
    room = f" in {characters}" if characters else ""
    filling = "x" * (characters or 60_000) if question.text == "long" else ""
    return {
        "type": "message",
        "text": f"{begun}{kind} {answer_id}{room}",
        "textFormat": "markdown",
        "attachments": [card, filling] if filling else [card],
        "entities": [{"type": "https://schema.org/Message"}] if isinstance(outcome, Answer) else [],
    }


class Process(DeliveringProcess):
    """With Teams' sink and its progress."""

    progress: TeamsProgress

    def __init__(self, world: "World", *, dies_at: str = "", streams: bool = False, pace: Pace = PACE) -> None:
        super().__init__(world, dies_at)
        self.views: list[TeamsView] = []
        self.closed: list[TeamsAddress] = []
        if world.outbound is world.teams:
            world.teams.steps = self.steps
        self.poster = TeamsPoster(world.outbound, world.pace, self.told, self.tasks, sleep=self.sleep)
        self.progress = TeamsProgress(
            self.poster,
            self.posted,
            PSEUDONYMS,
            clock=world.clock,
            streams=streams,
            typing_after=world.typing_after,
            typing_every=0.02,
            pace=SOON,
        )
        self.sink = TeamsReplySink(
            poster=self.poster,
            progress=self.progress,
            posted=self.posted,
            keeping=KeepingPosted(self.posted, self.tasks, self.sleep),
            pseudonyms=PSEUDONYMS,
            render=self.render,
            log=self.told,
            clock=world.clock,
            closed=self.close,
            sent_before=world.sent_before,
            web_page="https://adpolicy.example",
        )
        self.serve(MESSAGE, self.sink, self.progress, pace)

    async def render(
        self,
        question: InboundQuestion,
        answer_id: str,
        outcome: Outcome,
        view: TeamsView,
        *,
        characters: int | None = None,
        begun: str = "",
    ) -> Activity:
        self.views.append(view)
        await self.steps.pass_by("rendering")
        return rendered(question, answer_id, outcome, characters, begun)

    async def close(self, address: TeamsAddress) -> None:
        self.closed.append(address)


class World(DeliveryWorld):
    """With a Teams."""

    def __init__(self, engine: AsyncEngine, clock: FakeClock, outbound: TeamsOutbound | None = None) -> None:
        super().__init__(engine, clock)
        self.teams = StrictOutbound(Steps())
        self.outbound = outbound or self.teams
        self.service_url = SERVICE_URL
        self.typing_after = 0.0
        self.sent_before: SentBefore | None = None

    def process(self, *, dies_at: str = "", streams: bool = False, pace: Pace = PACE) -> Process:
        return Process(self, dies_at=dies_at, streams=streams, pace=pace)

    async def withdraw(self, asked_in: str) -> bool:
        """In CHANNEL, where nobody else replied."""

        async def sleep(seconds: float) -> None:
            self.clock.move(seconds=seconds)

        async def nobody(address: TeamsAddress, answer: Posted) -> bool:
            return False

        address = activity("", where=CHANNEL, thread="root", id_=asked_in).address
        return await TeamsWithdrawing(self.teams, self.posted, nobody, sleep).withdraw(address)

    def question(
        self, where: str = "", thread: str = "", *, by: int = 1, text: str = "", **more: Any
    ) -> InboundQuestion:
        """The next one; "q1" and so on, asked in the message "a1" ... `where`: CHANNEL, a group chat, or "" for the
        person's own chat with the bot."""
        self.asked += 1
        number = self.asked
        in_channel = where == CHANNEL
        place = TeamsPlace.CHANNEL if in_channel else TeamsPlace.GROUP if where else TeamsPlace.PERSONAL
        address = TeamsAddress(
            self.service_url, TENANT, where or personal_chat(by), place, BOT, user_id(by), person_id(by),
            team=TEAM if in_channel else "", asked_in=f"a{number}",
        )  # fmt: skip
        if in_channel and thread:
            address = replace(address, conversation_id=f"{where};messageid={thread}")
        address = replace(address, **more)
        return InboundQuestion(
            question_id=f"q{number}",
            claim_key=f"teams:{address.conversation_id}:{number}",
            actor=Actor("teams", TENANT, person_id(by)),
            conversation=address.conversation,
            text=text or "can I advertise alcohol in the UK",
            reply_address=address.as_reply_address(),
            received_at=self.clock(),
            private=place is TeamsPlace.PERSONAL,
        )

    @property
    def messages(self) -> list[Standing]:
        return list(self.teams.messages.values())


@asynccontextmanager
async def delivery_world(folder: Path) -> AsyncIterator[World]:
    clock = FakeClock()
    async with migrated_engine(folder) as engine:
        yield World(engine, clock)
