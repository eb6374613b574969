"""Modals and home tabs: how they are opened, filled in, answered and closed."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from tests.fakes.slack_app import ALL, Met, code_of, met

View = dict[str, Any]


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def field(name: str, **more: object) -> View:
    element = {"type": "plain_text_input", "action_id": "text", **more}
    return {"type": "input", "block_id": name, "label": plain(name), "element": element}


def modal(*blocks: View, **more: object) -> View:
    return {"type": "modal", "title": plain("A title"), "submit": plain("Go"), "blocks": list(blocks), **more}


def home(*blocks: View) -> View:
    return {"type": "home", "blocks": list(blocks)}


BUTTON = {"type": "actions", "elements": [{"type": "button", "action_id": "go", "text": plain("Go"), "value": "1"}]}


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met(replace(ALL, shortcuts={"scope": "Scope"}, message_shortcuts={"check": "Check"})) as made:
        yield made


async def refused(slack: Met, method: str, **arguments: object) -> str:
    with pytest.raises(SlackApiError) as found:
        await slack.api.api_call(method, json=arguments)
    return code_of(found.value)


async def trigger(slack: Met) -> str:
    """Of somebody using the shortcut."""
    return (await slack.slack.person("U1").uses_shortcut("scope")).delivery.trigger_id


async def opened(slack: Met, view: View) -> View:
    answer = await slack.api.views_open(trigger_id=await trigger(slack), view=view)
    return dict(answer["view"])


async def test_a_trigger_is_good_once_and_for_three_seconds(slack: Met) -> None:
    one, two = await trigger(slack), await trigger(slack)
    await slack.api.views_open(trigger_id=one, view=modal())
    assert await refused(slack, "views.open", trigger_id=one, view=modal()) == "exchanged_trigger_id"
    slack.clock.move(seconds=3.1)
    assert await refused(slack, "views.open", trigger_id=two, view=modal()) == "expired_trigger_id"
    assert await refused(slack, "views.open", trigger_id="1.2.3", view=modal()) == "invalid_trigger_id"


@pytest.mark.parametrize(
    ("view", "code"),
    [
        (modal(title=plain("x" * 25)), "invalid_arguments"),
        (modal(close=plain("x" * 25)), "invalid_arguments"),
        (modal(private_metadata="x" * 3001), "invalid_arguments"),
        (modal(callback_id="x" * 256), "invalid_arguments"),
        (modal(*[{"type": "divider"}] * 101), "invalid_arguments"),
        (modal({"type": "markdown", "text": "not in modals"}), "invalid_arguments"),
        ({"type": "modal", "title": plain("x"), "blocks": [field("a")]}, "invalid_arguments"),
        (modal(colour="red"), "invalid_arguments"),
        (modal(field("a", focus_on_load=True), field("b", focus_on_load=True)), "invalid_arguments"),
        (home(), "invalid_arguments"),
        ({"type": "modal", "title": plain("x")}, "invalid_arguments"),
        (modal(*[{"type": "section", "text": plain("x" * 3000)}] * 100), "view_too_large"),
    ],
)
async def test_what_is_no_modal(slack: Met, view: View, code: str) -> None:
    trigger_id = await trigger(slack)
    assert await refused(slack, "views.open", trigger_id=trigger_id, view=view) == code
    await slack.api.views_open(trigger_id=trigger_id, view=modal())


async def test_the_largest_modal_is_taken(slack: Met) -> None:
    await opened(slack, modal(*[{"type": "divider"}] * 100, title=plain("x" * 24), private_metadata="x" * 3000))


async def test_an_update_keeps_what_was_typed(slack: Met) -> None:
    person = slack.slack.person("U1")
    view = await opened(slack, modal(field("a"), field("b")))
    assert person.modal is not None
    person.fills(person.modal, {"a": "typed"})
    answer = await slack.api.views_update(view_id=view["id"], view=modal(field("a"), field("c")))
    values = answer["view"]["state"]["values"]
    assert values["a"]["text"]["value"] == "typed"
    assert set(values) == {"a", "c"}
    assert answer["view"]["hash"] != view["hash"]
    assert await refused(slack, "views.update", view_id="V99", view=modal()) == "not_found"
    await person.closes(person.modal)
    assert await refused(slack, "views.update", view_id=view["id"], view=modal()) == "not_found"


async def test_a_view_is_named_and_a_trigger_is_of_its_workspace(slack: Met) -> None:
    slack.slack.add_workspace("T2", token="xoxb-two")
    assert await refused(slack, "views.update", view=modal()) == "invalid_arguments"
    elsewhere = (await slack.slack.person("U1", "T2").uses_shortcut("scope")).delivery.trigger_id
    assert await refused(slack, "views.open", trigger_id=elsewhere, view=modal()) == "invalid_trigger_id"
    view = await opened(slack, modal())
    with pytest.raises(SlackApiError, match="not_found"):
        await slack.client_of("xoxb-two").views_update(view_id=view["id"], view=modal())


async def test_a_form_is_sent_with_what_is_filled_in(slack: Met) -> None:
    person = slack.slack.person("U1")
    option = {"text": plain("United Kingdom"), "value": "uk"}
    menu = {"type": "input", "block_id": "place", "label": plain("Place"), "optional": True}
    menu["element"] = {"type": "static_select", "action_id": "pick", "options": [option]}
    await opened(
        slack, modal(field("why", min_length=2, max_length=5), menu, callback_id="form", private_metadata="secret")
    )
    assert person.modal is not None
    slack.app.forget()
    assert (await person.submits(person.modal)).errors == {"why": "Please complete this required field."}
    assert "5" in (await person.submits(person.modal, {"why": "too long"})).errors["why"]
    assert "2" in (await person.submits(person.modal, {"why": "x"})).errors["why"]
    assert slack.app.heard == []
    submitted = await person.submits(person.modal, {"why": "fine", "place": "uk"})
    assert not submitted.errors
    assert submitted.problem == ""
    assert slack.slack.person("U1").modal is None
    view = slack.app.last("view_submission").payload["view"]
    assert isinstance(view, dict)
    assert (view["callback_id"], view["private_metadata"]) == ("form", "secret")
    assert view["state"]["values"] == {
        "why": {"text": {"type": "plain_text_input", "value": "fine"}},
        "place": {"pick": {"type": "static_select", "selected_option": option}},
    }
    with pytest.raises(LookupError):
        person.fills(await _again(slack, menu), {"place": "mars"})


async def _again(slack: Met, menu: View) -> Any:
    await opened(slack, modal(menu))
    return slack.slack.person("U1").modal


async def test_what_is_chosen_in_a_modal_is_told_and_stays(slack: Met) -> None:
    person = slack.slack.person("U1")
    option = {"text": plain("Germany"), "value": "de"}
    menu = {"type": "static_select", "action_id": "place", "options": [option]}
    await opened(slack, modal({"type": "actions", "block_id": "a", "elements": [menu]}))
    assert person.modal is not None
    seen = await person.chooses(person.modal, "place", "de")
    state = {"values": {"a": {"place": {"type": "static_select", "selected_option": option}}}}
    assert seen.delivery.payload["state"] == state
    assert person.modal.values == state["values"]


async def test_a_form_may_be_answered_with_errors_an_update_or_the_end(slack: Met) -> None:
    person = slack.slack.person("U1")
    await opened(slack, modal(field("a")))

    async def submit(answer: object) -> tuple[dict[str, str], bool]:
        slack.app.answers["view_submission"] = answer
        assert person.modal is not None
        submitted = await person.submits(person.modal, {"a": "x"})
        return dict(submitted.errors), bool(submitted.problem)

    assert await submit({"response_action": "errors", "errors": {"a": "no"}}) == ({"a": "no"}, False)
    for wrong in (
        {"response_action": "errors", "errors": {"b": "no such block"}},
        {"response_action": "errors"},
        {"response_action": "update", "view": home()},
        {"response_action": "dance"},
        "not JSON",
        500,
    ):
        assert await submit(wrong) == ({}, True)
    updated = modal(field("a"), title=plain("Updated"))
    assert await submit({"response_action": "update", "view": updated}) == ({}, False)
    assert person.modal is not None
    assert person.modal.title == "Updated"
    assert await submit({"response_action": "clear"}) == ({}, False)
    assert person.modal is None


async def test_closing_is_told_if_asked_for(slack: Met) -> None:
    person = slack.slack.person("U1")
    await opened(slack, modal(BUTTON, notify_on_close=True))
    assert person.modal is not None
    await person.closes(person.modal)
    assert slack.app.last("view_closed").payload["is_cleared"] is False
    slack.app.forget()
    await opened(slack, modal())
    assert person.modal is not None
    await person.closes(person.modal)
    assert slack.app.called == ["shortcut"]


async def test_a_channel_may_be_asked_for_with_an_address(slack: Met) -> None:
    person = slack.slack.person("U1")
    element = {"type": "conversations_select", "action_id": "where", "response_url_enabled": True}
    await opened(slack, modal({"type": "input", "block_id": "b", "label": plain("x"), "element": element}))
    assert person.modal is not None
    await person.submits(person.modal, {"where": "C1"})
    urls = slack.app.last("view_submission").payload["response_urls"]
    assert isinstance(urls, list)
    [asked] = urls
    assert (asked["channel_id"], asked["response_url"].startswith(slack.slack.base_url)) == ("C1", True)


async def test_the_home_tab(slack: Met) -> None:
    person = slack.slack.person("U1")
    assert await person.opens_home() is None
    event = slack.app.last("app_home_opened").event
    assert (event["tab"], event["channel"], "view" in event) == ("home", person.direct.channel_id, False)
    await slack.api.views_publish(user_id="U1", view=home(BUTTON))
    shown = await person.opens_home()
    assert shown is not None
    assert slack.app.last("app_home_opened").event["view"]["hash"] == shown.hash  # type: ignore[index]
    await person.clicks(shown, "Go")
    assert slack.app.last("block_actions").payload["container"] == {"type": "view", "view_id": shown.view_id}
    again = await slack.api.views_publish(user_id="U1", view=home())
    assert again["view"]["id"] == shown.view_id
    assert await refused(slack, "views.publish", user_id="U99", view=home()) == "invalid_arguments"
    assert await refused(slack, "views.publish", user_id="U1", view=modal()) == "invalid_arguments"
    await person.opens_home("messages")
    assert slack.app.last("app_home_opened").event["tab"] == "messages"
    assert slack.slack.person("U2").home is None
    async with met(replace(ALL, has_home=False)) as other:
        assert await refused(other, "views.publish", user_id="U1", view=home()) == "not_enabled"


async def test_a_view_that_is_not_ones_own_is_not_there(slack: Met) -> None:
    await opened(slack, modal(field("a")))
    mine = slack.slack.person("U1").modal
    assert mine is not None
    with pytest.raises(LookupError):
        slack.slack.person("U2").fills(mine, {"a": "x"})
    with pytest.raises(LookupError, match="no field 'b'"):
        slack.slack.person("U1").fills(mine, {"b": "x"})
    with pytest.raises(LookupError, match="no such element"):
        await slack.slack.person("U1").acts_at(mine, "a", "other")
