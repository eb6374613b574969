"""What people fill in: text, numbers, dates, files, and the input block around them."""

from ops.sandbox.slack.block_kit.buttons import ACTION_ID, CONFIRM
from ops.sandbox.slack.block_kit.menus import CHECKBOXES, MULTI_SELECTS, PLACEHOLDER, RADIO_BUTTONS, SELECTS
from ops.sandbox.slack.block_kit.rich_text import RICH_TEXT
from ops.sandbox.slack.block_kit.shapes import (
    Found,
    Rule,
    boolean,
    complaint,
    fields,
    items,
    number,
    one_of,
    pattern,
    plain,
    string,
    typed,
)

_DISPATCH = fields({"trigger_actions_on": items(one_of("on_enter_pressed", "on_character_entered"), 2)}, {})
_TYPED: dict[str, Rule] = {
    "action_id": ACTION_ID,
    "placeholder": PLACEHOLDER,
    "focus_on_load": boolean,
    "dispatch_action_config": _DISPATCH,
}
_PICKED: dict[str, Rule] = {"action_id": ACTION_ID, "confirm": CONFIRM, "focus_on_load": boolean}
_NUMBER = pattern(r"-?\d+(\.\d+)?", "a number in a string")


def _ordered(low: str, high: str) -> Rule:
    """`low` is not above `high`, where both are given."""

    def check(value: object, where: str) -> Found:
        try:
            wrong = isinstance(value, dict) and float(value[low]) > float(value[high])
        except (KeyError, TypeError, ValueError):
            return
        if wrong:
            yield complaint(f"{low} must not be greater than {high}", where)

    return check


PLAIN_TEXT_INPUT = fields(
    {},
    {
        **_TYPED,
        "initial_value": string(3000, shortest=0),
        "multiline": boolean,
        "min_length": number(0, 3000),
        "max_length": number(1, 3000),
    },
    _ordered("min_length", "max_length"),
)
PICKERS: dict[str, Rule] = {
    "datepicker": fields(
        {},
        {**_PICKED, "placeholder": PLACEHOLDER, "initial_date": pattern(r"\d{4}-\d\d-\d\d", "a date as YYYY-MM-DD")},
    ),
    "timepicker": fields(
        {},
        {
            **_PICKED,
            "placeholder": PLACEHOLDER,
            "initial_time": pattern(r"([01]\d|2[0-3]):[0-5]\d", "a time as HH:mm"),
            "timezone": string(255),
        },
    ),
    "datetimepicker": fields({}, {**_PICKED, "initial_date_time": number(1_000_000_000, 9_999_999_999)}),
}
RICH_TEXT_INPUT = fields(
    {},
    {**_TYPED, "initial_value": RICH_TEXT, "min_lines": number(1, 100), "max_lines": number(1, 100)},
)

INPUTS: dict[str, Rule] = {
    **PICKERS,
    **SELECTS,
    **MULTI_SELECTS,
    "checkboxes": CHECKBOXES,
    "radio_buttons": RADIO_BUTTONS,
    "plain_text_input": PLAIN_TEXT_INPUT,
    "rich_text_input": RICH_TEXT_INPUT,
    "email_text_input": fields({}, {**_TYPED, "initial_value": string(3000, shortest=0)}),
    "url_text_input": fields({}, {**_TYPED, "initial_value": string(3000, shortest=0)}),
    "number_input": fields(
        {"is_decimal_allowed": boolean},
        {**_TYPED, "initial_value": _NUMBER, "min_value": _NUMBER, "max_value": _NUMBER},
        _ordered("min_value", "max_value"),
    ),
    "file_input": fields(
        {}, {"action_id": ACTION_ID, "filetypes": items(string(255), 100), "max_files": number(1, 10)}
    ),
}

INPUT_BLOCK = fields(
    {"label": plain(2000), "element": typed(INPUTS)},
    {"block_id": string(255), "hint": plain(2000), "optional": boolean, "dispatch_action": boolean},
)
