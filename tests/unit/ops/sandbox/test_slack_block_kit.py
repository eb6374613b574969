"""Slack's limits, each at its edge: the last that passes and the first that does not."""

import json
from collections.abc import Callable

import pytest

from ops.sandbox.slack.block_kit import check_message

Block = dict[str, object]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}


def section(text: str) -> Block:
    return {"type": "section", "text": mrkdwn(text)}


def header(text: str) -> Block:
    return {"type": "header", "text": plain(text)}


def button(text: str = "Go", **more: object) -> Block:
    return {"type": "button", "text": plain(text), **more}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def context(count: int) -> Block:
    return {"type": "context", "elements": [mrkdwn("x")] * count}


def fields(count: int, length: int = 1) -> Block:
    return {"type": "section", "fields": [mrkdwn("x" * length)] * count}


def feedback(text: int = 5, value: int = 5) -> Block:
    half = {"text": plain("x" * text), "value": "x" * value}
    element: Block = {"type": "feedback_buttons", "positive_button": half, "negative_button": half}
    return {"type": "context_actions", "elements": [element]}


def many_feedbacks(count: int) -> Block:
    elements = feedback()["elements"]
    return {"type": "context_actions", "elements": elements * count if isinstance(elements, list) else []}


def menu(count: int) -> Block:
    option = {"text": plain("x"), "value": "x"}
    return actions({"type": "static_select", "placeholder": plain("x"), "options": [option] * count})


def code(*blocks: object, text: str = "fallback") -> str | None:
    refused = check_message({"text": text, "blocks": list(blocks)})
    return refused.code if refused else None


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (lambda size: [section("x" * size)], 3000),
        (lambda size: [header("x" * size)], 150),
        (lambda size: [{"type": "divider"}] * size, 50),
        (lambda size: [context(size)], 10),
        (lambda size: [actions(*[button()] * size)], 25),
        (lambda size: [actions(button("x" * size))], 75),
        (lambda size: [actions(button(value="x" * size))], 2000),
        (lambda size: [actions(button(url="x" * size))], 3000),
        (lambda size: [actions(button(action_id="x" * size))], 255),
        (lambda size: [{"type": "divider", "block_id": "x" * size}], 255),
        (lambda size: [fields(size)], 10),
        (lambda size: [fields(1, size)], 2000),
        (lambda size: [feedback(text=size)], 75),
        (lambda size: [feedback(value=size)], 2000),
        (lambda size: [many_feedbacks(size)], 5),
        (lambda size: [menu(size)], 100),
        (lambda size: [{"type": "image", "image_url": "x", "alt_text": "x" * size}], 2000),
    ],
)
def test_limits(make: Callable[[int], list[Block]], most: int) -> None:
    assert code(*make(most)) is None
    assert code(*make(most + 1)) == "invalid_blocks"


def test_a_markdown_block_may_fill_the_message() -> None:
    assert code({"type": "markdown", "text": "x" * 12_000}) is None
    assert code({"type": "markdown", "text": "x" * 12_001}) == "invalid_blocks"


def test_all_blocks_together_are_limited() -> None:
    assert code(*[section("x" * 3000)] * 4) is None
    assert code(*[section("x" * 3000)] * 4, section("x")) == "msg_blocks_too_long"


def test_text_is_limited() -> None:
    assert code(text="x" * 40_000) is None
    assert code(text="x" * 40_001) == "msg_too_long"


def test_a_message_needs_text_or_blocks() -> None:
    assert code(text="") == "no_text"
    assert code(section("x"), text="") is None


@pytest.mark.parametrize(
    "block",
    [
        "text",
        {},
        {"type": "select"},
        {"type": "section"},
        section(""),
        {"type": "section", "text": "bare"},
        {"type": "section", "text": plain("x"), "colour": "red"},
        {"type": "section", "text": {"type": "mrkdwn", "text": "x", "emoji": True}},
        {"type": "section", "text": mrkdwn("x"), "accessory": mrkdwn("x")},
        {"type": "header", "text": mrkdwn("x")},
        {"type": "divider", "text": plain("x")},
        {"type": "context", "elements": []},
        {"type": "context", "elements": [button()]},
        actions(mrkdwn("x")),
        actions(button(style="green")),
        actions({"type": "button", "text": mrkdwn("x")}),
        actions(button(action_id="same"), button(action_id="same")),
        {"type": "image", "image_url": "x"},
        {"type": "rich_text", "elements": [{"type": "text", "text": "x"}]},
    ],
)
def test_blocks_of_the_wrong_shape(block: object) -> None:
    assert code(block) == "invalid_blocks"


def test_the_same_block_id_twice() -> None:
    assert code({"type": "divider", "block_id": "a"}, {"type": "divider", "block_id": "a"}) == "invalid_blocks"


def test_the_place_of_each_complaint_is_named() -> None:
    refused = check_message({"text": "x", "blocks": [section("fine"), section("x" * 3001)]})
    assert refused is not None
    assert refused.messages == ("[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]",)


def test_blocks_may_be_json() -> None:
    assert check_message({"blocks": json.dumps([section("x")])}) is None
    for blocks in ("{", '{"a": 1}', {"type": "section"}):
        refused = check_message({"text": "x", "blocks": blocks})
        assert refused is not None
        assert refused.code == "invalid_blocks_format"
