"""Which message of Graph's is an answer of ours, and that nothing else is ever taken for it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import pytest

from adapters.teams.addresses import TeamsAddress
from adapters.teams.delivery.sent import SentBefore, is_marked, marked
from adapters.teams.graph import changed_since
from bot.render.teams.elements import attachment, card, container, text_block
from bot.wording.teams import answer_reference
from tests.fakes.graph import GraphDesk, graph_desk
from tests.fakes.slack import NOW
from tests.fakes.teams import APP_ID, CHANNEL, GROUP_CHAT, activity

ANSWER, OTHER = "0f6c2a4e-1111-4222-8333-444455556666", "0f6c2a4e-1111-4222-8333-444455556667"
ROOT = "1700000000001"
SENT = {"type": "message", "attachments": [attachment(card([text_block("yes"), text_block("no")]))]}


@pytest.fixture
async def desk() -> AsyncIterator[GraphDesk]:
    async with graph_desk() as made:
        made.graph.page = 100
        yield made


def asked_in(where: str) -> TeamsAddress:
    address = activity(where=where, id_=ROOT).address
    return replace(address, conversation_id=f"{where};messageid={ROOT}") if where == CHANNEL else address


def message(id_: str = "1", answer_id: str = ANSWER, **facts: Any) -> dict[str, Any]:
    """As Graph has one of ours."""
    sent: Any = marked(SENT, answer_id)
    content = sent["attachments"][0] | {"content": json.dumps(sent["attachments"][0]["content"], indent=2)}
    app = {"id": APP_ID.upper(), "displayName": "x", "applicationIdentityType": "bot"}
    usual = {"id": id_, "from": {"application": app, "user": None}, "body": None, "attachments": [content]}
    times = {"createdDateTime": NOW.isoformat(), "lastModifiedDateTime": NOW.isoformat(), "deletedDateTime": None}
    return {**usual, **times, **facts}


def sent_by(sender: object) -> dict[str, Any]:
    return message() | {"from": sender}


def in_words(text: str) -> dict[str, Any]:
    return message(attachments=[], body={"contentType": "html", "content": text})


def attached(content: object, kind: str = "application/vnd.microsoft.card.adaptive") -> dict[str, Any]:
    return message(attachments=[{"contentType": kind, "content": content}])


async def found(desk: GraphDesk, where: str, *messages: dict[str, Any], seconds: float = 5.0) -> str:
    listed = desk.graph.said if where == GROUP_CHAT else desk.graph.below
    listed[where if where == GROUP_CHAT else ROOT] = list(messages)
    looking = SentBefore(desk.directory._graph, APP_ID, seconds=seconds)
    return await looking.find(asked_in(where), ANSWER, NOW)


@pytest.mark.parametrize("where", [CHANNEL, GROUP_CHAT])
async def test_ours_is_found_among_others(desk: GraphDesk, where: str) -> None:
    others = [message(str(number), OTHER) for number in range(50)]
    assert await found(desk, where, *others, message("77"), *others) == "77"
    assert await found(desk, where, *others) == ""


NOT_IT: dict[str, dict[str, Any]] = {
    "another app's": sent_by({"application": {"id": "99999999-9999-9999-9999-999999999999"}}),
    "a person's": sent_by({"user": {"id": APP_ID}, "application": None}),
    "nobody's": sent_by(None),
    "an odd sender's": sent_by({"application": APP_ID}),
    "another answer": message(answer_id=OTHER),
    "deleted": message(deletedDateTime="2026-03-02T09:10:00Z"),
    "without an id": message(id_=""),
    "with an odd id": message() | {"id": 7},
    "without attachments": message(attachments=None),
    "with odd attachments": message(attachments=["x", None, {}]),
    "of another kind": attached(message()["attachments"][0]["content"], "application/vnd.microsoft.card.hero"),
    "broken": attached('{"body": [{"id": "answer-' + ANSWER),
    "deep": attached("[" * 100_000),
    "a list": attached(f'["answer-{ANSWER}"]'),
    "the mark as a text": attached(json.dumps({"body": [{"type": "TextBlock", "text": f"answer-{ANSWER}"}]})),
    "the mark further in": attached(json.dumps({"body": [container([{**text_block("x"), "id": f"answer-{ANSWER}"}])]})),
    "the id of a button": attached(json.dumps({"body": [], "actions": [{"data": {"answer": ANSWER}}]})),
    "no words": in_words("") | {"body": {"content": None}},
    "it is to come": in_words(f"<p>It is kept. Reference: {ANSWER}</p>"),
    "another's words": in_words(f"<p>{answer_reference(OTHER)}</p>"),
    "quoted words": in_words(f"<p>{answer_reference(ANSWER)}</p><p>{answer_reference(OTHER)}</p>"),
    "more than the id": in_words(f"<p>{answer_reference(ANSWER)}0</p>"),
}


@pytest.mark.parametrize("which", NOT_IT)
@pytest.mark.parametrize("where", [CHANNEL, GROUP_CHAT])
async def test_nothing_else_is_taken_for_it(desk: GraphDesk, where: str, which: str) -> None:
    assert await found(desk, where, NOT_IT[which]) == ""
    assert await found(desk, where, NOT_IT[which], message("77")) == "77"


@pytest.mark.parametrize(
    "words",
    [
        f"<p>the answer</p>\n<p>{answer_reference(ANSWER)}</p>",
        f"<div><div>the answer<br>{answer_reference(ANSWER)}</div>\n</div> ",
        f"the answer&nbsp;{answer_reference(ANSWER).replace(' ', '&#160;')}",
    ],
)
async def test_words_alone_are_read_through_their_mark_up(desk: GraphDesk, words: str) -> None:
    assert await found(desk, CHANNEL, in_words(words)) == "1"


def test_words_that_are_made_to_keep_a_server_busy_are_read_in_no_time() -> None:
    began = time.monotonic()
    for made in ("<" * 200_000, "<a" * 100_000, "&" * 200_000):
        assert not is_marked(in_words(made), ANSWER)
    assert time.monotonic() - began < 20


def test_a_card_that_comes_as_an_object_is_read_as_well() -> None:
    sent: Any = marked(SENT, ANSWER)
    assert is_marked(attached(sent["attachments"][0]["content"]), ANSWER)


def test_the_mark_is_the_id_of_an_element_that_has_none() -> None:
    named = {**text_block("x"), "id": "source-1"}
    sent: Any = {"type": "message", "attachments": [attachment(card([named, text_block("y")])), {"contentType": "x"}]}
    made: Any = marked(sent, ANSWER)
    assert [each.get("id") for each in made["attachments"][0]["content"]["body"]] == ["source-1", f"answer-{ANSWER}"]
    assert made["attachments"][1] == {"contentType": "x"}
    assert sent["attachments"][0]["content"]["body"][1] == text_block("y")
    for odd in ({"type": "message"}, {"attachments": [{**attachment({}), "content": None}]}):
        assert marked(odd, ANSWER) == odd


def test_where_it_is_of_no_use_to_look(desk: GraphDesk) -> None:
    looking = SentBefore(desk.directory._graph, APP_ID)
    assert looking.reads(asked_in(CHANNEL))
    assert looking.reads(asked_in(GROUP_CHAT))
    assert not looking.reads(asked_in(""))
    assert not looking.reads(replace(asked_in(CHANNEL), team=""))


async def test_a_new_post_is_looked_for_among_posts(desk: GraphDesk) -> None:
    desk.graph.begun[CHANNEL] = [message("5", OTHER), message("6")]
    looking = SentBefore(desk.directory._graph, APP_ID)
    assert await looking.find(replace(asked_in(CHANNEL), conversation_id=CHANNEL), ANSWER, NOW) == "6"


async def test_of_a_chat_only_what_came_after_the_question_is_asked_for(desk: GraphDesk) -> None:
    """The stand-in takes no other query than Graph's own."""
    in_a_zone = NOW.astimezone(timezone(timedelta(hours=2)))
    old = message("1", lastModifiedDateTime=(NOW - timedelta(minutes=6)).isoformat())
    new = message("2", lastModifiedDateTime=(NOW - timedelta(minutes=4)).isoformat())
    desk.graph.said[GROUP_CHAT] = [old]
    looking = SentBefore(desk.directory._graph, APP_ID)
    assert await looking.find(asked_in(GROUP_CHAT), ANSWER, in_a_zone) == ""
    desk.graph.said[GROUP_CHAT] = [old, new]
    assert await looking.find(asked_in(GROUP_CHAT), ANSWER, in_a_zone) == "2"


