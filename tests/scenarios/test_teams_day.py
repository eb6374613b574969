"""A day in Teams with the real program, from the first installation to the last removal, over HTTP. What each part does
in detail, and what can go wrong, stands in the tests of the parts."""

import json
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Select, select

from adapters.sql.tables.channels import subscriptions
from adapters.sql.tables.people import feedback
from adapters.teams.actions.settings_rules import channel_link
from bot.render.scope_form import PLACE
from bot.render.teams.forms import SHARE_TO
from bot.render.teams.people import ANSWER, NOTE, PLACES, SOURCES, STATEMENTS
from bot.render.teams.settings import PERSON_CHANNEL
from bot.render.teams.view import ExtensionCommand, TeamsVerb
from bot.wording import answers as said
from bot.wording import people as of_people
from bot.wording import teams as answered
from bot.wording import teams as of_teams
from bot.wording import teams as told
from bot.wording.teams_welcome import WELCOME
from ops.config import SAMPLE_CATALOGUE, Config
from ops.sandbox.teams import TENANT, Message, Person, TeamsStandIn, teams_stand_in
from ops.sandbox.teams.cards import actions_of
from ops.sandbox.teams.clicking import Dialog
from ops.sandbox.teams.world import CHANNEL, TEAM, TEAM_THREAD
from ops.wiring import open_engine
from tests.fakes.chat_server import ChatServer
from tests.fakes.model import reading_of, rules_of
from tests.fakes.program import Ports, environment, free_ports, run, running_server, without_prefix

pytestmark = pytest.mark.timeout(300)

ADS, GENERAL = "ads", "general"
ALCOHOL = "can I advertise alcohol in the UK"
STRICTER = """
## United Kingdom: hours of the day

Ads for alcoholic drinks must not be shown in the United Kingdom before nine in the evening.
"""


@dataclass
class Day:
    """People: 1 owns the team and asks, 2 is asked, 3 is a colleague. Answers are messages that can be rated."""

    teams: TeamsStandIn
    folder: Path
    env: Mapping[str, str]

    def person(self, number: int = 1) -> Person:
        return self.teams.person(number)

    def chat(self, number: int = 1) -> str:
        return self.person(number).chat.id

    def answers(self, where: str, thread: str = "") -> list[Message]:
        found = self.teams.bot_messages(where)
        return [
            each for each in found if each.feedback and not each.is_streaming and thread in ("", each.thread, each.id)
        ]

    async def answer(self, count: int, where: str, thread: str = "") -> Message:
        """The last of so many."""
        await self.until(lambda: len(self.answers(where, thread)) >= count, f"answer {count} in {where}", where)
        assert len(self.answers(where, thread)) == count
        return self.answers(where, thread)[-1]

    async def saying(self, words: str, where: str) -> Message:
        """The only message of the bot's that says so."""

        def found() -> list[Message]:
            return [each for each in self.teams.bot_messages(where) if words in shown(each)]

        await self.until(lambda: bool(found()), words, where)
        [message] = found()
        return message

    async def until(self, holds: Callable[[], bool], what: str, where: str) -> None:
        try:
            await self.teams.until(holds, 20)
        except TimeoutError:
            there = [shown(each)[:800] for each in self.teams.bot_messages(where)[-3:]]
            pytest.fail(f"no {what!r}, but {there}")

    async def now(self, message: Message, words: str) -> Message:
        """As the message stands once it says so."""
        where = message.conversation
        await self.until(lambda: words in shown(self.teams.message(message)), words, where)
        return self.teams.message(message)

    def dialog(self, number: int = 1, holds: str = "") -> Dialog:
        found = self.person(number).dialog
        assert found is not None, self.person(number).told
        assert holds in plain(found.card)
        return found

    async def rows(self, of: Select[Any]) -> list[tuple[Any, ...]]:
        """Of the server's store."""
        config = Config(data_dir=Path(self.env["ADPOLICY_DATA_DIR"]))
        async with open_engine(config) as engine, engine.connect() as connection:
            return [tuple(each) for each in (await connection.execute(of)).all()]

    def ingest(self) -> None:
        ended = run("ingest", "run", "--quiet", env=self.env, cwd=self.folder)
        assert ended.returncode == 0, ended.stderr


