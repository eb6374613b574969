"""Answers in Teams with everything on them to click, beside hand-written storage: clicks come by HTTP as Teams sends
them."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from aiohttp.test_utils import TestClient, TestServer
from aiohttp.web import Application

from adapters.local.signing import CardSigning
from adapters.teams.addresses import TeamsAddress, TeamsReference, channel_of
from adapters.teams.app import MESSAGES_PATH, teams_routes
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import TeamsDirectory, TeamsInbound, TeamsOutbound
from adapters.teams.settings import TeamsSettings
from bot.access.groups import Access
from bot.access.pseudonyms import Pseudonyms
from bot.answers.feedback import GivingFeedback
from bot.answers.seen import AnswerPorts, SeenAnswers
from bot.commands.search import PublicSearch
from bot.model.channels import KnownConversation
from bot.model.messages import Actor
from bot.model.outcomes import Admitted
from bot.model.posted import MessagePlace, Posted, Subject
from bot.render.teams.message import teams_message
from bot.render.teams.view import TeamsInvoke, TeamsView
from ingest.ports import VersionWrite
from ops.sandbox.teams.checks import problem
from rag_core.answers import Reply
from rag_core.questions import Filters
from rag_core.retrieval.found import Found, SearchFound
from tests.fakes.directories import FakeDirectory as FakeGroups
from tests.fakes.documents import passages_of
from tests.fakes.feedback import FakeFeedback, FakeGivenAnswers
from tests.fakes.posted import FakePostedMessages
from tests.fakes.slack import FakeInbox
from tests.fakes.slack_answers import LINKS, QUESTION, recorded
from tests.fakes.teams import (
    BOT,
    CHANNEL,
    SERVICE_URL,
    TEAM,
    TENANT,
    TOKEN,
    FakeDirectory,
    FakeInbound,
    FakeOutbound,
    person_id,
    personal_chat,
    raw_activity,
    settings,
)
from tests.fakes.web import FakePolicyStore

NAMES = Pseudonyms(b"k" * 32)
LEGAL = f"entra:{TENANT}/55555555-5555-5555-5555-555555555555"
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TEAM_CHANNEL = f"{TEAM}/{CHANNEL}"
THREAD = "1700000000001"
Json = dict[str, Any]


def actor(number: int) -> Actor:
    return Actor("teams", TENANT, person_id(number))


class Sdk(Protocol):
    """Teams' three ports, as `ops.teams_sdk` opens them."""

    @property
    def inbound(self) -> TeamsInbound: ...

    @property
    def outbound(self) -> TeamsOutbound: ...

    @property
    def directory(self) -> TeamsDirectory: ...


@dataclass
class FakeKnown:
    """KnownConversations and SharedPlaces: those of `rows`."""

    rows: list[KnownConversation] = field(default_factory=list)
    failure: Exception | None = None

    async def save(self, known: KnownConversation) -> None:
        self.rows = [*(each for each in self.rows if each.channel != known.channel), known]

    async def of_channel(self, platform: str, workspace: str, channel: str) -> KnownConversation | None:
        return next((each for each in self._of(workspace) if each.channel == channel), None)

    async def of_person(self, platform: str, workspace: str, person: str) -> KnownConversation | None:
        return next((each for each in self._of(workspace) if each.person == person), None)

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        before = len(self.rows)
        self.rows = [each for each in self.rows if each.channel != channel]
        return len(self.rows) < before

    async def remove_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        gone = tuple(each.channel for each in self.rows if each.team == team)
        self.rows = [each for each in self.rows if each.team != team]
        return gone

    async def shared(self, platform: str, workspace: str, most: int) -> Sequence[KnownConversation]:
        return [each for each in self._of(workspace) if not each.person][:most]

    def _of(self, workspace: str) -> list[KnownConversation]:
        if self.failure:
            raise self.failure
        return [each for each in self.rows if each.workspace == workspace]


def known(channel: str, *, person: str = "", name: str = "") -> KnownConversation:
    reference = TeamsReference(SERVICE_URL, TENANT, channel.rpartition("/")[2], BOT)
    fields = {each: getattr(reference, each) for each in ("service_url", "tenant", "conversation", "bot")}
    return KnownConversation("teams", TENANT, channel, "", person, NOON, "", fields, name)


