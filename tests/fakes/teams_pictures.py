"""`python -m tests.fakes.teams_pictures`: pictures of the page of the pretended Teams for ops/docs, made by the real
program from the sample policies. It needs Chromium and a font with signs (apt-get install fonts-noto-color-emoji).
"""

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from adapters.teams.actions.settings_rules import channel_link
from bot.render.teams.people import NOTE
from bot.render.teams.settings import PERSON_CHANNEL
from bot.wording import answers as of_answers
from bot.wording import people as of_people
from bot.wording import teams as of_teams
from ops.config import SAMPLE_CATALOGUE
from ops.sandbox.teams import TENANT, Message, Person, TeamsStandIn, teams_stand_in
from ops.sandbox.teams.clicking import Dialog
from ops.sandbox.teams.world import CHANNEL, GROUP_CHAT, TEAM, TEAM_THREAD
from tests.fakes.changed_policy import change_a_policy
from tests.fakes.pictures import Pictures, Shown
from tests.fakes.program import Ports, environment, free_ports, running_server, without_prefix
from tests.fakes.samples import sample_copy

ALCOHOL = "can I advertise alcohol in the UK"
MEDICINES = "compare United States and Germany: prescription medicines"
BEER = "can I advertise beer in the UK"
BROAD = "can I advertise alcohol"
WHY = "For the spring campaign: it begins on Monday."
ADVICE = "Yes, with the label on every picture. Legal has seen it."
_MESSAGE, _SHEET = "article.bot", "dialog[open]"
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Studio:
    """A Teams with the bot in it, and a catalogue whose documents may be changed."""

    teams: TeamsStandIn
    samples: Path
    env: Mapping[str, str]

    def person(self, number: int = 1) -> Person:
        return self.teams.person(number)

    async def saying(self, words: str, where: str) -> Message:
        """The first message of the bot's that says so, once it is whole."""

        def found() -> list[Message]:
            there = [each for each in self.teams.bot_messages(where) if not each.is_streaming]
            return [each for each in there if words in json.dumps(dict(each.activity), ensure_ascii=False)]

        await self.teams.until(lambda: bool(found()), _SECONDS)
        return found()[0]

    def dialog(self, number: int = 1) -> Dialog:
        found = self.person(number).dialog
        assert found is not None, self.person(number).told
        return found


Scene = Callable[[Studio], Awaitable[Shown]]


async def an_answer(studio: Studio) -> Shown:
    await studio.person().mentions(ALCOHOL, CHANNEL)
    await studio.saying("Restricted in the United Kingdom", CHANNEL)
    return Shown({"you": "1", "where": CHANNEL}, "Restricted in the United Kingdom", "section")


async def a_comparison(studio: Studio) -> Shown:
    await studio.person().mentions(MEDICINES, GROUP_CHAT)
    return Shown({"you": "1", "where": GROUP_CHAT}, "differs by place", _MESSAGE)


async def a_personal_chat(studio: Studio) -> Shown:
    await studio.person().writes_to_bot(BROAD)
    return Shown({"you": "1", "where": studio.person().chat.id}, "You can also ask", _MESSAGE)


async def sources(studio: Studio) -> Shown:
    shown = of_answers.SHOW_SOURCES
    return Shown({"you": "1", "where": CHANNEL}, "restricted in the United Kingdom", _SHEET, shown, alone=True)


async def the_settings(studio: Studio) -> Shown:
    studio.person().closes()
    await studio.person().mentions("settings", CHANNEL)
    button = of_teams.SETTINGS_BUTTON
    await studio.saying(button, CHANNEL)
    return Shown({"you": "1", "where": CHANNEL}, of_teams.PERSON_CHANNEL, _SHEET, button, alone=True)


async def people_asked(studio: Studio) -> Shown:
    """By the dialog of the scene before: whom to ask is set in it."""
    link = channel_link(f"{TEAM}/{TEAM_THREAD}", TENANT)
    await studio.person().submits(studio.dialog(), {PERSON_CHANNEL: link})
    await studio.person().mentions(BEER, CHANNEL)
    answer = await studio.saying(of_answers.ASK_PERSON, CHANNEL)
    await studio.person().clicks(answer, of_answers.ASK_PERSON)
    await studio.person().submits(studio.dialog(), {NOTE: WHY})
    asked = await studio.saying(WHY, TEAM_THREAD)
    await studio.person(2).clicks(asked, of_people.CLAIM)
    await studio.saying(of_teams.claimed_state(studio.person(2).account.name), TEAM_THREAD)
    await studio.person(2).mentions(ADVICE, TEAM_THREAD, asked.id)
    await studio.saying(ADVICE, CHANNEL)
    return Shown({"you": "2", "where": TEAM_THREAD}, ADVICE, "section", alone=True)


async def an_answer_of_a_person(studio: Studio) -> Shown:
    return Shown({"you": "1", "where": CHANNEL}, ADVICE, "section", alone=True)


async def an_alert(studio: Studio) -> Shown:
    await studio.person(2).mentions("subscribe alcohol", CHANNEL)
    await studio.saying("subscribed this channel", CHANNEL)
    await asyncio.to_thread(change_a_policy, studio.samples, studio.env)
    await studio.saying("Policy changed", CHANNEL)
    return Shown({"you": "1", "where": CHANNEL}, "Policy changed", _MESSAGE, alone=True)


SCENES: dict[str, Scene] = {
    "teams-answer": an_answer,
    "teams-comparison": a_comparison,
    "teams-personal": a_personal_chat,
    "teams-sources": sources,
    "teams-settings": the_settings,
    "teams-escalation": people_asked,
    "teams-answered": an_answer_of_a_person,
    "teams-alert": an_alert,
}
"""Name of the picture -> what happens before it is taken; in this order, the last one changes the documents."""


@contextlib.asynccontextmanager
async def studio(folder: Path) -> AsyncIterator[Studio]:
    """The program with the samples, beside a Teams. `folder` is empty."""
    samples = Path(await asyncio.to_thread(shutil.copytree, SAMPLE_CATALOGUE.parent, folder / "samples"))
    settings = {"CATALOGUE": str(samples / SAMPLE_CATALOGUE.name), "ALERT_SETTLE_SECONDS": "0"}
    env = environment(folder / "data", **settings)
    await asyncio.to_thread(sample_copy, folder / "data")
    ports = Ports(*free_ports(2))
    async with teams_stand_in(f"http://127.0.0.1:{ports.chat}") as teams:
        with running_server(folder / "data", ports, {**settings, **without_prefix(teams.settings)}):
            yield Studio(teams, samples, env)


PICTURES = Pictures(SCENES, studio, lambda there: there.teams.base_url)


if __name__ == "__main__":
    PICTURES.main("tests.fakes.teams_pictures", __doc__)
