"""What happens when somebody clicks, fills in, rates and searches; and what Teams takes for an answer."""

import asyncio
import json
from typing import Any

import pytest

from ops.sandbox.teams import Message, TeamsStandIn
from ops.sandbox.teams.cards import filled
from tests.fakes.teams_bot import TeamsBot, card, shown, teams_with_bot
from tests.unit.ops.sandbox.test_teams_connector import ADS, CHAT

ADAPTIVE = "application/vnd.microsoft.card.adaptive"
HERO = "application/vnd.microsoft.card.hero"
NOTE = {"type": "Input.Text", "id": "note"}
SUBMIT = {"type": "Action.Submit", "title": "Send", "data": {"adpolicy": "claim"}}
OPEN = {"type": "Action.Submit", "title": "Open", "data": {"adpolicy": "share", "msteams": {"type": "task/fetch"}}}
EXECUTE = {"type": "Action.Execute", "title": "Do", "id": "do", "verb": "choose", "data": {"choice": "1"}}
EXTRA = [
    {"type": "Action.OpenUrl", "title": "Read", "url": "https://policy.example/"},
    {"type": "Action.Submit", "title": "Say", "data": {"msteams": {"type": "imBack", "value": "and in France?"}}},
    {"type": "Action.Execute", "title": "Off", "verb": "choose", "isEnabled": False},
    {"type": "Action.Submit", "title": "Bare", "data": {"a": "b"}, "associatedInputs": "none"},
]


def _posted(teams: TeamsStandIn, where: str = ADS, **more: object) -> Message:
    said = shown("An answer", card(NOTE, actions=[SUBMIT, OPEN, EXECUTE, *EXTRA]), **more)
    return teams.world.messages.post(where, teams.world.bot, said)


def _continued(**more: object) -> dict[str, object]:
    body = card({"type": "Input.Text", "id": "why", "isRequired": True}, actions=[SUBMIT])
    value = {"title": "Dialog", "height": "medium", "card": {"contentType": ADAPTIVE, "content": body}, **more}
    return {"task": {"type": "continue", "value": value}}


def _answering(*answers: object) -> TeamsBot:
    waiting = iter(answers)

    def answer(activity: dict[str, Any]) -> tuple[int, object]:
        return (200, next(waiting)) if activity["type"] == "invoke" else (200, None)

    return TeamsBot(answer)


async def test_an_action_is_told_with_its_inputs_and_its_card_replaces_the_message() -> None:
    bot = _answering({"statusCode": 200, "type": ADAPTIVE, "value": card({"type": "TextBlock", "text": "Working"})})
    async with teams_with_bot(bot) as teams:
        message = _posted(teams)
        seen = await teams.person(2).clicks(message, "Do", {"note": "please"})
        assert (seen.status, seen.error) == (200, "")
        [told] = bot.heard
        assert (told["name"], told["replyToId"]) == ("adaptiveCard/action", message.id)
        assert told["value"]["action"] == {
            "type": "Action.Execute",
            "title": "Do",
            "id": "do",
            "verb": "choose",
            "data": {"choice": "1", "note": "please"},
        }
        assert told["conversation"]["id"] == f"{ADS};messageid={message.id}"
        assert told["from"]["id"] == "29:user-2"
        assert teams.message(message).card["body"] == [{"type": "TextBlock", "text": "Working"}]


async def test_texts_and_errors_are_told_to_who_clicked() -> None:
    said = {"statusCode": 200, "type": "application/vnd.microsoft.activity.message", "value": "Subscribed."}
    error = {"code": "OldCard", "message": "Ask again."}
    bot = _answering(said, {"statusCode": 400, "type": "application/vnd.microsoft.error", "value": error})
    async with teams_with_bot(bot) as teams:
        message = _posted(teams)
        for _ in range(2):
            await teams.person(1).clicks(message, "choose")
        assert teams.person(1).told == ["Subscribed.", "Ask again."]
        assert teams.person(2).told == []


