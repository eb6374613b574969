"""Pages in Chromium, as people meet them."""

from collections.abc import AsyncIterator

import pytest_asyncio
from aiohttp.test_utils import unused_port
from playwright.async_api import Browser, Page, async_playwright

from bot.model.links import Links
from tests.fakes.missing import program
from tests.fakes.pages import NEW, OLD, ScriptedAsk, answers
from tests.fakes.replies import TODAY
from tests.fakes.web import FakePolicyStore, make_parts, serving


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    executable = program("chromium", "chromium")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def address() -> AsyncIterator[str]:
    """The web listener with one document in two versions and a scripted answer for each question."""
    port = unused_port()
    url = f"http://127.0.0.1:{port}"
    parts = make_parts(
        ask=ScriptedAsk(answers()),
        store=FakePolicyStore([OLD, NEW]),
        links=Links(url, {"sample": "Sample Ads"}),
        today=lambda: TODAY,
    )
    async with serving(parts, port, guarded=False):
        yield url


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, address: str) -> AsyncIterator[Page]:
    """A desktop window in which no page may run a script: they need none."""
    context = await browser.new_context(
        base_url=address, viewport={"width": 1100, "height": 800}, java_script_enabled=False
    )
    opened = await context.new_page()
    yield opened
    await context.close()
