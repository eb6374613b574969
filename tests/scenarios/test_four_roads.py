"""The same questions in Slack, in Teams, by REST and in the terminal: the same replies are on record, and what people
read in Slack and in Teams says all statements and sources."""

import asyncio
import io
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import select

from adapters.sql.tables.policies import answers
from bot.render.slack.view import SlackAction
from bot.terminal import ask as ask_in_terminal
from bot.terminal import parse
from bot.wording.answers import LOADING
from ops.config import Config
from ops.deploy.slack_manifest import manifest
from ops.sandbox.slack import NO_LIMITS, SlackStandIn, app_of_manifest
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.slack.workspace import Message as SlackMessage
from ops.sandbox.teams import Message as TeamsMessage
from ops.sandbox.teams import TeamsStandIn, teams_stand_in
from ops.wiring import open_answering, open_engine
from tests.fakes.program import SIGNING_SECRET, Ports, free_ports, running_server, without_prefix
from tests.fakes.service import until
from tests.fakes.slack_replies import replies
from tests.fakes.teams_readable import said_in_slack, said_in_teams, spelled

pytestmark = [pytest.mark.timeout(600), pytest.mark.asyncio(loop_scope="module")]

CLEARLY, LIMITED, FORBIDDEN = "allowed", "restricted", "prohibited"
QUESTIONS: Mapping[str, tuple[str, str | None]] = {
    "can i advertise insurance in australia": ("answer", CLEARLY),
    "matrimonial site in india ok?": ("answer", CLEARLY),
    "can I advertise alcohol in the UK": ("answer", LIMITED),
    "can we run booze ads for german users?": ("answer", LIMITED),
    "beer ads in thailand?": ("answer", LIMITED),
    "sports betting ads in new jersey": ("answer", LIMITED),
    "whisky ads in turkey allowd?": ("answer", FORBIDDEN),
    "pepper spray uk?": ("answer", FORBIDDEN),
    "payday loans in the uk?": ("answer", FORBIDDEN),
    "political ads in poland": ("answer", FORBIDDEN),
    "max headline lenght?": ("answer", None),
    "what is an issue ad": ("answer", None),
    "beer ads in thailand as of 1 February 2026": ("answer", FORBIDDEN),
    "fantasy sports in india as of 10 january 2026": ("answer", LIMITED),
    "alcohol: UK vs Germany": ("answer", LIMITED),
    "can I advertise alcohol in the UK, Germany and Norway": ("answer", LIMITED),
    "what changed for alcohol in the UK since january 2026": ("answer", None),
    "what are the rules?": ("clarification", None),
    "what is the sandhopper list": ("refusal", None),
    "recommend a good pizza place in berlin": ("refusal", None),
}
"""With what has to come back: kind and verdict, where the reader is sure of one."""

_SECONDS = 200.0
"""For all of them at once, beside other work."""

_ONE_MODAL = asyncio.Lock()
"""A person has one modal open."""

PUBLIC_URL = "https://policies.example"
ROADS = ("slack", "teams", "rest", "terminal")
Reply = dict[str, Any]