@dataclass
class FakeRule:
    """The rule for people of other organisations, as Teams' adapter asks it: `places` by conversation."""

    says: Admitted = Admitted.ALLOWED
    places: dict[str, Admitted] = field(default_factory=dict)

    async def __call__(self, address: TeamsAddress, *, seconds: float = 0.0) -> Admitted:
        return self.places.get(channel_of(address.conversation_id), self.says)


@dataclass
class FakeSearch:
    """Finds all passages that the groups may see, in order; `failure` is raised in their place."""

    store: FakePolicyStore
    failure: Exception | None = None
    asked: list[tuple[str, Filters, frozenset[str], int]] = field(default_factory=list)

    async def __call__(
        self, query: str, *, filters: Filters, groups: frozenset[str], limit: int, **_: Any
    ) -> SearchFound:
        self.asked.append((query, filters, groups, limit))
        if self.failure:
            raise self.failure
        seen = [each for write in self.store.writes if write.version.may_see(groups) for each in passages_of(write)]
        return SearchFound(tuple(Found(each, 0.5) for each in seen[:limit]))


@dataclass
class Answers:
    """A bot in Teams. `give` puts an answer on record and gives the card as it would stand there."""

    parts: TeamsParts
    http: TestClient[Any, Any]
    outbound: FakeOutbound
    people: FakeDirectory
    inbox: FakeInbox
    given: FakeGivenAnswers
    feedback: FakeFeedback
    store: FakePolicyStore
    posted: FakePostedMessages
    known: FakeKnown
    rule: FakeRule
    search: FakeSearch

    def give(
        self,
        reply: Reply,
        *looked_at: VersionWrite,
        answer_id: str = "a1",
        where: str = CHANNEL,
        asker: int = 1,
        groups: Sequence[str] = (),
        message_id: str = "",
    ) -> Json:
        """`where` "": the asker's own chat. `message_id`: of the activity that the card will stand in."""
        channel = self._channel(where)
        record = recorded(reply, *looked_at, answer_id=answer_id, channel=channel if where else "", groups=groups)
        record = replace(record, answered_from="teams", workspace=TENANT, person=NAMES.of(actor(asker)))
        self.given.answers[answer_id] = record
        view = TeamsView(is_private=not where)
        here = where or personal_chat(asker)
        message = teams_message(QUESTION, answer_id, reply, LINKS, view, sign=lambda fields: self.signed(fields, here))
        thread = THREAD if where == CHANNEL else "chat"
        place = MessagePlace("teams", TENANT, channel or channel_of(here), message_id or f"card-{answer_id}", thread)
        self.posted.rows.append(Posted(place, Subject.ANSWER, answer_id, NOON))
        return message

    def signed(self, fields: Mapping[str, str], where: str) -> dict[str, str]:
        assert self.parts.signing is not None
        return self.parts.signing.signed(fields, f"{TENANT}/{where}")

    async def clicks(self, message: Json, title: str, *, by: int = 1, where: str = CHANNEL, **more: Any) -> Json:
        """A click on a card of `give`: what Teams is answered with, and all that comes of it."""
        action = button(message, title)
        if action["type"] == "Action.Execute":
            said = {"action": {"type": "Action.Execute", "verb": action["verb"], "data": action["data"]}}
            return await self.invoke(TeamsInvoke.CARD_ACTION, {**said, "trigger": "manual"}, by=by, where=where, **more)
        value = {"data": action["data"], "context": {"theme": "default"}}
        return await self.invoke(TeamsInvoke.DIALOG_OPEN, value, by=by, where=where, **more)

    async def submits(
        self, dialog: Json, title: str, filled: Mapping[str, str] | None = None, *, by: int = 1, where: str = CHANNEL
    ) -> Json:
        """The button of an open dialog, with what was filled in."""
        value = {"data": {**(filled or {}), **button(card_of(dialog), title)["data"]}, "context": {"theme": "default"}}
        return await self.invoke(TeamsInvoke.DIALOG_SUBMIT, value, by=by, where=where)

    async def invoke(
        self,
        name: str,
        value: Mapping[str, Any],
        *,
        by: int = 1,
        where: str = CHANNEL,
        thread: str = THREAD,
        card: str = "card-a1",
        status: int = 200,
        **more: Any,
    ) -> Json:
        raw = raw_activity(
            "",
            by=by,
            where=where,
            thread=thread,
            kind="invoke",
            name=str(name),
            value=dict(value),
            replyToId=card,
            **more,
        )
        answered = await self.http.post(MESSAGES_PATH, json=raw, headers={"Authorization": TOKEN})
        text = await answered.text()
        assert answered.status == status, (answered.status, text)
        await self.parts.background.aclose()
        found: Json = json.loads(text) if text else {}
        wrong = problem(str(name), status, found, text) if status == 200 else ""
        assert wrong == "", (wrong, found)  # what Teams itself would not take
        return found

    @staticmethod
    def _channel(where: str) -> str:
        return TEAM_CHANNEL if where == CHANNEL else where


