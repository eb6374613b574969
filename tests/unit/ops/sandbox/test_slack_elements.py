"""Every element and block that a bot may use, complete, and then each broken in one place."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.sandbox.slack.block_kit import Surface, check_message, check_view
from ops.sandbox.slack.views import chosen, initial_values, named

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def option(value: str, text: str = "x") -> Block:
    return {"text": plain(text), "value": value}


def element(kind: str, **more: object) -> Block:
    return {"type": kind, "action_id": "a", **more}


def asked(inner: Block, **more: object) -> Block:
    return {"type": "input", "label": plain("A label"), "element": inner, **more}


def confirm(**more: object) -> Block:
    return {"title": plain("t"), "text": plain("t"), "confirm": plain("c"), "deny": plain("d"), **more}


def modal(*blocks: object) -> str:
    view = {"type": "modal", "title": plain("t"), "submit": plain("s"), "blocks": list(blocks)}
    refused = check_view(view, Surface.MODAL)
    return refused.code if refused else ""


def message(*blocks: object) -> str:
    refused = check_message({"text": "x", "blocks": list(blocks)})
    return refused.code if refused else ""


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


SELECTS = [
    element(
        "static_select", placeholder=plain("x"), options=[option("a")], initial_option=option("a"), confirm=confirm()
    ),
    element(
        "static_select", option_groups=[{"label": plain("g"), "options": [option("a")]}], initial_option=option("a")
    ),
    element("users_select", initial_user="U1"),
    element("conversations_select", default_to_current_conversation=True, filter={"include": ["im"]}),
    element("channels_select", initial_channel="C1", response_url_enabled=True),
    element(
        "multi_static_select", options=[option("a"), option("b")], initial_options=[option("b")], max_selected_items=1
    ),
    element("multi_users_select", initial_users=["U1"]),
    element("multi_conversations_select", filter={"exclude_bot_users": True}),
    element("multi_channels_select", initial_channels=["C1"]),
]
BOXES = [
    element("checkboxes", options=[option("a")], initial_options=[option("a")]),
    element("radio_buttons", options=[option("a", "b")], initial_option=option("a", "b"), focus_on_load=False),
    element("datepicker", initial_date="2026-03-01", placeholder=plain("x")),
]
TYPED = [
    element("plain_text_input", multiline=True, min_length=1, max_length=5, initial_value="x", placeholder=plain("x")),
    element("plain_text_input", dispatch_action_config={"trigger_actions_on": ["on_enter_pressed"]}),
]


@pytest.mark.parametrize("inner", [*SELECTS, *BOXES, *TYPED])
def test_every_input_may_stand_in_a_modal(inner: Block) -> None:
    assert modal(asked(inner, hint=plain("h"), optional=True, dispatch_action=False)) == ""


@pytest.mark.parametrize("inner", [*SELECTS, *BOXES])
def test_what_is_chosen_may_stand_in_actions_and_beside_sections(inner: Block) -> None:
    assert message(actions(inner)) == ""
    assert message({"type": "section", "text": plain("x"), "accessory": inner}) == ""


def test_surfaces() -> None:
    for inner in TYPED:
        assert message(actions(inner)) == "invalid_blocks"
    assert message(asked(TYPED[0])) == ""
    for block in (
        {"type": "markdown", "text": "x"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]},
    ):
        assert message(block) == ""
        assert modal(block) == "invalid_arguments"
    home = {"type": "home", "blocks": [{"type": "divider"}] * 100}
    assert check_view(home, Surface.HOME) is None
    home["blocks"] = [{"type": "divider"}] * 101
    assert check_view(home, Surface.HOME) is not None


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (lambda size: element("static_select", placeholder=plain("x" * size), options=[option("a")]), 150),
        (lambda size: element("static_select", options=[option(str(n)) for n in range(size)]), 100),
        (lambda size: element("static_select", options=[option("x" * size)]), 150),
        (lambda size: element("static_select", options=[option("a", "x" * size)]), 75),
        (
            lambda size: element(
                "static_select", option_groups=[{"label": plain("g"), "options": [option("a")]}] * size
            ),
            100,
        ),
        (
            lambda size: element(
                "static_select", option_groups=[{"label": plain("x" * size), "options": [option("a")]}]
            ),
            75,
        ),
        (lambda size: element("checkboxes", options=[option(str(n)) for n in range(size)]), 10),
        (lambda size: element("radio_buttons", options=[option(str(n)) for n in range(size)]), 10),
        (lambda size: element("plain_text_input", initial_value="x" * size), 3000),
        (lambda size: element("plain_text_input", max_length=size), 3000),
        (lambda size: element("plain_text_input", placeholder=plain("x" * size)), 150),
        (lambda size: element("users_select", confirm=confirm(title=plain("x" * size))), 100),
        (lambda size: element("users_select", confirm=confirm(text=plain("x" * size))), 300),
        (lambda size: element("users_select", confirm=confirm(confirm=plain("x" * size))), 30),
        (lambda size: element("users_select", confirm=confirm(deny=plain("x" * size))), 30),
        (lambda size: element("users_select", action_id="x" * size), 255),
    ],
)
def test_limits_of_inputs(make: Callable[[int], Block], most: int) -> None:
    assert modal(asked(make(most))) == ""
    assert modal(asked(make(most + 1))) == "invalid_arguments"


@pytest.mark.parametrize("name", ["label", "hint"])
def test_limits_of_the_input_block(name: str) -> None:
    assert modal(asked(TYPED[0], **{name: plain("x" * 2000)})) == ""
    assert modal(asked(TYPED[0], **{name: plain("x" * 2001)})) == "invalid_arguments"


@pytest.mark.parametrize(
    "inner",
    [
        element("static_select"),
        element("static_select", options=[]),
        element(
            "static_select", options=[option("a")], option_groups=[{"label": plain("g"), "options": [option("a")]}]
        ),
        element("static_select", options=[option("a")], initial_option=option("b")),
        element("multi_static_select", options=[option("a")], initial_options=[option("b")]),
        element("multi_users_select", max_selected_items=0),
        element("checkboxes", options=[option("a"), option("a")]),
        element("checkboxes", options=[{"value": "a"}]),
        element("radio_buttons", options=[option("a")], initial_option=option("b")),
        element("datepicker", initial_date="1 March"),
        element("plain_text_input", min_length=5, max_length=4),
        element("plain_text_input", dispatch_action_config={"trigger_actions_on": ["blink"]}),
        element("conversations_select", filter={"include": ["rooms"]}),
        element("users_select", confirm={"title": plain("x")}),
        element("users_select", colour="red"),
        element("unheard_of"),
        plain("x"),
    ],
)
def test_inputs_of_the_wrong_shape(inner: Block) -> None:
    assert modal(asked(inner)) == "invalid_arguments"


CELL = {"type": "raw_text", "text": "x"}


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ({"rows": [[CELL] * 20] * 100}, ""),
        ({"rows": [[CELL]] * 101}, "invalid_blocks"),
        ({"rows": [[CELL] * 21]}, "invalid_blocks"),
        ({"rows": [[CELL], [CELL, CELL]]}, "invalid_blocks"),
        ({"rows": [[plain("x")]]}, "invalid_blocks"),
        ({"rows": [[CELL]], "column_settings": [{"align": "right", "is_wrapped": True}]}, ""),
        ({"rows": [[CELL, CELL]], "column_settings": [None, {"align": "center"}]}, ""),
        ({"rows": [[CELL]], "column_settings": [{"align": "middle"}]}, "invalid_blocks"),
        ({}, "invalid_blocks"),
    ],
)
def test_tables(table: Block, code: str) -> None:
    assert message({"type": "table", **table}) == code


def test_a_message_has_one_table() -> None:
    table = {"type": "table", "rows": [[CELL]]}
    assert message(table, table) == "invalid_attachments"


def test_images_come_from_one_place() -> None:
    assert message({"type": "image", "slack_file": {"id": "F1"}, "alt_text": "x", "title": plain("x")}) == ""
    both = {"type": "image", "slack_file": {"id": "F1"}, "image_url": "https://e.example", "alt_text": "x"}
    assert message(both) == "invalid_blocks"
    assert message({"type": "image", "slack_file": {"id": "F1", "url": "x"}, "alt_text": "x"}) == "invalid_blocks"


@pytest.mark.parametrize(
    ("inner", "value", "state"),
    [
        (TYPED[0], "x", {"value": "x"}),
        (TYPED[0], "", {"value": None}),
        (SELECTS[0], "a", {"selected_option": option("a")}),
        (SELECTS[1], "a", {"selected_option": option("a")}),
        (SELECTS[0], None, {"selected_option": None}),
        (SELECTS[2], "U2", {"selected_user": "U2"}),
        (SELECTS[5], ["a", "b"], {"selected_options": [option("a"), option("b")]}),
        (SELECTS[6], ["U1"], {"selected_users": ["U1"]}),
        (BOXES[0], [], {"selected_options": []}),
        (BOXES[1], "a", {"selected_option": option("a", "b")}),
        (BOXES[2], "2026-03-02", {"selected_date": "2026-03-02"}),
    ],
)
def test_what_is_filled_in_has_its_shape(inner: Block, value: object, state: Block) -> None:
    assert chosen(inner, value) == {"type": inner["type"], **state}


def test_nobody_picks_what_is_not_offered() -> None:
    with pytest.raises(LookupError):
        chosen(SELECTS[0], "b")


def test_blocks_without_ids_get_some_and_keep_their_own() -> None:
    made = named([asked({"type": "plain_text_input"}), actions({"type": "button"}, element("button"))])
    assert (made[0]["block_id"], made[0]["element"]) == ("b0", {"action_id": "a0", "type": "plain_text_input"})
    assert [each["action_id"] for each in made[1]["elements"]] == ["a1.0", "a"]  # type: ignore[attr-defined]
    values = initial_values(named([asked(TYPED[0]), asked(SELECTS[5])]))
    assert values["b0"]["a"] == {"type": "plain_text_input", "value": "x"}
    assert values["b1"]["a"] == {"type": "multi_static_select", "selected_options": [option("b")]}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "header", "text": 5},
        {"type": "header", "text": {"type": "plain_text", "text": 5}},
        {"type": "header", "text": {"type": "plain_text", "text": "x", "emoji": "yes"}},
        {"type": "context", "elements": {"type": "mrkdwn"}},
        {"type": "actions", "elements": [5]},
        {"type": "markdown", "text": ["x"]},
        {"type": ["header"], "text": plain("x")},
        actions({"type": "static_select", "options": {"text": "x"}}),
    ],
)
def test_values_of_the_wrong_kind(block: Block) -> None:
    assert message(block) == "invalid_blocks"


def test_a_view_is_an_object_of_its_kind() -> None:
    views: tuple[object, ...] = (
        5,
        "x",
        [],
        {"type": "home"},
        {"type": "modal", "title": plain("x"), "blocks": "x"},
        {},
    )
    for view in views:
        refused = check_view(view, Surface.MODAL)
        assert refused is not None
        assert refused.code == "invalid_arguments"


KINDS = (
    "header section context actions input modal home table rich_text rich_text_section static_select checkboxes "
    "overflow plain_text mrkdwn button image feedback_buttons number_input raw_text"
).split()
NAMES = (
    "type text elements element options option_groups initial_option initial_options blocks rows fields accessory "
    "label value title confirm block_id action_id filter min_length max_length"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(KINDS) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=20,
)


@given(JSON)
def test_whatever_is_sent_is_judged(value: object) -> None:
    """No value makes the checks themselves fail."""
    for blocks in (value, [value], [{"type": "section", "accessory": value}, {"type": "input", "element": value}]):
        refused = check_message({"text": "x", "blocks": blocks})
        assert refused is None or refused.code
    for surface in (Surface.MODAL, Surface.HOME):
        check_view(value, surface)
        check_view(
            {"type": surface.value, "title": plain("x"), "blocks": [value, {"type": "input", "element": value}]},
            surface,
        )
