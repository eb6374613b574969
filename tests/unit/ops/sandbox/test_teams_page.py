"""The page of the pretended Teams, by what it sends and takes."""

import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from ops.sandbox.teams import PersonKind, TeamsStandIn
from ops.sandbox.teams import page as teams_page
from tests.fakes.slack import client
from tests.fakes.teams_bot import Json, TeamsBot, card, shown, teams_with_bot

VENDOR = Path(teams_page.__file__).parent / "page" / "vendor"
KINDS = {".css": "text/css", ".js": "text/javascript"}
BUTTON = {"type": "Action.Execute", "title": "Choose", "verb": "choose", "data": {"choice": "0"}}


@dataclass(frozen=True, slots=True)
class Browser:
    """Somebody at the page, without a browser."""

    teams: TeamsStandIn
    session: aiohttp.ClientSession

    async def get(self, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
        async with self.session.get(f"{self.teams.base_url}{path}", headers=headers) as answer:
            return answer.status, await answer.text(), dict(answer.headers)

    async def state(self, where: str = "", you: str = "1") -> Json:
        status, text, _ = await self.get(f"/state?you={you}&where={where}")
        assert status == 200
        return dict(json.loads(text))

    async def acts(self, name: str, body: object, **headers: str) -> tuple[int, Any]:
        sent = {"Origin": self.teams.base_url, **headers}
        data = body if isinstance(body, str) else json.dumps(body)
        async with self.session.post(f"{self.teams.base_url}/act/{name}", data=data, headers=sent) as answer:
            text = await answer.text()
            return answer.status, json.loads(text) if answer.status == 200 else text


@pytest.fixture
def bot() -> TeamsBot:
    return TeamsBot()


@pytest.fixture
async def page(bot: TeamsBot) -> AsyncIterator[Browser]:
    async with teams_with_bot(bot) as teams, client() as session:
        yield Browser(teams, session)


def channel(page: Browser) -> str:
    return page.teams.world.place("ads").id


@pytest.mark.parametrize(
    "line", [each for each in (VENDOR / "SOURCES.md").read_text("utf-8").splitlines() if "  " in each]
)
def test_files_of_others_are_as_they_came(line: str) -> None:
    expected, name = line.split()
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == expected


def test_all_files_of_others_are_named_with_licence() -> None:
    told = (VENDOR / "SOURCES.md").read_text("utf-8")
    scripts = sorted(each.name for each in VENDOR.glob("*.js"))
    assert scripts == ["adaptivecards.min.js", "markdown-it.umd.min.js"]
    for each in VENDOR.iterdir():
        assert each.name == "SOURCES.md" or each.name in told
    assert "MIT License" in (VENDOR / "adaptivecards.LICENSE").read_text("utf-8")


async def test_the_page_takes_nothing_from_elsewhere(page: Browser) -> None:
    status, text, headers = await page.get("/")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "https://" not in text
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["page.css", "page.js", "cards.js", "adaptivecards.min.js", "markdown-it.umd.min.js"])
async def test_its_files_are_served_and_no_others(page: Browser, name: str) -> None:
    status, text, headers = await page.get(f"/static/{name}")
    assert (status, headers["Content-Type"].partition(";")[0]) == (200, KINDS[Path(name).suffix])
    assert text
    assert (await page.get("/static/page.py"))[0] == 404


@pytest.mark.parametrize("path", ["/", "/state"])
async def test_a_name_that_leads_here_reads_nothing(page: Browser, path: str) -> None:
    assert (await page.get(path, Host="evil.example"))[0] == 403


async def test_other_sites_do_nothing_here(page: Browser, bot: TeamsBot) -> None:
    said = {"you": "1", "where": channel(page), "text": "@AdPolicy hello"}
    for origin in ("https://evil.example", "null"):
        assert (await page.acts("say", said, Origin=origin))[0] == 403
    assert (await page.acts("say", said, Host="evil.example"))[0] == 403
    assert bot.heard == []


@pytest.mark.parametrize("body", ["", "[]", "no json"])
async def test_what_is_no_act_is_refused(page: Browser, body: str) -> None:
    assert (await page.acts("say", body))[0] == 400
    assert (await page.acts("unheard", {"you": "1"}))[0] == 400


async def test_the_own_chat_comes_first_and_a_team_heads_its_channels(page: Browser) -> None:
    seen = await page.state()
    assert [each["name"] for each in seen["places"]] == ["AdPolicy", "# general", "# ads", "talk"]
    assert [each["team"] for each in seen["places"]] == ["", "Marketing", "", ""]
    assert seen["place"]["kind"] == "personal"


async def test_everybody_sees_his_own_conversations(page: Browser) -> None:
    page.teams.person(7, kind=PersonKind.GUEST)
    stranger = await page.state(channel(page), you="7")
    assert [each["name"] for each in stranger["places"]] == ["AdPolicy"]
    assert stranger["place"]["kind"] == "personal"
    assert {"id": "7", "name": "Person 7 (guest)"} in stranger["people"]
    assert (await page.state(you="nobody"))["you"] == "1"


