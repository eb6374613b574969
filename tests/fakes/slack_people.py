"""Slack with a channel where people are asked, a bot that asks them, and its queue of notices sent by hand."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestServer
from aiohttp.web import Application
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.slack.app import slack_app, slack_routes
from adapters.slack.client import SlackClients
from adapters.slack.oauth.tokens import SingleWorkspace, authorized_by
from adapters.slack.parts import SlackParts
from adapters.slack.settings import SlackSettings
from adapters.sql.audit.answers import SqlAnswerRecords, SqlGivenAnswers
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.people.escalations import SqlEscalations
from adapters.sql.policies.store import SqlKeptPassages, SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from bot.access.groups import Access
from bot.access.pseudonyms import Pseudonyms
from bot.answers.curated import Curating
from bot.answers.recorded import SHOWN_IN
from bot.model.channels import ChannelPreferences
from bot.model.links import Links
from bot.model.messages import Actor, InboundQuestion
from bot.model.notices import Notice
from bot.model.posted import MessagePlace, Posted, Subject
from bot.model.tasks import Background
from bot.people.answers import AskingPeople, PeopleMessages, PeoplePorts
from bot.people.curation import SavingCurated
from bot.people.escalations import EscalationViews
from bot.ports import RecordedAnswer
from bot.render.json import reply_json
from bot.render.slack import escalation
from bot.render.slack.view import SlackAction
from ingest.ports import VersionWrite
from ops.chat.people import people_renderers
from ops.sandbox.slack import NO_LIMITS, App, SlackStandIn
from ops.sandbox.slack.people import BOT, Channel, User
from ops.sandbox.slack.workspace import Message
from rag_core.answers import Answer, Verdict
from rag_core.curated.asking import shown
from rag_core.documents import Classification
from rag_core.questions import Intent, Question, Scope
from tests.fakes.curated import TODAY, curated
from tests.fakes.databases import migrated_engine
from tests.fakes.directories import FakeDirectory
from tests.fakes.documents import ACME, Section, make_version, make_write, passages_of
from tests.fakes.escalations import FakeChannelSettings, FakePosted
from tests.fakes.program import free_ports
from tests.fakes.shelf import FakeNotices
from tests.fakes.slack import SETTINGS, SIGNING_SECRET, FakeClock, client
from tests.fakes.slack_channels import ports_of
from tests.fakes.slack_gate import FakeRule

DESK = "C9"
QUESTION = "Can I advertise <!channel> wine in the UK?"
PUBLIC = make_write(make_version("acme_alcohol"), (Section("Wine", "Ads for wine need a label everywhere.", ("uk",)),))
SECRET = make_write(
    make_version(
        "acme_secret",
        title="Hidden agreement",
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal"}),
    ),
    (Section("Secret terms", "Confidential: nobody else may see these exceptions.", ("uk",)),),
)
MEMBER = "slack:T1/usergroup/S9"
PSEUDONYMS = Pseudonyms(bytes(32))


@dataclass
class PeopleWorld:
    slack: SlackStandIn
    engine: AsyncEngine
    ports: PeoplePorts
    queue: FakeNotices
    posted: FakePosted
    settings: FakeChannelSettings
    directory: FakeDirectory
    clients: SlackClients
    tasks: Background
    questions: list[InboundQuestion]
    clock: FakeClock
    rule: FakeRule

    async def settled(self) -> None:
        """Nothing is under way any more, in Slack or in the bot."""
        await self.slack.catch_up()
        while self.tasks._tasks:
            await asyncio.gather(*self.tasks._tasks, return_exceptions=True)
        await self.slack.catch_up()

    async def answer(
        self,
        answer_id: str = "a1",
        *cites: Any,
        groups: frozenset[str] = frozenset(),
        shown_in: str = "C1",
        approved: bool = False,
    ) -> None:
        """An answer on record, as U1 got it in C1; for him alone, if it was `shown_in` no channel."""
        actor = Actor("slack", "T1", "U1")
        person = PSEUDONYMS.of(actor)
        record = given_answer(answer_id, actor, person, cites or (PUBLIC,), groups, shown_in, approved=approved)
        await SqlAnswerRecords(self.engine).save(record)

    async def answered(self, answer_id: str = "a1", *, only_to: str = "") -> Message:
        """A message of the bot with the button, in C1; seen by one person alone if so wished."""
        api = await self.clients.of("T1")
        button = {
            "type": "button",
            "text": {"type": "plain_text", "text": "Ask a person"},
            "action_id": SlackAction.ASK_PERSON.value,
            "value": answer_id,
        }
        blocks = [{"type": "actions", "elements": [button]}]
        if only_to:
            await api.chat_postEphemeral(channel="C1", user=only_to, text="An answer.", blocks=blocks)
            return self.slack.person(only_to).ephemeral("C1")[-1]
        sent = await api.chat_postMessage(channel="C1", text="An answer.", blocks=blocks)
        found = self.slack.workspace.find("C1", str(sent["ts"]))
        assert found is not None
        return found

    async def asks(self, message: Message, user: str = "U1", note: str = "") -> Any:
        """The click, the modal and the note; what the modal says afterwards."""
        person = self.slack.person(user)
        await person.clicks(message, "Ask a person")
        await self.settled()
        assert person.modal is not None
        submitted = await person.submits(person.modal, {"note": note} if note else {})
        await self.settled()
        return submitted

    async def send(self) -> list[Message]:
        """What waits in the queue, posted as the service does: rendered then, kept where. The messages."""
        renderers = people_renderers(self.ports.messages)
        sent = []
        for notice in list(self.queue.queued.values()):
            message = await renderers[notice.kind](notice)
            self.queue.queued.pop(notice.notice_id)
            if message is not None:
                sent.append(await self._post(notice, dict(message)))
        return sent

    async def _post(self, notice: Notice, message: dict[str, Any]) -> Message:
        api = await self.clients.of(notice.workspace)
        thread = notice.thread or None
        sent = await api.chat_postMessage(channel=notice.channel, thread_ts=thread, **message)
        channel, ts = str(sent["channel"]), str(sent["ts"])
        place = MessagePlace("slack", notice.workspace, channel, ts, notice.thread or ts)
        about = str(notice.content.get("escalation_id", notice.notice_id))
        await self.posted.save(Posted(place, Subject.ESCALATION, about, notice.queued_at))
        found = self.slack.workspace.find(channel, ts)
        assert found is not None
        return found


def given_answer(
    answer_id: str,
    actor: Actor,
    person: str,
    cites: Sequence[VersionWrite],
    groups: frozenset[str],
    shown_in: str,
    *,
    approved: bool = False,
) -> RecordedAnswer:
    """To QUESTION, with a statement for each of the passages; `person`: the pseudonym."""
    passages = [passage for write in cites for passage in passages_of(write)]
    question = Question(QUESTION, Scope(TODAY, ("acme",), ("uk",)), Intent.PERMISSION, ())
    made = shown(
        curated(cites=passages, verdict=Verdict.ALLOWED), question, {each.chunk.chunk_id: each for each in passages}
    )
    statements = tuple(
        replace(made.statements[0], text=each.quote, citations=(each.number,)) for each in made.citations
    )
    reply: Answer = replace(made, approved=made.approved if approved else None, statements=statements)
    trace: dict[str, object] = {
        "candidates": [{"chunk_id": each.chunk.chunk_id} for each in passages],
        "notes": {"groups": sorted(groups), **({SHOWN_IN: shown_in} if shown_in else {})},
    }
    shape: dict[str, object] = reply_json(answer_id, reply, Links("http://127.0.0.1:8080", {}), {})
    return RecordedAnswer(answer_id, actor.platform, actor.workspace, person, QUESTION, shape, trace, FakeClock()())


@asynccontextmanager
async def people_world(folder: Path, slack_settings: SlackSettings = SETTINGS) -> AsyncIterator[PeopleWorld]:
    """U1 asks in C1; U2, U3 (an admin) and U7 are in the desk's channel. In the group "legal": U1 and U2."""
    clock = FakeClock()
    async with migrated_engine(folder) as engine, client() as session:
        await _documents(engine)
        questions: list[InboundQuestion] = []

        async def accept(question: InboundQuestion) -> bool:
            questions.append(question)
            return True

        app, server_app = App(events=frozenset({"message.channels", "message.im"})), Application()
        (port,) = free_ports(1)
        server = TestServer(server_app, port=port)
        slack = SlackStandIn(f"http://127.0.0.1:{port}", SIGNING_SECRET, clock=clock, app=app, limits=NO_LIMITS)
        await slack.start()
        slack.workspace.people["U7"] = User("U7", name="Counsel of another team")
        slack.workspace.channels[DESK] = Channel(DESK, "legal-desk", frozenset({BOT, "U2", "U3", "U6", "U7"}))
        clients = SlackClients(session, SingleWorkspace(SETTINGS.bot_token), slack.api_url)
        directory = FakeDirectory(
            {"U1": frozenset({MEMBER}), "U2": frozenset({MEMBER})}, {DESK: ("U2", "U3", "U7"), "C1": ("U1", "U2", "U3")}
        )
        queue, posted, settings = FakeNotices(), FakePosted(), FakeChannelSettings()
        settings.kept["C1"] = ChannelPreferences(escalate_to=DESK)
        ports = _ports(engine, queue, posted, settings, directory, clock)
        rule = FakeRule()
        channels = ports_of(admits=rule)
        parts = SlackParts(slack_settings, accept, clients, clock=clock, people=ports, channels=channels)
        bolt = slack_app(parts, authorized_by(SingleWorkspace(SETTINGS.bot_token)))
        server_app.add_routes(slack_routes(parts, bolt))
        await server.start_server()
        try:
            yield PeopleWorld(
                slack, engine, ports, queue, posted, settings, directory, clients, parts.tasks, questions, clock, rule
            )
        finally:
            await parts.tasks.aclose()
            await server.close()
            await slack.stop()


