"""A comparison on a phone, in a wide font: each word stands on one line, letters are not parted."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from ops.sandbox.teams import TeamsStandIn
from rag_core.answers import Comparison, Verdict
from tests.fakes import replies
from tests.fakes.teams_bot import TeamsBot, teams_with_bot
from tests.fakes.teams_cards import message

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

WIDE = ".card, .card * { font-family: 'DejaVu Sans' !important; }"
"""A third wider than the fonts of phones."""

PARTED = """() => [...document.querySelectorAll(".card *")].flatMap((each) =>
    [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)).flatMap((node) =>
    [...node.data.matchAll(/[\\p{L}\\p{N}]+/gu)].filter((word) => {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        return new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size > 1;
    }).map((word) => word[0]))"""


@pytest_asyncio.fixture(loop_scope="session")
async def teams() -> AsyncIterator[TeamsStandIn]:
    async with teams_with_bot(TeamsBot(lambda _: (200, None))) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    opened = await browser.new_page(viewport={"width": 360, "height": 900}, bypass_csp=True)
    yield opened
    await opened.context.close()


async def test_no_word_of_a_comparison_is_parted(page: Page, teams: TeamsStandIn) -> None:
    rows = [
        replies.comparison_row(region=region, verdict=verdict)
        for region, verdict in (
            ("uk", Verdict.RESTRICTED),
            ("de", Verdict.PROHIBITED),
            ("nl", Verdict.ALLOWED),
            ("us", Verdict.RESTRICTED),
        )
    ]
    activity = message(replies.comparison(comparison=Comparison(tuple(rows))))
    asked = (await teams.person(1).mentions("compare", "ads")).written
    teams.world.messages.post(asked.conversation, teams.world.bot, activity, thread=asked.id)
    await page.goto(f"{teams.base_url}/?you=1&where={teams.world.place('ads').id}")
    await page.add_style_tag(content=WIDE)
    await page.locator(".card").get_by_text("Prohibited").last.wait_for()
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert await page.evaluate(PARTED) == []
