"""The page, by what it sends and takes."""

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

import aiohttp
import pytest

from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.person import as_typed, typed
from ops.sandbox.slack.workspace import Workspace
from tests.fakes.slack import FakeClock, client
from tests.fakes.slack_app import ALL, Met, met

EVIL = "<img src=x onerror=alert(1)>"
SHORTCUTS = replace(ALL, shortcuts={"scope": "Scope"}, message_shortcuts={"check": "Check this"})
Form = Mapping[str, str | list[str]]


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


class Browser:
    """Somebody at the page, without a browser."""

    def __init__(self, slack: Met, session: aiohttp.ClientSession) -> None:
        self._slack = slack
        self._session = session
        self.base = slack.slack.base_url

    async def get(self, **query: str) -> str:
        async with self._session.get(f"{self.base}/", params={"user": "U1", "channel": "C1", **query}) as answer:
            assert answer.status == 200
            return await answer.text()

    async def parts(self, **query: str) -> dict[str, str]:
        async with self._session.get(f"{self.base}/parts", params={"user": "U1", "channel": "C1", **query}) as answer:
            return dict(await answer.json())

    async def post(self, path: str, form: Form, here: str = "team=T1&user=U1&channel=C1", **more: str) -> int:
        data = [("here", here)]
        for name, value in form.items():
            data += [(name, each) for each in (value if isinstance(value, list) else [value])]
        headers = {"Origin": self.base, **more}
        options = {"data": data, "headers": headers, "allow_redirects": False}
        async with self._session.post(f"{self.base}{path}", **options) as answer:  # type: ignore[arg-type]
            return answer.status


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met(SHORTCUTS) as made:
        yield made


@pytest.fixture
async def browser(slack: Met) -> AsyncIterator[Browser]:
    async with client() as session:
        yield Browser(slack, session)


def at(html: str, text: str) -> str:
    """The address of the button that says `text`."""
    found = re.search(rf'name="at" value="([^"]+)"[^>]*>(?:<svg.*?</svg> )?{re.escape(text)}<', html)
    assert found, text
    return found[1].replace("&#34;", '"')