@asynccontextmanager
async def a_day(folder: Path, *, installed: bool, **more: str) -> AsyncIterator[Day]:
    """With the samples in `data` already. `more`: settings without their prefix."""
    samples = Path(shutil.copytree(SAMPLE_CATALOGUE.parent, folder / "samples"))
    settings = {"CATALOGUE": str(samples / SAMPLE_CATALOGUE.name), "ALERT_SETTLE_SECONDS": "0", **more}
    env = environment(folder / "data", **settings)
    ports = Ports(*free_ports(2))
    async with teams_stand_in(f"http://127.0.0.1:{ports.chat}", installed=installed) as teams:
        with running_server(folder / "data", ports, {**settings, **without_prefix(teams.settings)}):
            yield Day(teams, samples, env)


def shown(message: Message) -> str:
    """All that it says."""
    return plain(dict(message.activity))


def plain(value: object) -> str:
    """Without the characters that hold apart what would be read as a link or a mark."""
    return json.dumps(value, ensure_ascii=False).replace("\u2060", "").replace("\\\\", "")


async def test_a_day(sample_copy: Path) -> None:
    async with a_day(sample_copy.parent, installed=False) as day:
        await is_welcomed(day)
        first = await asks_and_goes_on(day)
        await asks_alone_then_shares(day)
        await searches_and_has_a_message_checked(day)
        await says_what_he_thinks(day, first)
        await looks_closer(day, first)
        await asks_a_person(day)
        await hears_of_changes(day)
        await edits_and_deletes(day)
        await leaves(day)


async def is_welcomed(day: Day) -> None:
    await day.person().installs(GENERAL)
    assert f"@{day.teams.world.bot_name}" in shown(await day.saying(WELCOME, GENERAL))
    for each in (1, 2, 3):
        await day.person(each).installs()
        welcome = await day.saying(WELCOME, day.chat(each))
        assert welcome.suggestions
    await day.person(3).clicks(welcome, welcome.suggestions[0])
    await day.answer(1, day.chat(3))


async def asks_and_goes_on(day: Day) -> Message:
    """A mention, then its thread: by mention, and without one where the bot may hear all."""
    asked = await day.person().mentions(ALCOHOL, ADS)
    assert (asked.status, asked.error) == (200, "")
    assert asked.message is not None
    thread = asked.message.id
    answer = await day.answer(1, ADS, thread)
    assert "Restricted in the United Kingdom" in shown(answer)
    assert answer.thread == thread
    assert "AIGeneratedContent" not in shown(answer)  # no model wrote any of it
    await day.person(2).mentions("and in France?", ADS, thread)
    assert "in France" in shown(await day.answer(2, ADS, thread))
    day.teams.reads_all(ADS)
    await day.person().says("and in Germany?", ADS, thread)
    assert "in Germany" in shown(await day.answer(3, ADS, thread))
    await day.person(2).says("thanks, I will tell the team", ADS, thread)
    await day.person(2).says("can I advertise alcohol in Norway", ADS)  # a post of its own, to nobody
    await day.teams.catch_up()
    assert len(day.answers(ADS)) == 3
    return answer


async def asks_alone_then_shares(day: Day) -> None:
    chat = day.chat()
    await day.person().writes_to_bot("what about tobacco ads?")
    assert "obacco" in shown(await day.answer(1, chat))
    await day.person().writes_to_bot("compare UK and Germany: alcohol")
    compared = await day.answer(2, chat)
    assert '"Table"' in shown(compared)
    before = len(day.answers(ADS))
    await day.person().clicks(compared, said.SHARE)
    await day.person().submits(day.dialog(), {SHARE_TO: f"{TEAM}/{CHANNEL}"})
    assert day.person().told[-1].startswith("Asked again in")
    shared = await day.answer(before + 1, ADS)
    assert '"Table"' in shown(shared)
    assert said.SHARED in shown(shared)


