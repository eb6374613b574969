"""Signing in with a browser: without any script, back to what was wanted, and by nobody else's page."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import unused_port
from playwright.async_api import Browser, Page, expect

from bot.access.tokens import Permission, new_token
from tests.browser.accessibility import complaints
from tests.fakes.pages import NEW, OLD, ScriptedAsk, answers
from tests.fakes.replies import TODAY
from tests.fakes.tokens import Door
from tests.fakes.web import FakePolicyStore, serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@dataclass(frozen=True)
class Locked:
    url: str
    token: str
    door: Door


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def locked() -> AsyncIterator[Locked]:
    port, door = unused_port(), Door()
    token = door.tokens.make("reader", Permission.ASK, Permission.READ)
    url = f"http://127.0.0.1:{port}"
    store = FakePolicyStore([OLD, NEW])
    parts = door.parts(public_url=url, ask=ScriptedAsk(answers()), store=store, today=lambda: TODAY)
    async with serving(parts, port, guarded=False):
        yield Locked(url, token, door)


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, locked: Locked) -> AsyncIterator[Page]:
    context = await browser.new_context(base_url=locked.url, java_script_enabled=False)
    opened = await context.new_page()
    yield opened
    await context.close()


async def test_the_page_is_accessible_on_a_desk_and_a_phone(page: Page) -> None:
    for width in (1100, 360):
        await page.set_viewport_size({"width": width, "height": 740})
        await page.goto("/sign-in")
        assert await complaints(page) == []


async def test_from_a_link_over_the_sign_in_to_the_answer_and_out_again(page: Page, locked: Locked) -> None:
    await page.goto("/?q=restricted")
    await page.get_by_label("Token").fill(new_token())
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("lets nobody in")
    assert await complaints(page) == []
    await page.get_by_label("Token").fill(locked.token)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Restricted in the United Kingdom")).to_be_visible()
    assert page.url == f"{locked.url}/?q=restricted"
    assert await complaints(page) == []
    await page.goto(f"/sources/{NEW.version.doc_id}")
    await expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_label("Token")).to_be_visible()
    await page.goto("/?q=restricted")
    await expect(page.get_by_label("Token")).to_be_visible()


async def test_another_sites_form_signs_nobody_in(browser: Browser, locked: Locked) -> None:
    async def trap(_: web.Request) -> web.Response:
        form = f'<form method="post" action="{locked.url}/sign-in"><input name="token" value="{locked.token}">'
        return web.Response(text=f"{form}<button>Win</button></form>", content_type="text/html")

    app = web.Application()
    app.add_routes([web.get("/", trap)])
    running = web.AppRunner(app)
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", 0).start()
        context = await browser.new_context()
        page = await context.new_page()
        for host in ("localhost", "127.0.0.1"):  # another site, and another port of the same
            await page.goto(f"http://{host}:{running.addresses[0][1]}/")
            await page.get_by_role("button", name="Win").click()
            await expect(page.get_by_text("Caused by another site")).to_be_visible()
            assert await context.cookies(locked.url) == []
        await context.close()
    finally:
        await running.cleanup()