async def test_a_dialog_opens_is_filled_in_and_closes() -> None:
    bot = _answering(_continued(), _continued(title="Again"), {"task": {"type": "message", "value": "Shared."}}, {})
    async with teams_with_bot(bot) as teams:
        person, message = teams.person(1), _posted(teams)
        await person.clicks(message, "Open")
        assert bot.heard[0]["name"] == "task/fetch"
        assert bot.heard[0]["value"]["data"] == {"adpolicy": "share", "msteams": {"type": "task/fetch"}}
        dialog = person.dialog
        assert dialog is not None
        with pytest.raises(LookupError, match="must be filled in"):
            await person.submits(dialog)
        with pytest.raises(LookupError, match="no input"):
            await person.submits(dialog, {"other": "x"})
        await person.submits(dialog, {"why": "because"})
        assert bot.heard[1]["name"] == "task/submit"
        assert bot.heard[1]["value"]["data"] == {"adpolicy": "claim", "why": "because"}
        assert bot.heard[1]["replyToId"] == message.id
        again = person.dialog
        assert again is not None
        assert again.title == "Again"
        await person.clicks(again, "Send", {"why": "x"})
        assert (person.dialog, person.told) == (None, ["Shared."])


async def test_submits_links_and_words() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        person, message = teams.person(1), _posted(teams, CHAT)
        await person.clicks(message, "Send", {"note": "hello"})
        told = bot.heard[0]
        assert (told["type"], told["value"], told["replyToId"]) == (
            "message",
            {"adpolicy": "claim", "note": "hello"},
            message.id,
        )
        assert "text" not in told
        await person.clicks(message, "Bare", {"note": "stays"})
        assert bot.heard[1]["value"] == {"a": "b"}
        said = await person.clicks(message, "Say")
        assert (bot.heard[2]["text"], said.written.text) == ("and in France?", "and in France?")
        assert (await person.clicks(message, "Read")).error == "https://policy.example/"
        for name, why in (("Off", "switched off"), ("Nothing", "no button")):
            with pytest.raises(LookupError, match=why):
                await person.clicks(message, name)
        assert len(bot.heard) == 3


async def test_suggested_actions_are_said() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        action = {"type": "imBack", "title": "and in France?", "value": "and in France?"}
        message = teams.world.messages.post(CHAT, teams.world.bot, shown("No.", suggestedActions={"actions": [action]}))
        await teams.person(1).clicks(message, "and in France?")
        assert bot.heard[0]["text"] == "and in France?"


async def test_ratings() -> None:
    bot = _answering(None, _continued(), {})
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        message = _posted(teams, CHAT, channelData={"feedbackLoop": {"type": "default"}})
        assert (await person.rates(message, "like", "good")).error == ""
        value = bot.heard[0]["value"]
        assert (bot.heard[0]["name"], value["actionName"]) == ("message/submitAction", "feedback")
        assert value["actionValue"] == {"reaction": "like", "feedback": json.dumps({"feedbackText": "good"})}
        custom = _posted(teams, CHAT, channelData={"feedbackLoop": {"type": "custom"}})
        await person.rates(custom, "dislike")
        assert bot.heard[1]["name"] == "message/fetchTask"
        dialog = person.dialog
        assert dialog is not None
        await person.submits(dialog, {"why": "wrong"})
        assert bot.heard[2]["name"] == "message/submitAction"
        assert json.loads(bot.heard[2]["value"]["actionValue"]["feedback"]) == {"adpolicy": "claim", "why": "wrong"}
        assert bot.heard[2]["value"]["actionValue"]["reaction"] == "dislike"
        with pytest.raises(LookupError, match="cannot be rated"):
            await person.rates(_posted(teams, CHAT))


async def test_what_is_folded_cannot_be_pressed() -> None:
    hidden = {
        "type": "Container",
        "id": "more",
        "isVisible": False,
        "items": [{"type": "ActionSet", "actions": [SUBMIT]}],
    }
    toggle = {"type": "Action.ToggleVisibility", "title": "More", "targetElements": ["more"]}
    inner = {"type": "Action.ShowCard", "title": "Form", "card": card(NOTE, actions=[{**SUBMIT, "title": "Inner"}])}
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        message = teams.world.messages.post(CHAT, teams.world.bot, shown("a", card(hidden, actions=[toggle, inner])))
        with pytest.raises(LookupError, match="no button 'Send'"):
            await person.clicks(message, "Send")
        assert not person.is_shown(message, "more")
        await person.clicks(message, "More")
        assert person.is_shown(message, "more")
        await person.clicks(message, "Send")
        await person.clicks(message, "More")
        assert not person.is_shown(message, "more")
        await person.clicks(message, "Inner", {"note": "hello"})
        assert [each["value"] for each in bot.heard] == [{"adpolicy": "claim"}, {"adpolicy": "claim", "note": "hello"}]