async def searches_and_has_a_message_checked(day: Day) -> None:
    found = await day.person().searches("alcohol in Germany", ADS)
    assert found, day.person().told[1:]
    inserted = await day.person().inserts(found[0], ADS)
    assert told.FOUND_BY_SEARCH in shown(inserted)
    claim = await day.person().says("We would like to run vodka ads in Norway", ADS)
    assert claim.message is not None
    before = len(day.answers(day.chat(3)))
    await day.person(3).uses_action_on(claim.message, ExtensionCommand.CHECK_MESSAGE)
    assert told.CHECK_BEGUN in plain(day.dialog(3).card)
    day.person(3).closes()
    assert "Norway" in shown(await day.answer(before + 1, day.chat(3)))


async def says_what_he_thinks(day: Day, answer: Message) -> None:
    """By Teams' own buttons and form below the answer."""
    assert (await day.person(2).rates(answer, "like")).error == ""
    assert (await day.person().rates(answer, "dislike", "Which hours?")).error == ""
    kept = await day.rows(select(feedback.c.rating, feedback.c.comment))
    assert sorted(kept) == [("not_useful", "Which hours?"), ("useful", "")]


async def looks_closer(day: Day, answer: Message) -> None:
    """Sources in context, then the same question for another place; and a choice where one is offered."""
    await day.person().clicks(answer, said.SHOW_SOURCES)
    assert day.dialog(1, "in force since").title == said.SOURCES_TITLE
    day.person().closes()
    await day.person().clicks(answer, said.CHANGE_SCOPE)
    before = len(day.answers(ADS, answer.thread))
    await day.person().submits(day.dialog(1, PLACE), {PLACE: "Norway"})
    assert "Norway" in shown(await day.answer(before + 1, ADS, answer.thread))
    await day.person(2).writes_to_bot("what are the rules?")
    too_broad = await day.saying("too broad", day.chat(2))
    [first, *_] = [each for each in actions_of(too_broad.card) if each.get("verb") == TeamsVerb.CHOOSE]
    await day.person(2).clicks(too_broad, str(first["title"]))
    assert str(first["title"]) in shown(await day.answer(1, day.chat(2)))


async def asks_a_person(day: Day) -> None:
    """The channel's settings name where people are asked. They answer by a reply and by the dialog, and what they
    said becomes a draft."""
    await day.person().mentions("settings", ADS)
    offered = await day.saying(of_teams.SETTINGS_OFFERED, ADS)
    await day.person().clicks(offered, of_teams.SETTINGS_BUTTON)
    link = channel_link(f"{TEAM}/{TEAM_THREAD}", TENANT)
    await day.person().submits(day.dialog(1, PERSON_CHANNEL), {PERSON_CHANNEL: link})
    first, asked = await passes_on(day, 1, "For the spring campaign")
    await day.person(2).clicks(asked, of_people.CLAIM)
    await day.now(asked, of_teams.claimed_state(day.person(2).account.name))
    await day.person(2).mentions("Yes, with the label on every picture.", GENERAL, asked.id)
    back = await day.saying("label on every picture", ADS)
    assert back.thread == first.thread
    assert "not a quote from the policies" in shown(back)

    second, other = await passes_on(day, 3, "And in print?")
    await day.person(2).clicks(other, of_teams.ANSWER)
    await day.person(2).submits(day.dialog(2, ANSWER), {ANSWER: "In print as well."})
    came_back = await day.saying("In print as well.", ADS)
    assert came_back.thread == second.thread
    await day.person(2).clicks(came_back, of_teams.SAVE_DRAFT)
    form = {STATEMENTS: "Alcohol ads need the label.", SOURCES: "1", PLACES: "uk"}
    await day.person(2).submits(day.dialog(2, STATEMENTS), form)
    assert day.person(2).told[-1] == of_teams.SAVED_DRAFT


