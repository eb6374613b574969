"""`python -m tests.fakes.teams_pictures`: pictures of the page of the pretended Teams for ops/docs, with answers from
the sample policies. It needs Chromium and a font with signs (apt-get install fonts-noto-color-emoji).
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from adapters.sql.given_answers import SqlGivenAnswers
from bot.asking import Asked
from bot.cli import TERMINAL
from bot.passages_around import in_context
from bot.render.teams import teams_message
from bot.render.teams_dialogs import sources_dialog
from bot.render.teams_view import TeamsView
from bot.seen_answers import SeenAnswers
from ops.config import Config
from ops.parts import Answering
from ops.sandbox.teams import TeamsStandIn
from ops.sandbox.teams.places import CHANNEL, GROUP_CHAT
from ops.wiring import open_answering
from tests.fakes.pictures import Pictures, Shown
from tests.fakes.program import environment, run
from tests.fakes.teams_bot import ConnectorClient, Json, TeamsBot, teams_with_bot

ALCOHOL = "can I advertise alcohol in the UK"
MEDICINES = "compare United States and Germany: prescription medicines"
BROAD = "can I advertise alcohol"
_ADAPTIVE = "application/vnd.microsoft.card.adaptive"
_MESSAGE, _SHEET = "article.bot", "dialog[open]"


@dataclass
class Studio:
    """A Teams, and answers as the bot gives them. `dialog`: what a button opens."""

    teams: TeamsStandIn
    connector: ConnectorClient
    answering: Answering
    bot: TeamsBot
    answer_ids: dict[str, str] = field(default_factory=dict)

    async def answer(self, question: str, where: str, view: TeamsView) -> Json:
        """Asked by somebody there, and sent as the bot sends it: Teams refuses what it would refuse."""
        person = self.teams.person(1)
        if where == person.chat.id:
            asked = (await person.writes_to_bot(question)).written
        else:
            asked = (await person.mentions(question, where)).written
        answered = await self.answering.asking.ask(Asked(question, TERMINAL, "terminal"))
        self.answer_ids[question] = answered.answer_id
        made = teams_message(question, answered.answer_id, answered.reply, self.answering.links, view)
        thread = f"{where};messageid={asked.id}" if where == CHANNEL else where
        status, said = await self.connector.post(thread, made)
        assert status == 201, said
        return made

    async def sources(self, question: str) -> Json:
        """The dialog with the sources of an answer."""
        answering = self.answering
        known = SeenAnswers(SqlGivenAnswers(answering.engine), answering.store, answering.pseudonyms.of)
        seen = await known.find(self.answer_ids[question], TERMINAL, None)
        assert seen is not None
        read = await known.read(seen, frozenset())
        return sources_dialog(read, await in_context(read, answering.store, frozenset()), answering.links)


Scene = Callable[[Studio], Awaitable[Shown]]


async def an_answer(studio: Studio) -> Shown:
    await studio.answer(ALCOHOL, CHANNEL, TeamsView())
    return Shown({"you": "1", "where": CHANNEL}, "Restricted in the United Kingdom", "section")


async def a_comparison(studio: Studio) -> Shown:
    await studio.answer(MEDICINES, GROUP_CHAT, TeamsView())
    return Shown({"you": "1", "where": GROUP_CHAT}, "differs by place", _MESSAGE)


async def a_personal_chat(studio: Studio) -> Shown:
    where = studio.teams.person(1).chat.id
    await studio.answer(BROAD, where, TeamsView(is_private=True))
    return Shown({"you": "1", "where": where}, "Alcohol", _MESSAGE)


async def sources(studio: Studio) -> Shown:
    dialog = await studio.sources(ALCOHOL)
    value = {"title": "Sources", "card": {"contentType": _ADAPTIVE, "content": dialog}}
    studio.bot.answer = lambda _: (200, {"task": {"type": "continue", "value": value}})
    return Shown({"you": "1", "where": CHANNEL}, "restricted in the United Kingdom", _SHEET, "Show sources", alone=True)


SCENES: dict[str, Scene] = {
    "teams-answer": an_answer,
    "teams-comparison": a_comparison,
    "teams-personal": a_personal_chat,
    "teams-sources": sources,
}
"""Name of the picture -> what happens before it is taken; in this order."""


@contextlib.asynccontextmanager
async def studio(folder: Path) -> AsyncIterator[Studio]:
    """`folder` is empty."""
    data = folder / "data"
    ended = await asyncio.to_thread(run, "ingest", "run", "--quiet", env=environment(data), cwd=folder)
    assert ended.returncode == 0, ended.stderr
    bot = TeamsBot()
    async with (
        open_answering(Config(data_dir=data)) as answering,
        teams_with_bot(bot) as teams,
        aiohttp.ClientSession() as session,
    ):
        await answering.refresh_names()
        yield Studio(teams, ConnectorClient(teams, session), answering, bot)


PICTURES = Pictures(SCENES, studio, lambda there: there.teams.base_url)


if __name__ == "__main__":
    PICTURES.main("tests.fakes.teams_pictures", __doc__)