def test_graph_is_told_of_moments_in_its_own_way() -> None:
    """A plus in an address is a space for some."""
    in_a_zone = NOW.astimezone(timezone(timedelta(hours=2)))
    assert changed_since(in_a_zone) == changed_since(NOW)
    assert changed_since(NOW)["$filter"].endswith(f" gt {NOW:%Y-%m-%dT%H:%M:%S}.000Z")


@pytest.mark.parametrize("where", [CHANNEL, GROUP_CHAT])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
async def test_what_cannot_be_read_is_not_there(desk: GraphDesk, where: str, status: int) -> None:
    await found(desk, where)
    desk.graph.troubles.extend([(status, 60)] * 3)
    assert await found(desk, where, message()) == ""


async def test_a_graph_that_does_not_answer_holds_nothing_up(desk: GraphDesk) -> None:
    await found(desk, CHANNEL)
    desk.graph.troubles.extend([(503, 10)] * 3)  # asks to wait for ten seconds, again and again
    began = time.monotonic()
    assert await found(desk, CHANNEL, message(), seconds=0.1) == ""
    assert time.monotonic() - began < 5


async def test_who_waits_no_longer_ends_it(desk: GraphDesk) -> None:
    await found(desk, CHANNEL)
    desk.graph.troubles.extend([(503, 1)] * 3)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await found(desk, CHANNEL, message())


async def test_too_much_is_not_read_to_its_end(desk: GraphDesk) -> None:
    many = [message(str(number), OTHER) for number in range(1000)]
    assert await found(desk, CHANNEL, *many, message("77")) == ""
    assert len([each for each in desk.graph.calls if "/replies" in each]) == 10
