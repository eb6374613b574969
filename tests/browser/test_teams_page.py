"""The page of the pretended Teams in Chromium: cards by the official renderer, what is clicked, what is never done."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from ops.sandbox.teams import TeamsStandIn
from ops.sandbox.teams.messages import Message
from ops.sandbox.wording import NOT_HEARD, NOTHING_YET
from tests.browser.accessibility import complaints
from tests.fakes.teams_bot import Json, TeamsBot, card, shown, teams_with_bot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LONG = "Arzneimittelwerbungsüberwachungsgesetzgebungsverfahren"
TITLE = {"type": "TextBlock", "text": "⚠️ **Restricted** in the United Kingdom", "size": "Large", "wrap": True}
RIGHT_TO_LEFT = {"type": "TextBlock", "text": "إعلانات الكحول", "wrap": True}


def cell(text: str) -> Json:
    return {"type": "TableCell", "items": [{"type": "TextBlock", "text": text, "wrap": True}]}


TABLE = {
    "type": "Table",
    "columns": [{"width": 1}, {"width": 1}, {"width": 1}],
    "rows": [
        {"type": "TableRow", "cells": [cell("Place"), cell("United States"), cell("Germany")]},
        {"type": "TableRow", "cells": [cell("Verdict"), cell("Restricted"), cell(f"Prohibited {LONG}")]},
    ],
}
SOURCES = {"type": "Container", "id": "sources", "isVisible": False, "items": [{"type": "TextBlock", "text": "Quote"}]}
ACTIONS = [
    {"type": "Action.ToggleVisibility", "title": "Unfold", "targetElements": ["sources"]},
    {"type": "Action.Execute", "title": "Choose", "verb": "choose", "data": {"choice": "0"}},
    {"type": "Action.Execute", "title": "Choose", "verb": "choose", "data": {"choice": "1"}},
    {"type": "Action.Submit", "title": "Show sources", "data": {"msteams": {"type": "task/fetch"}, "adpolicy": "x"}},
    {"type": "Action.OpenUrl", "title": "Open", "url": "https://policies.example/alcohol"},
    {"type": "Action.Execute", "title": "Tell us", "verb": "subscribe", "data": {}, "mode": "secondary"},
]
CARD = card(TITLE, RIGHT_TO_LEFT, TABLE, SOURCES, actions=ACTIONS)
FORM = card(
    {"type": "TextBlock", "text": "The quote in its passage", "wrap": True},
    {"type": "Input.Text", "id": "note", "label": "Note", "value": ""},
    actions=[{"type": "Action.Submit", "title": "Save", "data": {"k": "v"}}],
)
CLAIM = {
    "@type": "Claim",
    "position": 1,
    "appearance": {
        "@type": "DigitalDocument",
        "name": "Alcohol policy",
        "url": "https://policies.example/alcohol",
        "abstract": "Ads must not target minors.",
    },
}
ROOT = {
    "type": "https://schema.org/Message",
    "@type": "Message",
    "additionalType": ["AIGeneratedContent"],
    "citation": [CLAIM],
}
HOSTILE = "Restricted [1], not [2] or `[1]`. <img src=x onerror=alert(1)> [bad](javascript:alert(1)) ![p](https://a.example/p)"


def answers(activity: Json) -> tuple[int, object]:
    adaptive = "application/vnd.microsoft.card.adaptive"
    found: dict[str, Any] = {
        "task/fetch": {
            "task": {
                "type": "continue",
                "value": {"title": "Sources", "card": {"contentType": adaptive, "content": FORM}},
            }
        },
        "task/submit": {"task": {"type": "message", "value": "Saved for you."}},
        "adaptiveCard/action": {
            "statusCode": 200,
            "type": adaptive,
            "value": card({"type": "TextBlock", "text": "Chosen", "wrap": True}),
        },
        "composeExtension/query": {
            "composeExtension": {
                "type": "result",
                "attachmentLayout": "list",
                "attachments": [
                    {
                        "contentType": adaptive,
                        "content": CARD,
                        "preview": {
                            "contentType": "application/vnd.microsoft.card.thumbnail",
                            "content": {"title": "Alcohol", "text": "Ads must not"},
                        },
                    }
                ],
            }
        },
        "composeExtension/fetchTask": {"task": {"type": "message", "value": "Nothing speaks against it."}},
    }
    return 200, found.get(str(activity.get("name")))


@pytest.fixture
def bot() -> TeamsBot:
    return TeamsBot(answers)


@pytest_asyncio.fixture(loop_scope="session")
async def teams(bot: TeamsBot) -> AsyncIterator[TeamsStandIn]:
    async with teams_with_bot(bot) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    opened = await browser.new_page(viewport={"width": 1000, "height": 1000})
    opened.set_default_timeout(15_000)
    yield opened
    await opened.context.close()


async def answered(teams: TeamsStandIn, *cards: Json, text: str = "", where: str = "ads") -> Message:
    """A question in a channel with its answer."""
    asked = (await teams.person(1).mentions("can I advertise alcohol?", where)).written
    activity = shown(text, *cards, entities=[ROOT], channelData={"feedbackLoop": {"type": "default"}})
    return teams.world.messages.post(asked.conversation, teams.world.bot, activity, thread=asked.id)


async def opened(page: Page, teams: TeamsStandIn, where: str, holds: str) -> None:
    await page.goto(f"{teams.base_url}/?you=1&where={teams.world.place(where).id}")
    await page.locator("article.bot, article.person").filter(has_text=holds).last.wait_for()


async def test_a_card_is_drawn_whole_and_nothing_of_it_is_cut(page: Page, teams: TeamsStandIn) -> None:
    await answered(teams, CARD)
    for width in (1000, 360):
        await page.set_viewport_size({"width": width, "height": 900})
        await opened(page, teams, "ads", "Restricted in the United Kingdom")
        read = await page.locator(".card").inner_text()
        for expected in ("Place", "United States", "Germany", LONG, "إعلانات", "Choose", "Show sources", "Open"):
            assert expected in read
        assert await page.locator(".card strong").first.inner_text() == "Restricted"
        cut = await page.evaluate(
            """() => [...document.querySelectorAll(".card *")].filter((each) => each.getClientRects().length
            && (each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
            || each.getBoundingClientRect().right > document.querySelector(".card").getBoundingClientRect().right + 1)
            ).map((each) => each.outerHTML.slice(0, 100))"""
        )
        assert cut == []
    assert await page.locator(".card [dir=auto]").count() > 3


async def test_what_folds_out_stays_in_the_browser(page: Page, teams: TeamsStandIn, bot: TeamsBot) -> None:
    await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    before = len(bot.heard)
    assert not await page.get_by_text("Quote", exact=True).is_visible()
    await page.get_by_role("button", name="Unfold").click()
    assert await page.get_by_text("Quote", exact=True).is_visible()
    assert len(bot.heard) == before


async def test_of_two_buttons_with_one_name_the_one_that_is_clicked_is_sent(
    page: Page, teams: TeamsStandIn, bot: TeamsBot
) -> None:
    await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    await page.get_by_role("button", name="Choose").nth(1).click()
    await page.get_by_text("Chosen", exact=True).wait_for()
    assert bot.heard[-1]["value"]["action"]["data"] == {"choice": "1"}
    assert await page.get_by_role("button", name="Choose").count() == 0


async def test_what_stands_behind_the_dots_is_clicked_as_well(page: Page, teams: TeamsStandIn, bot: TeamsBot) -> None:
    await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    dots = page.locator(".card button").filter(has_text="...")
    composer = page.locator("#composer")
    before = await composer.bounding_box()
    await dots.click()
    assert await composer.bounding_box() == before
    offered = page.get_by_text("Tell us", exact=True)
    above, below = await dots.bounding_box(), await offered.bounding_box()
    assert above is not None
    assert below is not None
    assert abs(below["y"] - above["y"]) < 80
    await offered.click()
    await teams.until(lambda: bot.heard[-1].get("name") == "adaptiveCard/action")
    assert bot.heard[-1]["value"]["action"]["verb"] == "subscribe"


async def test_a_dialog_opens_takes_what_is_typed_and_closes(page: Page, teams: TeamsStandIn, bot: TeamsBot) -> None:
    await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    await page.get_by_role("button", name="Show sources").click()
    dialog = page.get_by_role("dialog", name="Sources")
    await dialog.get_by_text("The quote in its passage").wait_for()
    await dialog.get_by_label("Note").fill("of my own")
    await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("status").get_by_text("Saved for you.").wait_for()
    assert bot.heard[-1]["value"]["data"] == {"k": "v", "note": "of my own"}
    assert not await dialog.is_visible()
    await page.get_by_role("status").get_by_role("button", name="OK").click()
    await page.locator("#told:empty").wait_for(state="attached")


async def test_texts_are_markdown_without_html_and_their_citations_open(page: Page, teams: TeamsStandIn) -> None:
    await answered(teams, text=HOSTILE)
    await opened(page, teams, "ads", "Restricted")
    text = page.locator("article.bot .text")
    assert "<img src=x onerror=alert(1)>" in await text.inner_text()
    assert await text.locator("img").count() == 0
    assert await text.locator("a[href^='javascript']").count() == 0
    assert await text.locator("code").inner_text() == "[1]"
    assert await page.get_by_text("AI generated").is_visible()
    sources = page.get_by_role("button", name="Source 1: Alcohol policy")
    assert await sources.count() == 1
    assert "[2]" in await text.inner_text()
    await sources.click()
    note = page.locator(".note")
    assert "Ads must not target minors." in await note.inner_text()
    assert await note.locator("a").get_attribute("href") == "https://policies.example/alcohol"


async def test_a_card_opens_web_pages_and_nothing_else(page: Page, teams: TeamsStandIn) -> None:
    evil = {"type": "Action.OpenUrl", "title": "Evil", "url": "javascript:document.title='taken'"}
    made = card(TITLE, actions=[evil, {"type": "Action.OpenUrl", "title": "Good", "url": "https://policies.example/a"}])
    await answered(teams, made)
    await opened(page, teams, "ads", "Restricted")
    asked: list[str] = []
    await page.expose_function("told", lambda url: asked.append(url))
    await page.evaluate("() => { window.open = (url) => window.told(url); }")
    await page.locator(".ac-pushButton", has_text="Evil").click()
    await page.locator(".ac-pushButton", has_text="Good").click()
    await page.wait_for_timeout(100)
    assert asked == ["https://policies.example/a"]
    assert await page.title() == "Teams sandbox"


async def test_what_is_typed_in_a_thread_is_sent_there(page: Page, teams: TeamsStandIn, bot: TeamsBot) -> None:
    message = await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    await page.get_by_label("Reply").fill(f"@{teams.world.bot_name} and in France?")
    await page.keyboard.press("Enter")
    await page.locator("section article").filter(has_text="and in France?").wait_for()
    assert bot.heard[-1]["conversation"]["id"].endswith(f";messageid={message.thread}")
    assert bot.heard[-1]["text"] == f"<at>{teams.world.bot_name}</at> and in France?"
    assert await page.locator("section").count() == 1


async def test_what_the_bot_does_not_hear_is_said(page: Page, teams: TeamsStandIn, bot: TeamsBot) -> None:
    await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    before = len(bot.heard)
    await page.get_by_label("Message", exact=True).fill("among ourselves")
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("status").get_by_text("The bot was not told of this").wait_for()
    assert len(bot.heard) == before


async def test_an_answer_is_rated_with_a_comment(page: Page, teams: TeamsStandIn, bot: TeamsBot) -> None:
    await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    await page.get_by_role("button", name="Dislike").click()
    await page.get_by_label("What did you think?").fill("Too long")
    await page.get_by_role("button", name="Submit feedback").click()
    await teams.until(lambda: bot.heard[-1].get("name") == "message/submitAction")
    assert bot.heard[-1]["value"]["actionValue"] == {"reaction": "dislike", "feedback": '{"feedbackText": "Too long"}'}
    await page.get_by_role("button", name="Dislike", pressed=True).wait_for()
    assert await page.get_by_role("button", name="Like", exact=True, pressed=True).count() == 0


async def test_where_nothing_was_said_the_page_says_what_to_write(page: Page, teams: TeamsStandIn) -> None:
    await page.goto(teams.base_url)
    hint = page.get_by_text(NOTHING_YET)
    await hint.wait_for()
    await teams.person(1).writes_to_bot("can I advertise alcohol?")
    await page.locator("article.person").wait_for()
    assert not await hint.is_visible()


async def test_what_was_told_is_gone_with_the_next_thing_that_is_done(page: Page, teams: TeamsStandIn) -> None:
    await answered(teams, CARD)
    await opened(page, teams, "ads", "Restricted")
    told = page.get_by_role("status").get_by_text(NOT_HEARD)
    await page.get_by_label("Message", exact=True).fill("among ourselves")
    await page.get_by_role("button", name="Send").click()
    await told.wait_for()
    teams.person(1).told.append("Saved for you.")
    await page.get_by_role("status").get_by_text("Saved for you.").wait_for()
    await page.get_by_label("Message", exact=True).fill(f"@{teams.world.bot_name} and in France?")
    await page.get_by_role("button", name="Send").click()
    await page.locator("article.person").filter(has_text="and in France?").wait_for()
    await page.locator("#told:empty").wait_for(state="attached")


async def test_what_is_found_is_inserted_and_a_message_is_checked(page: Page, teams: TeamsStandIn) -> None:
    await opened_with_question(page, teams)
    await page.get_by_role("button", name="Search policies").click()
    await page.get_by_label("Search policies").fill("alcohol")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Alcohol Ads must not").click()
    await page.locator("article.person .card").wait_for()
    await page.get_by_label("More actions").first.click()
    await page.get_by_role("button", name="Check this against the policies").click()
    await page.get_by_role("status").get_by_text("Nothing speaks against it.").wait_for()


async def opened_with_question(page: Page, teams: TeamsStandIn) -> None:
    await teams.person(1).writes_to_bot("can I advertise alcohol?")
    await opened(page, teams, teams.person(1).chat.id, "can I advertise alcohol?")


async def test_a_message_that_is_streamed_grows_and_ends_with_its_card(page: Page, teams: TeamsStandIn) -> None:
    await opened_with_question(page, teams)
    where, world = teams.person(1).chat.id, teams.world
    growing = world.messages.post(where, world.bot, shown("Reading the policies"), is_streaming=True)
    await page.locator("article.streaming").filter(has_text="Reading").wait_for()
    suggested = {"actions": [{"type": "imBack", "title": "And in France?", "value": "And in France?"}]}
    world.messages.change(growing, shown("Restricted.", CARD, suggestedActions=suggested))
    await page.locator("article .card").wait_for()
    assert await page.locator("article.streaming").count() == 0
    assert "Reading" not in await page.locator("#messages").inner_text()
    await page.get_by_role("button", name="And in France?").click()
    await page.locator("article.person").filter(has_text="And in France?").wait_for()


async def test_nothing_is_fetched_from_elsewhere_and_nothing_goes_wrong(page: Page, teams: TeamsStandIn) -> None:
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda each: asked.append(each.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    await answered(teams, CARD, text=HOSTILE)
    await opened(page, teams, "ads", "Restricted")
    assert [each for each in asked if not each.startswith(teams.base_url)] == []
    assert wrong == []


async def test_the_page_is_accessible(page: Page, teams: TeamsStandIn) -> None:
    await answered(teams, card(TITLE, TABLE), text="Restricted [1]")
    for width in (1000, 360):
        await page.set_viewport_size({"width": width, "height": 800})
        await opened(page, teams, "ads", "Restricted")
        assert await complaints(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