async def test_nothing_comes_from_elsewhere_and_no_script_from_text(slack: Met, browser: Browser) -> None:
    blocks: list[dict[str, object]] = [
        {"type": "header", "text": plain(EVIL)},
        {"type": "section", "text": {"type": "mrkdwn", "text": EVIL}, "fields": [plain(EVIL)]},
        {
            "type": "context",
            "elements": [plain(EVIL), {"type": "image", "image_url": "https://e.example/x", "alt_text": EVIL}],
        },
        {"type": "markdown", "text": f"{EVIL} [x](javascript:alert(1)) ![y](https://e.example/p.png)"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": EVIL}]]},
        {"type": "actions", "elements": [{"type": "button", "action_id": EVIL, "text": plain(EVIL), "value": EVIL}]},
    ]
    await slack.api.chat_postMessage(channel="C1", text=EVIL, blocks=blocks)
    await slack.slack.person("U1").says(EVIL)
    async with client() as session, session.get(f"{browser.base}/?channel=C1&user=U1") as answer:
        html, policy = await answer.text(), answer.headers["Content-Security-Policy"]
    assert html.count("onerror") > 5
    assert "<img src=x" not in html
    assert 'href="javascript' not in html
    assert not re.findall(r'(?:src|href)="https?://(?!127)[^"]*"', html.replace("https://e.example", "x://e.example"))
    for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in policy
    assert "unsafe" not in policy


async def test_other_names_for_this_machine_are_refused(browser: Browser) -> None:
    async with client() as session:
        for path in ("/", "/parts", "/oauth/v2/authorize"):
            async with session.get(f"{browser.base}{path}", headers={"Host": "evil.example"}) as answer:
                assert answer.status == 403


async def test_each_form_is_taken_from_the_page_only(slack: Met, browser: Browser) -> None:
    for path in ("/say", "/act", "/submit", "/close", "/edit", "/delete", "/shortcut", "/open-app", "/invite"):
        assert await browser.post(path, {}, Origin="https://evil.example") == 403
    assert slack.app.heard == []


async def test_people_see_what_they_may(slack: Met, browser: Browser) -> None:
    await slack.api.chat_postEphemeral(channel="C1", user="U2", text="for U2 only")
    slack.slack.workspace.post("G1", "U2", "person", {"text": "secret"})
    for query in ({}, {"thread": "1.2"}):
        parts = await browser.parts(**query)
        assert "for U2 only" not in str(parts)
        assert "legal-only" not in parts["sidebar"]
    assert "for U2 only" in (await browser.parts(user="U2"))["messages"]
    assert "secret" in (await browser.parts(user="U2", channel="G1"))["messages"]
    async with client() as session, session.get(f"{browser.base}/?user=U1&channel=G1") as answer:
        assert answer.status == 404


async def test_typing_and_threads(slack: Met, browser: Browser) -> None:
    await browser.post("/say", {"typed": "@adpolicy hello"})
    await browser.post("/say", {"typed": "/adpolicy hello"})
    assert sorted(slack.app.called) == ["/adpolicy", "app_mention", "message"]
    [message] = slack.slack.messages
    here = f"team=T1&user=U1&channel=C1&thread={message.ts}"
    await browser.post("/say", {"typed": "a reply", "into": "thread"}, here)
    await browser.post("/say", {"typed": "in the channel"}, here)
    assert [each.thread_ts for each in slack.slack.messages] == [None, message.ts, None]
    html = await browser.get(thread=message.ts)
    assert "1 reply" in html
    assert "a reply" in (await browser.parts(thread=message.ts))["thread"]
    assert "a reply" not in (await browser.parts())["messages"]


async def test_status_and_stream_are_shown(slack: Met, browser: Browser) -> None:
    parent = await slack.slack.person("U1").mentions("hello")
    await slack.api.assistant_threads_setStatus(channel_id="C1", thread_ts=parent.ts, status="is reading ...")
    parts = await browser.parts(thread=parent.ts)
    assert "adpolicy is reading ..." in parts["messages"]
    assert "adpolicy is reading ..." in parts["thread"]
    await slack.api.chat_startStream(
        channel="C1", thread_ts=parent.ts, markdown_text="**One.**", recipient_team_id="T1", recipient_user_id="U1"
    )
    parts = await browser.parts(thread=parent.ts)
    assert "<strong>One.</strong>" in parts["thread"]
    assert "streaming" in parts["thread"]
    assert "is reading" not in str(parts)


async def test_editing_and_deleting(slack: Met, browser: Browser) -> None:
    message = await slack.slack.person("U1").mentions("what about <b> & https://e.example")
    theirs = await slack.slack.person("U2").says("theirs")
    html = (await browser.parts())["messages"]
    assert 'value="@adpolicy what about &lt;b&gt; &amp; https://e.example"' in html
    assert html.count('action="/edit"') == 1
    await browser.post("/edit", {"target": f"m:C1:{message.ts}", "text": "@adpolicy new"})
    assert slack.slack.messages[0].text == f"<@{BOT}> new"
    assert "(edited)" in (await browser.parts())["messages"]
    assert await browser.post("/edit", {"target": f"m:C1:{theirs.ts}", "text": "x"}) == 404
    assert await browser.post("/delete", {"target": f"m:C1:{theirs.ts}"}) == 404
    assert await browser.post("/delete", {"target": f"m:C1:{message.ts}"}) == 303
    assert [each.text for each in slack.slack.messages] == ["theirs"]


def test_what_is_typed_and_typed_again() -> None:
    workspace = Workspace(FakeClock())
    text = "@channel @admin: a < b & c, see https://e.example/?a=1&b=2"
    assert as_typed(workspace, typed(workspace, text)) == text


async def test_clicking(slack: Met, browser: Browser) -> None:
    half = {"text": plain("Useful"), "value": "yes"}
    menu = {"type": "static_select", "action_id": "place", "options": [{"text": plain("France"), "value": "fr"}]}
    feedback = {"type": "feedback_buttons", "action_id": "fb", "positive_button": half, "negative_button": half}
    button = {
        "type": "button", "action_id": "share", "text": plain("Share"), "accessibility_label": "Share with all",
        "confirm": {"title": plain("Sure?"), "text": plain("All see it"), "confirm": plain("Yes"), "deny": plain("No")},
    }  # fmt: skip
    link = {"type": "button", "action_id": "open", "text": plain("Open"), "url": "https://e.example/"}
    bad = {"type": "button", "action_id": "bad", "text": plain("Bad"), "url": "javascript:alert(1)"}
    blocks: list[dict[str, object]] = [
        {"type": "actions", "block_id": "a", "elements": [button, menu, link, bad]},
        {"type": "context_actions", "block_id": "f", "elements": [feedback]},
    ]
    await slack.api.chat_postMessage(channel="C1", text="x", blocks=blocks)
    html = (await browser.parts())["messages"]
    assert 'data-confirm="Sure?\n\nAll see it"' in html
    assert 'aria-label="Share with all"' in html
    assert 'href="https://e.example/"' in html
    assert "javascript" not in html.replace('"javascript', "")
    assert await browser.post("/act", {"at": at(html, "Share")}) == 303
    await browser.post("/act", {"at": at(html, "Useful")})
    picked = re.search(r'name="at" value="([^"]+)"><select', html)
    assert picked
    await browser.post("/act", {"at": picked[1].replace("&#34;", '"'), "value": "fr"})
    told = [each.payload["actions"] for each in slack.app.heard if each.called == "block_actions"]
    assert [each[0]["action_id"] for each in told] == ["share", "fb", "place"]  # type: ignore[index]
    assert told[2][0]["selected_option"]["value"] == "fr"  # type: ignore[index]
    slack.app.answers["block_actions"] = 500
    await browser.post("/act", {"at": at(html, "Share")})
    assert "dispatch_failed" in (await browser.parts())["modal"]
    assert await browser.post("/act", {"at": '["m:C1:9.9", "a", "share", ""]'}) == 404


async def test_forms_are_filled_in_and_sent(slack: Met, browser: Browser) -> None:
    await browser.post("/shortcut", {"callback_id": "scope"})
    trigger = str(slack.app.last("shortcut").payload["trigger_id"])
    boxes = {"type": "checkboxes", "action_id": "c", "options": [{"text": plain("Meta"), "value": "m"}]}
    inputs = [
        {
            "type": "input",
            "block_id": "q",
            "label": plain("Question"),
            "element": {"type": "plain_text_input", "action_id": "t"},
        },
        {"type": "input", "block_id": "b", "label": plain("Platforms"), "optional": True, "element": boxes},
        {
            "type": "actions",
            "block_id": "x",
            "elements": [{"type": "button", "action_id": "more", "text": plain("More")}],
        },
    ]
    view = {"type": "modal", "title": plain("Scope"), "submit": plain("Ask"), "blocks": inputs, "notify_on_close": True}
    await slack.api.views_open(trigger_id=trigger, view=view)
    html = (await browser.parts())["modal"]
    assert 'role="alert"' not in html
    assert (await browser.parts(user="U2"))["modal"] == ""
    target = re.search(r'name="target" value="(v:[^"]+)"', html)
    assert target
    form = {"target": target[1], "f:q/t": "", "f:b/c": ["m"]}
    await browser.post("/submit", form)
    html = (await browser.parts())["modal"]
    assert "Please complete this required field." in html
    assert " checked" in html
    await browser.post("/act", {"at": at(html, "More"), "f:q/t": "kept"})
    assert 'value="kept"' in (await browser.parts())["modal"]
    slack.app.answers["view_submission"] = 500
    await browser.post("/submit", {"target": target[1], "f:q/t": "alcohol"})
    assert "We had some trouble connecting" in (await browser.parts())["modal"]
    slack.app.answers.clear()
    await browser.post("/submit", {"target": target[1], "f:q/t": "alcohol"})
    sent = slack.app.last("view_submission").payload["view"]
    assert sent["state"]["values"]["q"]["t"]["value"] == "alcohol"  # type: ignore[index]
    assert sent["state"]["values"]["b"]["c"]["selected_options"] == []  # type: ignore[index]
    assert (await browser.parts())["modal"] == ""
    await browser.post("/shortcut", {"callback_id": "scope"})
    trigger = str(slack.app.last("shortcut").payload["trigger_id"])
    answer = await slack.api.views_open(trigger_id=trigger, view=view)
    await browser.post("/close", {"target": f"v:{answer['view']['id']}"})
    assert slack.app.called[-1] == "view_closed"


async def test_the_message_shortcut_the_home_and_the_invitation(slack: Met, browser: Browser) -> None:
    copy = await slack.slack.person("U2").says("Buy beer now")
    assert "Check this" in (await browser.parts())["messages"]
    await browser.post("/shortcut", {"callback_id": "check", "target": f"m:C1:{copy.ts}"})
    assert slack.app.last("message_action").payload["message"]["text"] == "Buy beer now"  # type: ignore[index]
    assert "not put anything here" in (await browser.parts(home="1"))["messages"]
    await browser.post("/open-app", {"tab": "home"})
    assert slack.app.last("app_home_opened").event["tab"] == "home"
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Welcome*"}}]
    await slack.api.views_publish(user_id="U1", view={"type": "home", "blocks": blocks})
    assert "<strong>Welcome</strong>" in (await browser.parts(home="1"))["messages"]
    assert 'action="/invite"' in (await browser.parts(channel="C2"))["messages"]
    await browser.post("/invite", {}, "team=T1&user=U1&channel=C2")
    assert BOT in slack.slack.workspace.channels["C2"].members
    assert 'action="/invite"' not in (await browser.parts(channel="C2"))["messages"]


async def test_installing_on_the_page() -> None:
    back = "http://127.0.0.1:3000/slack/oauth_redirect"
    async with met(replace(ALL, redirect_urls=(back,))) as slack, client() as session:
        base = slack.slack.base_url
        asked = f"/oauth/v2/authorize?client_id=1.1&scope=chat:write&state=s%26t&redirect_uri={back}"
        async with session.get(f"{base}{asked}") as answer:
            assert "chat:write" in await answer.text()
            assert "form-action 'self' http://127.0.0.1:3000" in answer.headers["Content-Security-Policy"]
        form = {"asked": asked, "where": "T1", "user": "U3", "decision": "allow"}
        options = {"data": form, "allow_redirects": False}
        for origin, status in ((base, 303), ("https://evil.example", 403)):
            headers = {"Origin": origin}
            async with session.post(f"{base}/oauth/v2/authorize", headers=headers, **options) as answer:  # type: ignore[arg-type]
                assert answer.status == status
                if status == 303:
                    assert answer.headers["Location"].startswith(f"{back}?code=")
                    assert answer.headers["Location"].endswith("&state=s%26t")
        headers = {"Origin": base}
        for wrong in ({"asked": asked.replace("1.1", "9")}, {"where": "T99"}):
            async with session.post(f"{base}/oauth/v2/authorize", headers=headers, data={**form, **wrong}) as answer:
                assert answer.status == 400
        async with session.get(f"{base}/oauth/v2/authorize?client_id=9") as answer:
            assert (answer.status, "invalid_client_id" in await answer.text()) == (400, True)


async def test_whom_a_message_calls_and_what_it_unfurls(slack: Met) -> None:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "<!here> <@U2|two> <https://e.example|x>"}}
    for links, media in ((None, None), (False, None), (False, False)):
        await slack.api.chat_postMessage(
            channel="C1",
            text="<!subteam^S1> &lt;!channel&gt;",
            blocks=[section],
            unfurl_links=links,
            unfurl_media=media,
        )
    assert [each.unfurls for each in slack.slack.messages] == [True, True, False]
    assert slack.slack.messages[0].notifies == {"here", "U2", "S1"}
