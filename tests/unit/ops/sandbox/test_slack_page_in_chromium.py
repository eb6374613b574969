"""The sandbox page in Chromium, with its script and without."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from playwright.async_api import Page, async_playwright

from tests.browser.accessibility import complaints
from tests.fakes.missing import program
from tests.fakes.slack_app import ALL, Met, met

pytestmark = pytest.mark.browser


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


BUTTON = {"type": "button", "action_id": "share", "text": plain("Share")}
ASKING = {
    **BUTTON,
    "action_id": "sure",
    "text": plain("Really share"),
    "confirm": {"title": plain("Sure?"), "text": plain("x"), "confirm": plain("Yes"), "deny": plain("No")},
}
MENU = {
    "type": "static_select",
    "action_id": "place",
    "placeholder": plain("Place"),
    "options": [{"text": plain("France"), "value": "fr"}],
}
HALF = {"text": plain("Useful"), "value": "y"}
OTHER = {"text": plain("Not useful"), "value": "n"}
BLOCKS: list[dict[str, object]] = [
    {"type": "header", "text": plain("Restricted")},
    {"type": "section", "text": {"type": "mrkdwn", "text": "Only with a *licence* <https://e.example|[1]>"}},
    {"type": "actions", "elements": [BUTTON, ASKING, MENU]},
    {
        "type": "context_actions",
        "elements": [
            {"type": "feedback_buttons", "action_id": "fb", "positive_button": HALF, "negative_button": OTHER}
        ],
    },
]
QUESTION = {
    "type": "input",
    "block_id": "q",
    "label": plain("Question"),
    "element": {"type": "plain_text_input", "action_id": "t"},
}
MODAL = {"type": "modal", "title": plain("Scope"), "submit": plain("Ask"), "blocks": [QUESTION]}


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met(replace(ALL, shortcuts={"scope": "Set scope"}, message_shortcuts={"check": "Check"})) as made:
        yield made


@pytest.fixture
async def page(slack: Met, request: pytest.FixtureRequest) -> AsyncIterator[Page]:
    executable = program("chromium", "chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        context = await browser.new_context(base_url=slack.slack.base_url, java_script_enabled=request.param)
        opened = await context.new_page()
        opened.script = request.param  # type: ignore[attr-defined]
        yield opened
        await browser.close()


BOTH = pytest.mark.parametrize("page", [True, False], indirect=True, ids=["script", "no script"])


@BOTH
async def test_a_person_types_clicks_and_fills_in(slack: Met, page: Page) -> None:
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    await slack.api.chat_postMessage(channel="C1", text="x", blocks=BLOCKS)
    await page.goto("/?user=U1&channel=C1")
    await page.get_by_label("Message # ads-policy").fill("@adpolicy hello")
    await page.get_by_role("button", name="Send").click()
    await slack.app.until("app_mention")
    await page.get_by_text("hello").wait_for()
    await page.get_by_role("button", name="Share", exact=True).click()
    await slack.app.until("block_actions")
    slack.app.forget()
    await page.get_by_role("button", name="Useful", exact=True).click()
    await slack.app.until("block_actions")
    opening = asyncio.create_task(_open_modal(slack))
    if page.script:  # type: ignore[attr-defined]
        await page.get_by_role("button", name="Set scope").click()
        await opening
    else:
        async with page.expect_navigation():
            await page.get_by_role("button", name="Set scope").click()
        await opening
        await page.reload()
    await page.get_by_role("button", name="Ask").click()
    await page.get_by_role("alert").wait_for()
    await page.get_by_label("Question").fill("alcohol")
    await page.get_by_role("button", name="Ask").click()
    await page.get_by_role("dialog").wait_for(state="detached")
    view = slack.app.last("view_submission").payload["view"]
    assert view["state"]["values"]["q"]["t"]["value"] == "alcohol"  # type: ignore[index]
    assert errors == []
    if page.script:  # type: ignore[attr-defined]
        assert await complaints(page) == []


@pytest.mark.parametrize("page", [True], indirect=True)
async def test_the_page_follows_what_happens(slack: Met, page: Page) -> None:
    parent = await slack.slack.person("U1").mentions("a question")
    await slack.api.assistant_threads_setStatus(channel_id="C1", thread_ts=parent.ts, status="is reading ...")
    await page.goto(f"/?user=U1&channel=C1&thread={parent.ts}")
    await page.locator("#thread").get_by_text("is reading ...").wait_for()
    reply = page.get_by_label("Reply", exact=True)
    await reply.fill("half typed")
    answer = await slack.api.chat_startStream(
        channel="C1", thread_ts=parent.ts, markdown_text="One.", recipient_team_id="T1", recipient_user_id="U1"
    )
    await page.locator("#thread").get_by_text("One.").wait_for()
    await slack.api.chat_appendStream(channel="C1", ts=answer["ts"], markdown_text=" Two.")
    await page.locator("#thread").get_by_text("One. Two.").wait_for()
    assert await reply.input_value() == "half typed"
    assert await page.get_by_text("is reading ...").count() == 0
    await slack.api.chat_stopStream(channel="C1", ts=answer["ts"], blocks=BLOCKS)
    asked: list[str] = []

    async def refuse(dialog: object) -> None:
        asked.append(dialog.message)  # type: ignore[attr-defined]
        await dialog.dismiss()  # type: ignore[attr-defined]

    page.on("dialog", refuse)
    await page.locator("#thread").get_by_role("button", name="Really share").click()
    assert asked == ["Sure?\n\nx"]
    await page.locator("#thread").get_by_label("Place").select_option("fr")
    await slack.app.until("block_actions")
    assert slack.app.last("block_actions").payload["actions"][0]["action_id"] == "place"  # type: ignore[index]
    assert slack.app.called.count("block_actions") == 1


async def _open_modal(slack: Met) -> None:
    await slack.app.until("shortcut")
    trigger = str(slack.app.last("shortcut").payload["trigger_id"])
    await slack.api.views_open(trigger_id=trigger, view=MODAL)
