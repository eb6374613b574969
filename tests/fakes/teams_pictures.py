"""`python -m tests.fakes.teams_pictures`: pictures of the page of the pretended Teams for ops/docs, with answers from
the sample policies. It needs Chromium and a font with signs (apt-get install fonts-noto-color-emoji).
"""

import argparse
import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import aiohttp
from playwright.async_api import FloatRect, Page

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
from tests.fakes.pictures import browsing, check_font
from tests.fakes.program import ROOT, environment, run
from tests.fakes.small_png import smaller
from tests.fakes.teams_bot import ConnectorClient, Json, TeamsBot, teams_with_bot

KEPT = ROOT / "ops" / "docs"
ALCOHOL = "can I advertise alcohol in the UK"
MEDICINES = "compare United States and Germany: prescription medicines"
BROAD = "can I advertise alcohol"
_ADAPTIVE = "application/vnd.microsoft.card.adaptive"
_WIDTH, _HEIGHT = 980, 2400
_SHEET = "dialog[open]"


@dataclass(frozen=True, slots=True)
class Shown:
    """A place on the page, and what stands in the part of it that is taken once all has come. `press`: a button that
    opens it."""

    place: Mapping[str, str]
    holds: str
    selector: str = "article.bot"
    press: str = ""


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
    return Shown({"where": CHANNEL}, "Restricted in the United Kingdom", "section")


async def a_comparison(studio: Studio) -> Shown:
    await studio.answer(MEDICINES, GROUP_CHAT, TeamsView())
    return Shown({"where": GROUP_CHAT}, "differs by place")


async def a_personal_chat(studio: Studio) -> Shown:
    where = studio.teams.person(1).chat.id
    await studio.answer(BROAD, where, TeamsView(is_private=True))
    return Shown({"where": where}, "Alcohol")


async def sources(studio: Studio) -> Shown:
    dialog = await studio.sources(ALCOHOL)
    value = {"title": "Sources", "card": {"contentType": _ADAPTIVE, "content": dialog}}
    studio.bot.answer = lambda _: (200, {"task": {"type": "continue", "value": value}})
    return Shown({"where": CHANNEL}, "restricted in the United Kingdom", _SHEET, "Show sources")


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


async def look(page: Page, address: str, shown: Shown) -> str:
    """Opens the place once all of it is there; the text of what is shown."""
    await page.goto(f"{address}/?{urlencode({'you': '1', **shown.place})}")
    if shown.press:
        await page.get_by_role("button", name=shown.press).last.click()
    found = page.locator(shown.selector).filter(has_text=shown.holds).last
    await found.wait_for(timeout=10_000)
    return await found.inner_text()


async def photograph(page: Page, shown: Shown, file: Path) -> None:
    """The page down to the end of what is shown; of a dialog nothing but it."""
    await page.evaluate("document.activeElement?.blur()")
    box = await page.locator(shown.selector).filter(has_text=shown.holds).last.bounding_box()
    assert box is not None
    clip: FloatRect = {"x": 0, "y": 0, "width": _WIDTH, "height": box["y"] + box["height"] + 8}
    if shown.selector == _SHEET:
        clip = box
    taken = smaller(await page.screenshot(clip=clip))
    await asyncio.to_thread(file.write_bytes, taken)


async def take(folder: Path) -> dict[str, str]:
    """All pictures into `folder`; the text that is to be read in each."""
    read: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as made:
        async with studio(Path(made)) as there, browsing(_WIDTH, _HEIGHT) as page:
            for name, scene in SCENES.items():
                shown = await scene(there)
                read[name] = await look(page, there.teams.base_url, shown)
                await photograph(page, shown, folder / f"{name}.png")
    return read


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.teams_pictures", description=__doc__)
    parser.add_argument("--folder", type=Path, default=KEPT, help="where the pictures go")
    folder = parser.parse_args().folder
    check_font()
    asyncio.run(take(folder))


if __name__ == "__main__":
    main()
