"""Which blocks each surface takes, and what may stand inside them. Limits from Slack's reference of blocks."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from ops.sandbox.slack.block_kit.buttons import BUTTON, FEEDBACK, ICON_BUTTON, IMAGE, IMAGE_BLOCK
from ops.sandbox.slack.block_kit.inputs import INPUT_BLOCK, PICKERS, RICH_TEXT_INPUT
from ops.sandbox.slack.block_kit.menus import CHECKBOXES, MULTI_SELECTS, OVERFLOW, RADIO_BUTTONS, SELECTS
from ops.sandbox.slack.block_kit.rich_text import RICH_TEXT, TABLE
from ops.sandbox.slack.block_kit.shapes import (
    Found,
    Rule,
    at_least_one,
    boolean,
    complaint,
    fields,
    items,
    plain,
    repeated,
    string,
    text,
    typed,
    unique,
)

LONGEST_MARKDOWN = 12_000


class Surface(StrEnum):
    MESSAGE = "message"
    MODAL = "modal"
    HOME = "home"


MOST_BLOCKS: Mapping[Surface, int] = {Surface.MESSAGE: 50, Surface.MODAL: 100, Surface.HOME: 100}

_BLOCK_ID: dict[str, Rule] = {"block_id": string(255)}
_CHOICES: dict[str, Rule] = {
    **SELECTS,
    **MULTI_SELECTS,
    "button": BUTTON,
    "overflow": OVERFLOW,
    "checkboxes": CHECKBOXES,
    "radio_buttons": RADIO_BUTTONS,
    "datepicker": PICKERS["datepicker"],
    "timepicker": PICKERS["timepicker"],
}
_ACTIONS: dict[str, Rule] = {
    **_CHOICES,
    "datetimepicker": PICKERS["datetimepicker"],
    "rich_text_input": RICH_TEXT_INPUT,
}
_CONTEXT: dict[str, Rule] = {"image": IMAGE, "mrkdwn": text(3000), "plain_text": text(3000)}


def _elements(known: Mapping[str, Rule], most: int) -> Rule:
    """A block that is a list of elements, of which each `action_id` may be there once."""
    return fields({"elements": items(typed(known), most)}, _BLOCK_ID, unique("action_id", "elements"))


_EVERYWHERE: dict[str, Rule] = {
    "header": fields({"text": plain(150)}, _BLOCK_ID),
    "divider": fields({}, _BLOCK_ID),
    "image": IMAGE_BLOCK,
    "section": fields(
        {},
        {
            **_BLOCK_ID,
            "text": text(3000),
            "fields": items(text(2000), 10),
            "accessory": typed({**_CHOICES, "image": IMAGE}),
            "expand": boolean,
        },
        at_least_one("text", "fields"),
    ),
    "context": _elements(_CONTEXT, 10),
    "actions": _elements(_ACTIONS, 25),
    "rich_text": RICH_TEXT,
    "input": INPUT_BLOCK,
}
_MESSAGES_ONLY: dict[str, Rule] = {
    "markdown": fields({"text": string(LONGEST_MARKDOWN)}, _BLOCK_ID),
    "table": TABLE,
    "context_actions": _elements({"feedback_buttons": FEEDBACK, "icon_button": ICON_BUTTON}, 5),
}
_BLOCKS: Mapping[Surface, Rule] = {
    Surface.MESSAGE: typed({**_EVERYWHERE, **_MESSAGES_ONLY}),
    Surface.MODAL: typed(_EVERYWHERE),
    Surface.HOME: typed(_EVERYWHERE),
}


def check_blocks(blocks: Sequence[object], surface: Surface = Surface.MESSAGE, where: str = "/blocks") -> Found:
    """Every complaint about `blocks`, in order."""
    most = MOST_BLOCKS[surface]
    if len(blocks) > most:
        yield complaint(f"no more than {most} items allowed", where)
    for place, block in enumerate(blocks):
        yield from _BLOCKS[surface](block, f"{where}/{place}")
        if surface is not Surface.MODAL:
            yield from _no_file(block, f"{where}/{place}")
    yield from repeated(blocks, "block_id", where)
    if surface is not Surface.MESSAGE:
        yield from _one_focus(blocks, where)


def _no_file(block: object, where: str) -> Found:
    element = block.get("element") if isinstance(block, dict) else None
    if isinstance(element, dict) and element.get("type") == "file_input":
        yield complaint("unsupported type: file_input", f"{where}/element")


def _one_focus(blocks: Sequence[object], where: str) -> Found:
    focused = [each for each in blocks if isinstance(each, dict) and _focuses(each)]
    if len(focused) > 1:
        yield complaint("only one element may have focus_on_load", where)


def _focuses(block: Mapping[str, object]) -> bool:
    element = block.get("element")
    return isinstance(element, dict) and element.get("focus_on_load") is True


def elements_of(blocks: Sequence[object]) -> list[tuple[Mapping[str, object], dict[str, object]]]:
    """(block, interactive element) for each element that stands in `blocks`, in order."""
    found: list[tuple[Mapping[str, object], dict[str, object]]] = []
    for block in blocks:
        if isinstance(block, dict):
            listed = block.get("elements")
            inside = listed if isinstance(listed, list) and block.get("type") != "rich_text" else []
            found += [
                (block, each)
                for each in [block.get("accessory"), block.get("element"), *inside]
                if isinstance(each, dict) and each.get("type") not in ("image", "mrkdwn", "plain_text")
            ]
    return found