async def test_picking_a_result_may_ask_the_bot() -> None:
    tap = {"type": "invoke", "value": {"answer": "7"}}
    preview = {"contentType": HERO, "content": {"title": "Alcohol", "tap": tap}}
    bot = _answering(_results({**RESULT, "preview": preview}), _results(RESULT), _results())
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        [found] = await person.searches("alcohol")
        assert (await person.inserts(found)).card == RESULT["content"]
        assert (bot.heard[1]["name"], bot.heard[1]["value"]) == ("composeExtension/selectItem", {"answer": "7"})
        with pytest.raises(LookupError, match="nothing came"):
            await person.inserts(found)


def _results(*attachments: object) -> dict[str, object]:
    return {"composeExtension": {"type": "result", "attachmentLayout": "list", "attachments": list(attachments)}}


RESULT = {
    "contentType": ADAPTIVE,
    "content": card({"type": "TextBlock", "text": "Alcohol"}),
    "preview": {"contentType": HERO, "content": {"title": "Alcohol"}},
}


async def test_searching_and_inserting() -> None:
    bot = _answering(_results(RESULT), {"composeExtension": {"type": "message", "text": "Nothing found."}})
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        [found] = await person.searches("alcohol", "ads")
        value = bot.heard[0]["value"]
        assert (bot.heard[0]["name"], value["commandId"]) == ("composeExtension/query", "searchPolicies")
        assert value["parameters"] == [{"name": "query", "value": "alcohol"}]
        assert found.title == "Alcohol"
        message = await person.inserts(found, "ads")
        assert message.card == RESULT["content"]
        assert not message.is_by_bot
        assert await person.searches("") == []
        assert bot.heard[1]["value"]["parameters"] == [{"name": "initialRun", "value": "true"}]
        assert person.told == ["Nothing found."]


async def test_an_action_on_a_message() -> None:
    bot = _answering(_continued(), {})
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        said = (await teams.person(2).says("we sell <beer>", "ads")).written
        assert (await person.uses_action_on(said)).error == ""
        value = bot.heard[0]["value"]
        assert (bot.heard[0]["name"], value["commandId"]) == ("composeExtension/fetchTask", "checkMessage")
        payload = value["messagePayload"]
        assert payload["body"] == {"contentType": "html", "content": "<div>we sell &lt;beer&gt;</div>"}
        assert payload["from"]["user"]["displayName"] == "Person 2"
        dialog = person.dialog
        assert dialog is not None
        await person.submits(dialog, {"why": "x"})
        assert bot.heard[1]["name"] == "composeExtension/submitAction"
        assert bot.heard[1]["value"]["messagePayload"]["id"] == said.id
        assert bot.heard[1]["value"]["data"] == {"adpolicy": "claim", "why": "x"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "statusCode"),
        ({"statusCode": 200, "type": "odd", "value": ""}, "unsupported type: odd"),
        ({"statusCode": 200, "type": ADAPTIVE, "value": {}}, "AdaptiveCard"),
        ({"statusCode": 200, "type": ADAPTIVE, "value": card(version="1.6")}, "fallback"),
        ({"statusCode": 200, "type": "application/vnd.microsoft.activity.message"}, "missing required field: value"),
        ({"statusCode": 400, "type": "application/vnd.microsoft.error", "value": "no"}, "must be of type object"),
    ],
)
async def test_odd_answers_to_an_action(answer: object, said: str) -> None:
    async with teams_with_bot(_answering(answer)) as teams:
        message = _posted(teams)
        seen = await teams.person(1).clicks(message, "Do")
        assert said in seen.error
        assert said in teams.person(1).told[0]
        assert not teams.message(message).is_edited


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "missing required field: task"),
        ({"task": {"type": "odd", "value": {}}}, "unsupported type: odd"),
        ({"task": {"type": "message"}}, "missing required field: value"),
        ({"task": {"type": "continue", "value": {"title": "a"}}}, "card or url"),
        (_continued(card={"contentType": HERO, "content": {}}), "card.adaptive"),
        (_continued(card=card()), "missing required field: contentType"),
        (_continued(height="huge"), "height"),
        (_continued(title="x" * 82_000), "80 KB"),
    ],
)
async def test_odd_answers_to_a_dialog(answer: object, said: str) -> None:
    async with teams_with_bot(_answering(answer)) as teams:
        person = teams.person(1)
        assert said in (await person.clicks(_posted(teams), "Open")).error
        assert person.dialog is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "missing required field: composeExtension"),
        ({"composeExtension": {"type": "odd"}}, "unsupported type: odd"),
        ({"composeExtension": {"type": "message"}}, "missing required field: text"),
        (_results({**RESULT, "preview": None}), "preview"),
        (_results("odd"), "must be of type object"),
        (_results({"contentType": HERO}), "missing required field: content"),
    ],
)
async def test_odd_answers_to_a_search(answer: object, said: str) -> None:
    async with teams_with_bot(_answering(answer)) as teams:
        person = teams.person(1)
        assert await person.searches("alcohol") == []
        assert said in person.told[0]


