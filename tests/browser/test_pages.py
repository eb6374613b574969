"""The pages in a browser: a question is asked with the keyboard, the answer read, the quote found."""

import os
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.accessibility import complaints
from tests.fakes import replies
from tests.fakes.pages import NEW, OLD, answers, cited

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ADDRESSES = {
    "empty": "/",
    **{name: f"/?q={name}" for name in answers()},
    "bad-fields": "/?q=restricted&place=Atlantis&as_of=soon",
    "kept-filters": "/?q=restricted&section=Countries&label=stage:sample&place=uk&as_of=2026-11-22",
    "source": f"/sources/{NEW.version.doc_id}?from={cited(replies.ITEM).char_start}&to={cited(replies.ITEM).char_end}",
    "source-old": f"/sources/{OLD.version.doc_id}",
    "source-missing": "/sources/nothing",
    "missing": "/nothing",
}


async def picture(page: Page, name: str) -> None:
    """Keeps a picture of the whole page where ADPOLICY_SHOTS says; without it, none."""
    if folder := os.environ.get("ADPOLICY_SHOTS"):
        await page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_page_is_accessible_on_a_desk(page: Page, name: str, scheme: str) -> None:
    await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    await page.goto(ADDRESSES[name])
    await picture(page, f"{name}-{scheme}")
    assert await complaints(page) == []


@pytest.mark.parametrize("name", ADDRESSES)
async def test_every_page_fits_a_phone(page: Page, name: str) -> None:
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.goto(ADDRESSES[name])
    await picture(page, f"{name}-phone")
    assert await complaints(page) == []


async def test_a_question_is_asked_with_the_keyboard_alone(page: Page) -> None:
    await page.goto("/")
    await expect(page.get_by_label("Your question")).to_be_focused()
    await page.keyboard.type("restricted")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Restricted in the United Kingdom")).to_be_visible()
    await expect(page.get_by_label("Your question")).to_have_value("restricted")
    await expect(page).to_have_title(re.compile("restricted"))


async def test_place_platform_and_day_are_sent_along(page: Page) -> None:
    await page.goto("/")
    await page.get_by_label("Your question").fill("restricted")
    await page.get_by_label("Place").fill("united kingdom")
    await page.get_by_label("Platform").select_option("sample")
    await page.get_by_label("As of").fill("2026-03-01")
    await page.get_by_role("button", name="Ask").click()
    assert page.url.endswith("/?q=restricted&place=united+kingdom&source=sample&as_of=2026-03-01")
    await expect(page.get_by_label("Place", exact=True)).to_have_value("united kingdom")
    await expect(page.get_by_label("Platform")).to_have_value("sample")


async def test_a_field_that_cannot_be_read_has_the_focus(page: Page) -> None:
    await page.goto(ADDRESSES["bad-fields"])
    await expect(page.get_by_label("Place", exact=True)).to_be_focused()


async def test_a_numbered_link_opens_the_source_at_the_quote(page: Page) -> None:
    await page.goto("/?q=restricted")
    await page.get_by_role("listitem").filter(has_text=replies.ITEM).get_by_role("link", name="Source 1").first.click()
    await expect(page.locator("mark")).to_have_text(replies.ITEM)
    await expect(page.locator("mark")).to_be_in_viewport()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Alcohol")


async def test_without_text_fragments_the_quote_is_one_click_away(page: Page) -> None:
    await page.set_viewport_size({"width": 360, "height": 420})
    await page.goto(ADDRESSES["source"])
    await page.get_by_role("link", name="Go to the quoted passage").click()
    await expect(page.locator("#quote")).to_be_in_viewport()


async def test_an_earlier_version_says_that_it_holds_no_longer(page: Page) -> None:
    await page.goto(ADDRESSES["source"])
    await page.get_by_role("link", name="1 March 2025").click()
    await expect(page.locator(".validity")).to_contain_text("No longer in force")
    await expect(page.get_by_text("16 or older")).to_be_visible()


async def test_a_choice_asks_on(page: Page) -> None:
    await page.goto("/?q=broad")
    await page.get_by_role("link", name="Germany").click()
    assert "place=de" in page.url


async def test_the_skip_link_comes_first_and_leads_to_the_answer(page: Page) -> None:
    await page.goto("/?q=restricted")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the answer")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#content")).to_be_focused()


async def test_what_has_the_focus_shows_it(page: Page) -> None:
    await page.goto("/?q=restricted&place=uk")
    for _ in range(14):
        await page.keyboard.press("Tab")
        style = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style != "none", await page.evaluate("document.activeElement.outerHTML")


async def test_no_page_breaks_its_own_security_policy(browser: Browser, address: str) -> None:
    """With scripts allowed: the console would name what the policy blocks."""
    context = await browser.new_context(base_url=address)
    page = await context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for name in ("empty", "restricted", "source"):
        await page.goto(ADDRESSES[name], wait_until="networkidle")
        assert await page.locator("script, style, [style], [onclick]").count() == 0
    await context.close()
    assert said == []