async def test_a_message_is_shown_with_all_that_belongs_to_it(page: Browser) -> None:
    asked = (await page.teams.person(1).mentions("alcohol?", "ads")).written
    claim = {"position": 1, "appearance": {"name": "Alcohol", "url": "https://a.example", "abstract": "Q"}}
    entity = {"type": "https://schema.org/Message", "additionalType": ["AIGeneratedContent"], "citation": [claim]}
    suggested = {"actions": [{"type": "imBack", "title": "More", "value": "More"}]}
    answer = shown(
        "Yes [1]",
        card(actions=[BUTTON]),
        entities=[entity],
        channelData={"feedbackLoop": {"type": "default"}},
        suggestedActions=suggested,
    )
    page.teams.world.messages.post(asked.conversation, page.teams.world.bot, answer, thread=asked.id)
    question, reply = (await page.state(channel(page)))["messages"]
    assert (question["own"], question["typed"], question["suggestions"]) == (True, "@bot alcohol?", [])
    assert (reply["author"], reply["byBot"], reply["thread"], reply["ai"]) == ("AdPolicy", True, asked.id, True)
    assert reply["citations"] == [{"position": 1, "name": "Alcohol", "url": "https://a.example", "abstract": "Q"}]
    assert (reply["suggestions"], reply["feedback"], len(reply["cards"])) == (["More"], "default", 1)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("@AdPolicy can I?", "<at>AdPolicy</at> can I?"),
        ("can I, @AdPolicy?", "can I, <at>AdPolicy</at>?"),
        ("@bot can I?", "<at>AdPolicy</at> can I?"),
    ],
)
async def test_the_name_of_the_bot_mentions_it(page: Browser, bot: TeamsBot, text: str, sent: str) -> None:
    status, told = await page.acts("say", {"you": "1", "where": channel(page), "text": text})
    assert (status, told) == (200, {})
    assert bot.heard[-1]["text"] == sent


async def test_what_cannot_be_done_is_told_to_the_page(page: Browser, bot: TeamsBot) -> None:
    here = {"you": "1", "where": channel(page)}
    assert "not told of this" in (await page.acts("say", {**here, "text": "among us"}))[1]["problem"]
    assert "no longer there" in (await page.acts("click", {**here, "message": "1", "what": "#0"}))[1]["problem"]
    assert "no longer there" in (await page.acts("submit", {**here, "what": "#0"}))[1]["problem"]
    assert (await page.acts("say", {**here, "text": "  "}))[1] == {}
    assert bot.heard == []


async def test_what_the_bot_did_not_take_is_told(page: Browser, bot: TeamsBot) -> None:
    bot.answer = lambda _: (503, None)
    told = (await page.acts("say", {"you": "1", "where": "", "text": "hello"}))[1]
    assert "status 503" in told["problem"]


async def test_a_button_that_is_not_on_the_card_does_nothing(page: Browser, bot: TeamsBot) -> None:
    made = page.teams.world.messages.post(channel(page), page.teams.world.bot, shown("", card(actions=[BUTTON])))
    here = {"you": "1", "where": channel(page), "message": made.id}
    assert "problem" in (await page.acts("click", {**here, "what": "#1"}))[1]
    assert "problem" in (await page.acts("click", {**here, "what": "#0", "inputs": {"forged": "x"}}))[1]
    assert bot.heard == []
    await page.acts("click", {**here, "what": "#0", "inputs": {}})
    assert bot.heard[-1]["value"]["action"]["verb"] == "choose"


async def test_the_app_is_removed_and_added(page: Browser, bot: TeamsBot) -> None:
    here = {"you": "1", "where": channel(page)}
    await page.acts("uninstall", here)
    assert (await page.state(channel(page)))["place"]["installed"] is False
    await page.acts("install", here)
    assert (await page.state(channel(page)))["place"]["installed"] is True
    assert [each.get("action") for each in bot.heard if each["type"] == "installationUpdate"] == ["remove", "add"]


async def test_own_messages_are_edited_and_deleted(page: Browser, bot: TeamsBot) -> None:
    here = {"you": "1", "where": channel(page)}
    await page.acts("say", {**here, "text": "@AdPolicy one"})
    (message,) = (await page.state(channel(page)))["messages"]
    await page.acts("edit", {**here, "message": message["id"], "text": "@bot two"})
    (message,) = (await page.state(channel(page)))["messages"]
    assert (message["typed"], message["edited"]) == ("@bot two", True)
    other = {**here, "you": "2", "message": message["id"]}
    assert "problem" in (await page.acts("delete", other))[1]
    await page.acts("delete", {**here, "message": message["id"]})
    assert (await page.state(channel(page)))["messages"] == []
    assert [each["type"] for each in bot.heard] == ["message", "messageUpdate", "messageDelete"]
