"""Answers in a Slack stand-in with everything on them to click, beside hand-written storage."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp.test_utils import TestServer, unused_port
from aiohttp.web import Application
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.app import slack_app, slack_routes
from adapters.slack.client import SlackClients
from adapters.slack.oauth.tokens import SingleWorkspace
from adapters.slack.parts import SlackParts
from adapters.slack.settings import SlackSettings
from bot.access.groups import Access
from bot.access.pseudonyms import Pseudonyms
from bot.answers.feedback import GivingFeedback
from bot.answers.recorded import SHOWN_IN
from bot.answers.seen import AnswerPorts, SeenAnswers
from bot.model.jsonable import jsonable
from bot.model.links import Links
from bot.model.messages import Actor, InboundQuestion
from bot.model.tasks import Background
from bot.ports import RecordedAnswer
from bot.render.json import reply_json
from bot.render.slack.message import slack_message
from bot.render.slack.view import SlackView
from ingest.ports import VersionWrite
from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, SlackStandIn
from ops.sandbox.slack.views import View
from ops.sandbox.slack.workspace import Message
from rag_core.answers import AskTrace, Candidate, Reply
from rag_core.questions import Intent, Question
from tests.fakes.directories import FakeDirectory
from tests.fakes.documents import passages_of
from tests.fakes.feedback import FakeFeedback, FakeGivenAnswers, make_answer
from tests.fakes.slack import SIGNING_SECRET, FakeClock, FakeInbox, client
from tests.fakes.slack_channels import ports_of
from tests.fakes.slack_gate import FakeRule
from tests.fakes.web import FakePolicyStore

LINKS = Links("https://bot.example", {"acme": "Acme Ads"})
LEGAL = "slack:T1/usergroup/S1"
NAMES = Pseudonyms(b"k" * 32)
QUESTION = "can I advertise alcohol in the UK"


@dataclass(slots=True)
class Answers:
    """A bot and a Slack. `give` puts an answer on record and into a channel, as the bot would."""

    slack: SlackStandIn
    parts: SlackParts
    api: AsyncWebClient
    clock: FakeClock
    inbox: FakeInbox
    given: FakeGivenAnswers
    feedback: FakeFeedback
    store: FakePolicyStore
    directory: FakeDirectory
    rule: FakeRule
    failing: dict[str, Exception] = field(default_factory=dict)

    async def give(
        self,
        reply: Reply,
        *looked_at: VersionWrite,
        answer_id: str = "a1",
        channel: str = "C1",
        asker: str = "U1",
        private: bool = False,
        thread: str = "",
        groups: Sequence[str] = (),
        view: SlackView | None = None,
    ) -> Message:
        """The message as the asker sees it."""
        record = recorded(reply, *looked_at, answer_id=answer_id, channel="" if private else channel, groups=groups)
        record = replace(record, person=NAMES.of(Actor("slack", "T1", asker)))
        self.given.answers[answer_id] = record
        message: dict[str, Any] = slack_message(
            QUESTION, answer_id, reply, LINKS, view or SlackView(is_private=private)
        )
        place: dict[str, Any] = {"channel": channel, **({"thread_ts": thread} if thread else {})}
        if private:
            kept = {name: value for name, value in message.items() if name in ("text", "blocks")}
            sent = await self.api.chat_postEphemeral(**place, user=asker, **kept)
            ts = str(sent["message_ts"])
        else:
            ts = str((await self.api.chat_postMessage(**place, **message))["ts"])
        found = self.slack.workspace.find(channel, ts)
        assert found is not None
        return found

    async def clicks(self, user: str, message: Message, what: str) -> None:
        """A click, and all that comes of it."""
        seen = await self.slack.person(user).clicks(message, what)
        assert seen.status == 200, seen
        await self.settled()

    async def settled(self) -> None:
        await self.parts.tasks.aclose()

    def modal(self, user: str) -> View:
        found = self.slack.person(user).modal
        assert found is not None, "no modal is open"
        return found

    def told(self, user: str) -> list[str]:
        """What only this person sees of what the bot said, without answers."""
        return [each.text for each in self.slack.person(user).ephemeral() if not each.blocks]

    @property
    def asked(self) -> list[InboundQuestion]:
        return self.inbox.accepted


def texts(view: View) -> str:
    """Every text in a modal."""
    return "\n".join(_texts(view.blocks))


def _texts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        own = [value["text"]] if isinstance(value.get("text"), str) else []
        return own + [text for each in value.values() for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else []


def recorded(
    reply: Reply, *looked_at: VersionWrite, answer_id: str, channel: str, groups: Sequence[str] = ()
) -> RecordedAnswer:
    """As it is put on record, with the chunks of `looked_at` as what was looked at. `channel` "": for the asker."""
    passages = [each for write in looked_at for each in passages_of(write)]
    candidates = tuple(Candidate(each.chunk.chunk_id, each.chunk.doc_id, "h", 0.5, None, "unused") for each in passages)
    notes: dict[str, Any] = {**({SHOWN_IN: channel} if channel else {}), **({"groups": [*groups]} if groups else {})}
    trace = AskTrace(Question(QUESTION, reply.scope, Intent.PERMISSION, ()), candidates, notes=notes)
    return make_answer(
        answer_id,
        answered_from="slack",
        question_text=QUESTION,
        reply=reply_json(answer_id, reply, LINKS, {}),
        trace=jsonable(trace),
    )


@asynccontextmanager
async def answers_in_slack(*writes: VersionWrite) -> AsyncIterator[Answers]:
    """U1 belongs to "legal", U2 and U3 to nothing; all three are in C1."""
    clock, inbox, given, feedback = FakeClock(), FakeInbox(), FakeGivenAnswers(), FakeFeedback()
    store, directory = FakePolicyStore(list(writes)), FakeDirectory({"U1": frozenset({LEGAL})})
    port = unused_port()
    slack = SlackStandIn(
        f"http://127.0.0.1:{port}", SIGNING_SECRET, clock=clock, limits=NO_LIMITS, app=App(events=EVERY_EVENT)
    )
    await slack.start()
    numbers, rule = iter(range(1, 10_000)), FakeRule()
    async with client() as session:
        settings = SlackSettings("xoxb-sandbox", SIGNING_SECRET, slack.api_url)
        giving = GivingFeedback(given, feedback, now=clock, new_id=lambda: f"act-{next(numbers)}", known_as=NAMES.of)
        ports = AnswerPorts(
            SeenAnswers(given, store, NAMES.of),
            Access({"legal": frozenset({LEGAL})}, {"slack": directory}),
            giving,
            store,
            LINKS,
        )
        clients = SlackClients(session, SingleWorkspace("xoxb-sandbox"), slack.api_url)
        parts = SlackParts(
            settings,
            inbox.accept,
            clients,
            Background(),
            clock,
            lambda: f"question-{next(numbers)}",
            ports,
            channels=ports_of(admits=rule),
        )
        app = Application()
        app.add_routes(slack_routes(parts, slack_app(parts)))
        server = TestServer(app, port=port)
        await server.start_server()
        try:
            api = AsyncWebClient("xoxb-sandbox", base_url=slack.api_url, session=session)
            yield Answers(slack, parts, api, clock, inbox, given, feedback, store, directory, rule)
        finally:
            await parts.tasks.aclose()
            await server.close()
            await slack.stop()
