"""Menus, checkboxes and radio buttons: whatever people choose from."""

from collections.abc import Mapping

from ops.sandbox.slack.block_kit.buttons import ACTION_ID, CONFIRM
from ops.sandbox.slack.block_kit.shapes import (
    Found,
    Rule,
    boolean,
    complaint,
    exactly_one,
    fields,
    items,
    number,
    one_of,
    plain,
    string,
    text,
)

PLACEHOLDER = plain(150)
_COMMON: dict[str, Rule] = {"action_id": ACTION_ID, "confirm": CONFIRM, "focus_on_load": boolean}
_MENU: dict[str, Rule] = {**_COMMON, "placeholder": PLACEHOLDER}
_MANY: dict[str, Rule] = {**_MENU, "max_selected_items": number(1, 1000)}

OPTION = fields({"text": plain(75), "value": string(150)}, {"description": plain(75)})
_LINK_OPTION = fields({"text": plain(75), "value": string(150)}, {"description": plain(75), "url": string(3000)})
_RICH_OPTION = fields({"text": text(75), "value": string(150)}, {"description": text(75)})
OPTION_GROUP = fields({"label": plain(75), "options": items(OPTION, 100)}, {})

_SOURCES: dict[str, Rule] = {"options": items(OPTION, 100), "option_groups": items(OPTION_GROUP, 100)}
_FILTER = fields(
    {},
    {
        "include": items(one_of("im", "mpim", "private", "public"), 4),
        "exclude_external_shared_channels": boolean,
        "exclude_bot_users": boolean,
    },
)
_ID = string(255)


def options_of(element: Mapping[str, object]) -> list[object]:
    """Every option of a menu, with those of its groups."""
    groups = element.get("option_groups")
    lists = [each.get("options") for each in groups if isinstance(each, dict)] if isinstance(groups, list) else []
    return [each for found in [element.get("options"), *lists] if isinstance(found, list) for each in found]


def _initially_offered(value: object, where: str) -> Found:
    """What is chosen at first must be one of the choices."""
    if not isinstance(value, dict):
        return
    offered = options_of(value)
    chosen = value.get("initial_options")
    several = chosen if isinstance(chosen, list) else []
    for each in [*several, *([value["initial_option"]] if "initial_option" in value else [])]:
        if each not in offered:
            yield complaint("initial option must match one of the options", where)


def _distinct(value: object, where: str) -> Found:
    offered = options_of(value) if isinstance(value, dict) else []
    values = [str(each.get("value")) for each in offered if isinstance(each, dict)]
    if len(values) != len(set(values)):
        yield complaint("options must have different values", where)


_CHOSEN: dict[str, Rule] = {"initial_option": OPTION}
_CHOSEN_SEVERAL: dict[str, Rule] = {"initial_options": items(OPTION, 100)}
_ONE_SOURCE = exactly_one("options", "option_groups")

CHECKBOXES = fields(
    {"options": items(_RICH_OPTION, 10)},
    {**_COMMON, "initial_options": items(_RICH_OPTION, 10)},
    _initially_offered,
    _distinct,
)
RADIO_BUTTONS = fields(
    {"options": items(_RICH_OPTION, 10)}, {**_COMMON, "initial_option": _RICH_OPTION}, _initially_offered, _distinct
)
OVERFLOW = fields({"options": items(_LINK_OPTION, 5)}, {"action_id": ACTION_ID, "confirm": CONFIRM})

SELECTS: dict[str, Rule] = {
    "static_select": fields({}, {**_MENU, **_SOURCES, **_CHOSEN}, _ONE_SOURCE, _initially_offered),
    "external_select": fields({}, {**_MENU, **_CHOSEN, "min_query_length": number(0, 100)}),
    "users_select": fields({}, {**_MENU, "initial_user": _ID}),
    "conversations_select": fields(
        {},
        {
            **_MENU,
            "initial_conversation": _ID,
            "default_to_current_conversation": boolean,
            "response_url_enabled": boolean,
            "filter": _FILTER,
        },
    ),
    "channels_select": fields({}, {**_MENU, "initial_channel": _ID, "response_url_enabled": boolean}),
}

MULTI_SELECTS: dict[str, Rule] = {
    "multi_static_select": fields({}, {**_MANY, **_SOURCES, **_CHOSEN_SEVERAL}, _ONE_SOURCE, _initially_offered),
    "multi_external_select": fields({}, {**_MANY, **_CHOSEN_SEVERAL, "min_query_length": number(0, 100)}),
    "multi_users_select": fields({}, {**_MANY, "initial_users": items(_ID, 1000)}),
    "multi_conversations_select": fields(
        {},
        {
            **_MANY,
            "initial_conversations": items(_ID, 1000),
            "default_to_current_conversation": boolean,
            "filter": _FILTER,
        },
    ),
    "multi_channels_select": fields({}, {**_MANY, "initial_channels": items(_ID, 1000)}),
}