async def _documents(engine: AsyncEngine) -> None:
    store = SqlVersionStore(engine)
    await store.declare(ACME)
    await store.save([PUBLIC, SECRET], [])


def _ports(
    engine: AsyncEngine,
    queue: FakeNotices,
    posted: FakePosted,
    settings: FakeChannelSettings,
    directory: FakeDirectory,
    clock: FakeClock,
) -> PeoplePorts:
    given, store, kept = SqlGivenAnswers(engine), SqlPolicyStore(engine), SqlEscalations(engine, Vault([new_key()]))
    shelf, passages = SqlCuratedAnswers(engine), SqlKeptPassages(engine)
    access = Access({"legal": frozenset({MEMBER})}, {"slack": directory})
    views = EscalationViews(given, store, access)
    ids = iter(range(10_000))
    curating = Curating(shelf, passages, now=clock, new_id=lambda: f"id-{next(ids)}")
    return PeoplePorts(
        asking=AskingPeople(
            given, kept, queue, settings, is_group=lambda id_: id_.startswith("S"), now=clock, known_as=PSEUDONYMS.of
        ),
        escalations=kept,
        views=views,
        messages=PeopleMessages(kept, views, shelf, {"acme": "Acme Ads"}, escalation),
        posted=posted,
        saving=SavingCurated(curating, passages, now=clock, known_as=PSEUDONYMS.of),
        known_as=PSEUDONYMS.of,
    )
