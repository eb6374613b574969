"""Clicks in messages, shortcuts, commands, and what comes back by `response_url`."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

import aiohttp
import pytest

from ops.sandbox.slack.deliveries import Acknowledgement
from ops.sandbox.slack.workspace import Message
from ops.sandbox.troubles import cut, refused, slow
from tests.fakes.slack import client
from tests.fakes.slack_app import ALL, Met, met

Block = dict[str, object]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


BUTTON: Block = {"type": "button", "action_id": "share", "text": plain("Share"), "value": "a-1"}
MENU: Block = {
    "type": "static_select",
    "action_id": "place",
    "options": [{"text": plain("Germany"), "value": "de"}, {"text": plain("France"), "value": "fr"}],
}
FEEDBACK: Block = {
    "type": "feedback_buttons",
    "action_id": "useful",
    "positive_button": {"text": plain("Useful"), "value": "yes"},
    "negative_button": {"text": plain("Not useful"), "value": "no"},
}
BLOCKS: list[Block] = [
    {"type": "actions", "block_id": "a", "elements": [BUTTON, MENU]},
    {"type": "context_actions", "block_id": "f", "elements": [FEEDBACK]},
]


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met(replace(ALL, shortcuts={"scope": "Scope"}, message_shortcuts={"check": "Check"})) as made:
        yield made


async def posted(slack: Met, **more: object) -> Message:
    body = {"channel": "C1", "text": "hi", "blocks": BLOCKS, **more}
    answer = await slack.api.api_call("chat.postMessage", json=body)
    found = slack.slack.workspace.find("C1", answer["ts"])
    assert found is not None
    return found


def action(seen: Acknowledgement) -> Mapping[str, object]:
    found = seen.delivery.payload["actions"]
    assert isinstance(found, list)
    return dict(found[0])


async def respond(seen: Acknowledgement, **message: object) -> tuple[int, str]:
    async with client() as session, session.post(str(seen.delivery.payload["response_url"]), json=message) as answer:
        return answer.status, await answer.text()


async def test_a_click_tells_what_where_and_by_whom(slack: Met) -> None:
    message = await posted(slack)
    seen = await slack.slack.person("U2").clicks(message, "Share")
    told = slack.app.last("block_actions").payload
    assert told["container"] == {
        "type": "message", "message_ts": message.ts, "channel_id": "C1", "is_ephemeral": False
    }  # fmt: skip
    assert told["user"] == {"id": "U2", "username": "legal-counsel", "name": "legal-counsel", "team_id": "T1"}
    assert told["channel"] == {"id": "C1", "name": "ads-policy"}
    found = action(seen)
    assert (found["type"], found["action_id"], found["block_id"], found["value"]) == ("button", "share", "a", "a-1")
    trigger = str(told["trigger_id"])
    await slack.api.views_open(trigger_id=trigger, view={"type": "modal", "title": plain("x"), "blocks": []})


async def test_feedback_and_menus(slack: Met) -> None:
    message, person = await posted(slack), slack.slack.person("U1")
    for name, value in (("Useful", "yes"), ("negative", "no")):
        found = action(await person.clicks(message, name))
        assert (found["type"], found["action_id"], found["value"]) == ("feedback_buttons", "useful", value)
    seen = await person.chooses(message, "place", "fr")
    assert action(seen)["selected_option"] == {"text": plain("France"), "value": "fr"}
    state = seen.delivery.payload["state"]
    assert isinstance(state, dict)
    assert state["values"]["a"]["place"]["selected_option"]["value"] == "fr"
    for wrong in ("Nothing", "place"):
        with pytest.raises(LookupError):
            await person.clicks(message, wrong) if wrong == "Nothing" else await person.chooses(message, wrong, "mars")


async def test_what_somebody_does_not_see_they_cannot_click(slack: Met) -> None:
    answer = await slack.api.chat_postEphemeral(channel="C1", user="U1", text="x", blocks=BLOCKS)
    [message] = slack.slack.person("U1").ephemeral()
    assert message.ts == answer["message_ts"]
    with pytest.raises(LookupError):
        await slack.slack.person("U2").clicks(message, "Share")
    await slack.slack.person("U1").clicks(message, "Share")
    told = slack.app.last("block_actions").payload
    assert "message" not in told
    assert told["container"]["is_ephemeral"] is True  # type: ignore[index]


async def test_a_response_url_may_replace_or_delete_what_was_clicked(slack: Met) -> None:
    await slack.api.chat_postEphemeral(channel="C1", user="U1", text="private", blocks=BLOCKS)
    person = slack.slack.person("U1")
    seen = await person.clicks(person.ephemeral()[0], "Share")
    assert await respond(seen, text="shared", replace_original=True) == (200, "ok")
    [left] = person.ephemeral()
    assert (left.text, left.blocks) == ("shared", [])
    await slack.heard()
    assert "message/message_changed" not in slack.app.called
    assert await respond(seen, text="for all", response_type="in_channel", replace_original=False) == (200, "ok")
    assert [each.text for each in slack.slack.messages_in("C1")] == ["for all"]
    assert await respond(seen, delete_original=True) == (200, "ok")
    assert person.ephemeral() == []
    for _ in range(2):
        await respond(seen, text="more")
    assert (await respond(seen, text="one too many"))[0] == 404


async def test_a_click_that_fails_is_told_and_not_repeated(slack: Met) -> None:
    message = await posted(slack)
    slack.app.answers["block_actions"] = 500
    assert (await slack.slack.person("U1").clicks(message, "Share")).error == "dispatch_failed"
    await slack.heard()
    assert slack.app.called.count("block_actions") == 1


async def test_without_interactivity_nothing_is_sent() -> None:
    async with met(replace(ALL, is_interactive=False)) as slack:
        seen = await slack.slack.person("U1").clicks(await posted(slack), "Share")
        assert (seen.error, slack.app.called.count("block_actions")) == ("interactivity_disabled", 0)


async def test_shortcuts(slack: Met) -> None:
    person = slack.slack.person("U1")
    await person.uses_shortcut("scope")
    assert slack.app.last("shortcut").payload["callback_id"] == "scope"
    copy = await slack.slack.person("U2").says("Buy beer now")
    await person.uses_message_shortcut("check", copy)
    told = slack.app.last("message_action").payload
    assert told["callback_id"] == "check"
    assert told["message"]["text"] == "Buy beer now"  # type: ignore[index]
    assert str(told["response_url"]).startswith(slack.slack.base_url)
    for unknown in (person.uses_shortcut("x"), person.uses_message_shortcut("x", copy)):
        with pytest.raises(LookupError):
            await unknown


async def test_commands_are_typed_in_channels_only(slack: Met) -> None:
    person = slack.slack.person("U1")
    await person.types("/adpolicy a & b")
    told = slack.app.last("/adpolicy").payload
    assert (told["text"], told["channel_name"], told["api_app_id"]) == ("a &amp; b", "ads-policy", "A1")
    await person.commands("/adpolicy", "x", person.direct.channel_id)
    assert slack.app.last("/adpolicy").payload["channel_name"] == "directmessage"
    slack.app.forget()
    parent = await person.says("a thread")
    slack.app.forget()
    await person.types("/adpolicy here", thread_ts=parent.ts)
    await person.types("/other thing")
    assert slack.app.heard == []
    assert [each.text.split(" ")[0] for each in person.ephemeral()] == ["/adpolicy", "/other"]
    assert "not supported in threads" in person.ephemeral()[0].text


async def test_an_acknowledgement_may_be_for_everybody(slack: Met) -> None:
    slack.app.answers["/adpolicy"] = {"text": "hello", "response_type": "in_channel"}
    await slack.slack.person("U1").types("/adpolicy x")
    assert [each.text for each in slack.slack.messages_in("C1")] == ["hello"]
    slack.app.answers["/adpolicy"] = {"text": "x", "blocks": [{"type": "unheard-of"}]}
    await slack.slack.person("U1").types("/adpolicy x")
    assert "dispatch_failed" in slack.slack.person("U1").ephemeral()[-1].text


async def test_raw_bytes_and_the_check_of_the_address(slack: Met) -> None:
    slack.app.answers["url_verification"] = {"challenge": "sandbox-challenge"}
    assert await slack.slack.verify_url() is True
    slack.app.answers["url_verification"] = "other"
    assert await slack.slack.verify_url() is False
    headers = {"Content-Type": "application/json"}
    assert await slack.slack.post_raw(b'{"type": "odd"}', headers, signed=False) == 200
    assert slack.app.heard[-1].called == "odd"


async def test_a_connection_is_cut_before_or_after(slack: Met) -> None:
    for trouble, count in ((cut(), 0), (cut(after_doing=True), 1)):
        slack.slack.trouble("chat.postMessage", trouble)
        body = {"channel": "C1", "text": "x"}
        headers = {"Authorization": "Bearer xoxb-sandbox"}
        async with client() as session:
            with pytest.raises(aiohttp.ClientError):
                await session.post(f"{slack.slack.api_url}chat.postMessage", json=body, headers=headers)
        assert len(slack.slack.messages) == count
    slack.slack.trouble("chat.postMessage", refused("fatal_error"))
    with pytest.raises(Exception, match="fatal_error"):
        await slack.api.chat_postMessage(channel="C1", text="x")
    seen = await slack.slack.person("U1").commands("/adpolicy", "x")
    slack.slack.trouble("response_url", slow(0.01))
    assert await respond(seen, text="late", response_type="in_channel") == (200, "ok")
    slack.slack.workspace.delete(slack.slack.messages[-1])
    slack.slack.trouble("chat.postMessage", slow(0.01))
    await slack.api.chat_postMessage(channel="C1", text="late")
    assert [each.text for each in slack.slack.messages] == ["x", "late"]