def button(message: Json, title: str) -> Json:
    """The action of a message or card with this title."""
    found = [each for each in _actions(message) if each.get("title") == title]
    assert found, (title, [each.get("title") for each in _actions(message)])
    return found[0]


def _actions(value: object) -> list[Json]:
    if isinstance(value, Mapping):
        own = [dict(value)] if str(value.get("type", "")).startswith("Action.") else []
        return own + [action for each in value.values() for action in _actions(each)]
    return [action for each in value for action in _actions(each)] if isinstance(value, list) else []


def said_in(reply: Json) -> str:
    """The sentence that an invoke was answered with, where it was one."""
    if "task" in reply:
        task = reply["task"]
        return str(task["value"]) if task["type"] == "message" else texts(card_of(reply))
    if "composeExtension" in reply:
        return str(reply["composeExtension"].get("text", ""))
    return str(reply.get("value", ""))


def card_of(reply: Json) -> Json:
    """The card of an open dialog."""
    assert reply["task"]["type"] == "continue", reply
    found: Json = reply["task"]["value"]["card"]["content"]
    return found


def texts(value: object) -> str:
    """Every text that a person reads in a card."""
    return "\n".join(_texts(value))


def _texts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        own = [str(value[name]) for name in ("text", "label", "title", "value") if isinstance(value.get(name), str)]
        return own + [text for name, each in value.items() if name != "data" for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else []


@asynccontextmanager
async def answers_in_teams(
    *writes: VersionWrite, port: int = 0, made_for: TeamsSettings | None = None, sdk: Sdk | None = None
) -> AsyncIterator[Answers]:
    """Person 1 belongs to "legal"; 1, 2 and 3 are in CHANNEL and GROUP_CHAT. `sdk`: another Teams than the doubles."""
    inbox, given, feedback, posted = FakeInbox(), FakeGivenAnswers(), FakeFeedback(), FakePostedMessages()
    store, groups = FakePolicyStore(list(writes)), FakeGroups({person_id(1): frozenset({LEGAL})}, kind="entra")
    outbound, people, rule, places, search = FakeOutbound(), FakeDirectory(), FakeRule(), FakeKnown(), FakeSearch(store)
    numbers = iter(range(1, 10_000))
    giving = GivingFeedback(given, feedback, now=lambda: NOON, new_id=lambda: f"act-{next(numbers)}", known_as=NAMES.of)
    access = Access({"legal": frozenset({LEGAL})}, {"teams": groups})
    parts = TeamsParts(
        made_for or settings(),
        sdk.inbound if sdk else FakeInbound(),
        sdk.outbound if sdk else outbound,
        sdk.directory if sdk else people,
        inbox.accept,
        clock=lambda: NOON,
        new_id=lambda: f"question-{next(numbers)}",
        known=places,
        posted_at=posted,
        shared_places=places,
        answers=AnswerPorts(SeenAnswers(given, store, NAMES.of), access, giving, store, LINKS),
        signing=CardSigning(("a-key",)),
        admits=rule,
        search=PublicSearch(search, store),
    )
    app = Application()
    app.add_routes(teams_routes(parts))
    async with TestClient(TestServer(app, port=port or None)) as http:
        yield Answers(parts, http, outbound, people, inbox, given, feedback, store, posted, places, rule, search)