async def test_feedback_is_answered_with_nothing() -> None:
    async with teams_with_bot(_answering({"ok": True})) as teams:
        message = _posted(teams, CHAT, channelData={"feedbackLoop": {"type": "default"}})
        assert "isn't empty" in (await teams.person(1).rates(message)).error


async def test_an_invoke_that_is_refused_or_late() -> None:
    async with teams_with_bot(TeamsBot(lambda _: (501, None))) as teams:
        assert (await teams.person(1).clicks(_posted(teams), "Do")).error == "status 501"
        assert teams.pending == 0


async def test_an_invoke_has_five_seconds() -> None:
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        bot.before = asyncio.Event().wait
        teams.invoke_seconds = 0.05
        seen = await teams.person(1).clicks(_posted(teams), "Do")
        assert (seen.status, seen.error) == (0, "timeout")


CHOICES = [{"title": "A", "value": "a"}, {"title": "B", "value": "b"}]
FIELDS = [
    {"type": "Input.ChoiceSet", "id": "one", "choices": CHOICES},
    {"type": "Input.ChoiceSet", "id": "many", "choices": CHOICES, "isMultiSelect": True},
    {"type": "Input.ChoiceSet", "id": "typed", "choices": [], "style": "filtered"},
    {"type": "Input.Toggle", "id": "agreed", "title": "Agreed"},
    {"type": "Input.Text", "id": "short", "maxLength": 3, "value": "abc"},
]


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ({}, {"agreed": "false", "short": "abc"}),
        ({"one": "b", "many": "a,b", "short": ""}, {"one": "b", "many": "a,b", "agreed": "false", "short": ""}),
        ({"agreed": "true", "typed": "free"}, {"agreed": "true", "typed": "free", "short": "abc"}),
    ],
)
def test_inputs_as_teams_sends_them(given: dict[str, object], held: dict[str, str]) -> None:
    assert filled(card(*FIELDS), given) == held


@pytest.mark.parametrize(("name", "value"), [("one", "c"), ("many", "a,c"), ("short", "abcd")])
def test_inputs_that_cannot_be_typed(name: str, value: str) -> None:
    with pytest.raises(LookupError, match=name):
        filled(card(*FIELDS), {name: value})


async def test_buttons_of_a_dialog() -> None:
    asks = {"type": "Action.Execute", "title": "Ask", "verb": "choose"}
    continued = _continued(card={"contentType": ADAPTIVE, "content": card(NOTE, actions=[asks])})
    bare = _continued(card={"contentType": ADAPTIVE, "content": card()})
    said = {"statusCode": 200, "type": "application/vnd.microsoft.activity.message", "value": "Asked."}
    bot = _answering(continued, said, bare)
    async with teams_with_bot(bot) as teams:
        person = teams.person(1)
        await person.clicks(_posted(teams), "Open")
        assert person.dialog is not None
        await person.submits(person.dialog, {"note": "x"}, "Ask")
        assert (bot.heard[1]["name"], person.told) == ("adaptiveCard/action", ["Asked."])
        await person.submits(person.dialog, {"note": "x"})  # a form without a button is sent by the dialog's own
        assert (bot.heard[2]["name"], bot.heard[2]["value"]["data"]) == ("task/submit", {"note": "x"})
        with pytest.raises(LookupError, match="nothing in this dialog"):
            await person.submits(person.dialog)
        person.closes()
        assert person.dialog is None


async def test_words_that_go_back_unseen() -> None:
    back = {"type": "messageBack", "text": "compare", "value": {"x": 1}}
    action = {"type": "Action.Submit", "title": "Compare", "data": {"msteams": back}}
    bot = TeamsBot()
    async with teams_with_bot(bot) as teams:
        message = teams.world.messages.post(CHAT, teams.world.bot, shown("a", card(actions=[action])))
        await teams.person(1).clicks(message, "Compare")
        assert (bot.heard[0]["text"], bot.heard[0]["value"]) == ("compare", {"x": 1})
        with pytest.raises(LookupError, match="has no card"):
            await teams.person(1).clicks(teams.world.messages.post(CHAT, teams.world.bot, shown("a")), "Any")