@dataclass(frozen=True)
class Roads:
    """`recorded`: question -> road -> reply. `slack`, `teams`: question -> what can be read there. `returned`: road ->
    question -> reply, where replies are JSON."""

    recorded: Mapping[str, Mapping[str, Reply]]
    slack: Mapping[str, str]
    teams: Mapping[str, str]
    returned: Mapping[str, Mapping[str, Reply]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def roads(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Roads]:
    folder = Path(shutil.copytree(sample_store, tmp_path_factory.mktemp("roads") / "data"))
    ports = Ports(*free_ports(3))
    chat_url = f"http://127.0.0.1:{ports.chat}"
    app = app_of_manifest(manifest(chat_url, socket=False), SIGNING_SECRET)
    slack = SlackStandIn(chat_url, SIGNING_SECRET, app=app, limits=NO_LIMITS)
    async with AsyncExitStack() as stack:
        await slack.start(ports.slack)
        stack.push_async_callback(slack.stop)
        teams = await stack.enter_async_context(teams_stand_in(chat_url))
        settings = {"PUBLIC_URL": PUBLIC_URL, **without_prefix(teams.settings)}
        server = stack.enter_context(running_server(folder, ports, settings))
        by_rest = await asked_by_rest(server.web_url)
        in_slack = await asked_at_once(partial(asked_in_slack, slack))
        in_teams = await asked_at_once(partial(asked_in_teams, teams))
    in_terminal = await asked_in_terminal(folder)
    yield Roads(await on_record(folder), in_slack, in_teams, {"rest": by_rest, "terminal": in_terminal})


async def asked_in_slack(slack: SlackStandIn, question: str) -> str:
    """In a channel of its own: in one Slack takes a message a second."""
    channel = f"C9{list(QUESTIONS).index(question)}"
    slack.workspace.channels[channel] = Channel(channel, channel.lower(), frozenset({BOT, "U1"}))
    asked = await slack.person("U1").mentions(question, channel)
    await slack.until(lambda: bool(replies(slack, channel, asked.ts)), _SECONDS)
    [reply] = replies(slack, channel, asked.ts)
    return f"{said_in_slack(reply.payload)} {await opened(slack, reply)}"


async def opened(slack: SlackStandIn, reply: SlackMessage) -> str:
    """What "More" shows, where Slack had no room for all."""
    if "Left out for length" not in str(reply.blocks):
        return ""
    person = slack.person("U1")

    async def is_there() -> bool:
        return person.modal is not None and LOADING not in str(person.modal.body)

    async with _ONE_MODAL:
        await person.clicks(reply, SlackAction.SHOW_MORE)
        await until(is_there, 60)
        assert person.modal is not None
        said = said_in_slack(person.modal.body)
        await person.closes(person.modal)
    return said


async def asked_in_teams(teams: TeamsStandIn, question: str) -> str:
    """In a post of its own."""
    asked = (await teams.person(1).mentions(question, "ads")).message
    assert asked is not None

    def there() -> list[TeamsMessage]:
        return [each for each in teams.bot_messages("ads") if each.thread == asked.id and each.card]

    await teams.until(lambda: bool(there()), _SECONDS)
    [reply] = there()
    return said_in_teams(reply.activity)


async def asked_at_once(asking: Callable[[str], Awaitable[str]]) -> dict[str, str]:
    return dict(zip(QUESTIONS, await asyncio.gather(*map(asking, QUESTIONS)), strict=True))


async def asked_by_rest(url: str) -> dict[str, Reply]:
    found = {}
    async with aiohttp.ClientSession() as session:
        for each in QUESTIONS:
            async with session.post(f"{url}/api/v1/ask", json={"question": each}) as answered:
                assert answered.status == 200, await answered.text()
                found[each] = await answered.json()
    return found


async def asked_in_terminal(folder: Path) -> dict[str, Reply]:
    """What `ask --format json` prints."""
    found = {}
    async with open_answering(Config(data_dir=folder, public_url=PUBLIC_URL)) as answering:
        for each in QUESTIONS:
            printed = io.StringIO()
            args = parse(["ask", "--format", "json", each])
            assert await ask_in_terminal(args, answering.asking, answering.links, printed) == 0
            found[each] = json.loads(printed.getvalue())
    return found


async def on_record(folder: Path) -> dict[str, dict[str, Reply]]:
    found: dict[str, dict[str, Reply]] = {}
    async with open_engine(Config(data_dir=folder)) as engine, engine.connect() as connection:
        rows = (await connection.execute(select(answers))).all()
    for row in rows:
        of_question = found.setdefault(row.question_text, {})
        assert row.answered_from not in of_question, "answered once"
        of_question[row.answered_from] = row.reply
    return found


def said_in(reply: Reply) -> Reply:
    """All of a reply but its id and how long it took."""
    return {name: value for name, value in reply.items() if name not in ("answer_id", "timings_ms")}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_all_roads_answer_alike(roads: Roads, question: str) -> None:
    recorded = roads.recorded[question]
    assert set(recorded) == set(ROADS)
    kind, verdict = QUESTIONS[question]
    assert recorded["terminal"]["kind"] == kind
    assert recorded["terminal"]["verdict"] in (verdict, None), "never another one"
    for road in ROADS:
        assert said_in(recorded[road]) == said_in(recorded["terminal"]), road
    for road, returned in roads.returned.items():
        assert said_in(returned[question]) == said_in(recorded[road]), road


def rules_in(reply: Reply) -> list[str]:
    """What the statements say; of changes, before and after, with what the rule stands under."""
    if "changes" in reply:
        return [each[part] for each in reply["changes"]["rules"] for part in ("lead_in", "before", "after")]
    return [line for each in reply["statements"] for line in each["text"].splitlines()]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_slack_and_teams_show_what_is_on_record(roads: Roads, question: str) -> None:
    reply = roads.recorded[question]["terminal"]
    wanted = [*rules_in(reply), *(each["title"] for each in reply["citations"])]
    for road, read in (("slack", roads.slack[question]), ("teams", roads.teams[question])):
        assert [each for each in wanted if spelled(each) not in read] == [], road


async def test_the_questions_are_of_all_kinds(roads: Roads) -> None:
    replies_ = [roads.recorded[each]["terminal"] for each in QUESTIONS]
    assert len(replies_) == 20
    assert sum("comparison" in each for each in replies_) == 2
    assert any("changes" in each for each in replies_)
    assert any(each.get("choices") for each in replies_)
    assert any(len(each["scope"]["regions"]) > 2 for each in replies_)
    assert all(each["citations"] for each in replies_ if each["kind"] == "answer")