async def passes_on(day: Day, number: int, note: str) -> tuple[Message, Message]:
    """An answer, and the message where people are asked about it."""
    asked = await day.person(number).mentions(ALCOHOL, ADS)
    assert asked.message is not None
    answer = await day.answer(1, ADS, asked.message.id)
    await day.person(number).clicks(answer, said.ASK_PERSON)
    await day.person(number).submits(day.dialog(number, NOTE), {NOTE: note})
    return answer, await day.saying(note, GENERAL)


async def hears_of_changes(day: Day) -> None:
    await day.person(2).mentions("subscribe", ADS)
    await day.saying("subscribed this channel to all policy changes", ADS)
    changes(day, "2026-11-01", STRICTER)
    alert = await day.saying("Policy changed", ADS)
    assert "nine in the evening" in shown(alert)
    await day.person(3).clicks(day.answers(day.chat(3))[-1], answered.SUBSCRIBE)
    await day.saying("subscribed this chat to", day.chat(3))


def changes(day: Day, since: str, rule: str) -> None:
    text = (day.folder / "alcohol.2026-05-04.md").read_text("utf-8").replace("2026-05-04", since)
    (day.folder / f"alcohol.{since}.md").write_text(text + rule, "utf-8")
    day.ingest()


async def edits_and_deletes(day: Day) -> None:
    chat, before = day.chat(), len(day.answers(day.chat()))
    asked = await day.person().writes_to_bot("can I advertise weapons in Germany?")
    answer = await day.answer(before + 1, chat)
    assert asked.message is not None
    await day.person().edits(asked.message, "can I advertise gambling in France?")
    changed = await day.now(answer, "France")
    assert len(day.answers(chat)) == before + 1
    await day.person().deletes(asked.message)
    await day.until(lambda: len(day.answers(chat)) == before, "deletion", chat)
    assert changed.id not in [each.id for each in day.answers(chat)]


async def leaves(day: Day) -> None:
    """Whatever is asked or changes afterwards, nothing is even tried in the team; who still has the bot is told."""
    await day.person(3).writes_to_bot("subscribe")
    await day.saying("subscribed this chat to all policy changes", day.chat(3))
    await day.person().uninstalls(GENERAL)
    await day.teams.catch_up()
    day.teams.calls.clear()
    await day.person().mentions(ALCOHOL, ADS)
    changes(day, "2026-11-15", STRICTER.replace("nine", "ten"))
    await day.saying("nine -> ten", day.chat(3))
    assert {each.conversation for each in day.teams.calls if each.operation == "POST"} == {day.chat(3)}
    assert set(await day.rows(select(subscriptions.c.channel))) == {(day.chat(3),)}


@pytest.mark.models
async def test_a_personal_chat_with_a_model_that_writes(sample_copy: Path) -> None:
    """The answer grows, and only what the model wrote says so."""
    pytest.importorskip("openai", reason="openai is not installed: ops/test models installs it")
    async with (
        ChatServer(slowly_said, pause=0.2) as model,
        a_day(sample_copy.parent, installed=True, MODEL="openai", MODEL_URL=model.url, MODEL_NAME="scripted") as day,
    ):
        asked = await day.person().writes_to_bot(ALCOHOL)
        assert asked.status == 200
        answer = await day.answer(1, day.chat())
        assert model.bodies
    [first, *more] = day.teams.calls_of("stream")
    kinds = [stream_type(each.body) for each in (first, *more)]
    assert kinds[0] == "informative"
    assert "streaming" in kinds
    assert kinds[-1] == "final"
    assert {each.status for each in (first, *more)} <= {201, 202, 200}
    assert len(day.teams.bot_messages(day.chat())) == 1
    assert "AIGeneratedContent" in shown(answer)
    assert answer.citations


def slowly_said(body: Mapping[str, Any]) -> str:
    """What stands in the rules, in words that are not quite theirs."""
    prompt = body["messages"][-1]["content"]
    rules = list(rules_of(prompt).values())[:4]
    written = [(f"Note that {text[0].lower()}{text[1:]}", text) for text in rules]
    return reading_of(prompt, dict.fromkeys(rules, "limits"), written)


def stream_type(activity: Mapping[str, Any]) -> str:
    return next(str(each["streamType"]) for each in activity["entities"] if each["type"] == "streaminfo")
