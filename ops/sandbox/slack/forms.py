"""What people have filled in: the `state` of inputs, from simple values."""

from collections.abc import Mapping, Sequence

from ops.sandbox.slack.block_kit.blocks import elements_of
from ops.sandbox.slack.block_kit.menus import options_of

State = dict[str, object]
Values = dict[str, dict[str, State]]
"""block_id -> action_id -> what is chosen there."""

_TYPED = ("plain_text_input", "number_input", "email_text_input", "url_text_input")
_ONE: Mapping[str, tuple[str, str]] = {
    "users_select": ("selected_user", "initial_user"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "channels_select": ("selected_channel", "initial_channel"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
    "rich_text_input": ("rich_text_value", "initial_value"),
    "static_select": ("selected_option", "initial_option"),
    "external_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    **dict.fromkeys(_TYPED, ("value", "initial_value")),
}
_SEVERAL: Mapping[str, tuple[str, str]] = {
    "multi_users_select": ("selected_users", "initial_users"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "multi_static_select": ("selected_options", "initial_options"),
    "multi_external_select": ("selected_options", "initial_options"),
    "checkboxes": ("selected_options", "initial_options"),
    "file_input": ("files", "initial_files"),
}


def named(blocks: Sequence[object]) -> list[dict[str, object]]:
    """The blocks with the ids that Slack gives to blocks and elements which have none."""
    found = []
    for place, block in enumerate(blocks):
        if not isinstance(block, dict):
            continue
        made = {"block_id": f"b{place}", **block}
        for name in ("element", "accessory"):
            if isinstance(made.get(name), dict):
                made[name] = _with_action_id(made[name], f"a{place}")
        if isinstance(made.get("elements"), list) and made.get("type") in ("actions", "context_actions"):
            made["elements"] = [_with_action_id(each, f"a{place}.{n}") for n, each in enumerate(made["elements"])]
        found.append(made)
    return found


def _with_action_id(element: object, action_id: str) -> object:
    if not isinstance(element, dict) or element.get("type") == "image":
        return element
    return {"action_id": action_id, **element}


def initial_values(blocks: Sequence[object]) -> Values:
    """What is chosen before anybody did anything."""
    values: Values = {}
    for block, element in elements_of(blocks):
        kind = str(element.get("type"))
        if kind in _ONE or kind in _SEVERAL:
            field, start = _ONE[kind] if kind in _ONE else _SEVERAL[kind]
            empty: object = [] if kind in _SEVERAL else None
            state: State = {"type": kind, field: element.get(start, empty)}
            values.setdefault(str(block.get("block_id")), {})[str(element.get("action_id"))] = state
    return values


def chosen(element: Mapping[str, object], value: object) -> State:
    """The state of `element` after `value` was typed or picked; options are named by their value."""
    kind = str(element.get("type"))
    if kind == "overflow":
        return {"type": kind, "selected_option": _option(element, value)}
    if kind in _SEVERAL:
        listed = [each for each in (value if isinstance(value, list | tuple) else [value]) if each not in (None, "")]
        field = _SEVERAL[kind][0]
        return {"type": kind, field: [_option(element, each) for each in listed] if "options" in field else [*listed]}
    field = _ONE[kind][0]
    if field == "selected_option":
        return {"type": kind, field: _option(element, value)}
    if kind == "rich_text_input" and isinstance(value, str):
        return {"type": kind, field: rich_text(value)}
    return {"type": kind, field: value if value != "" else None}


def rich_text(text: str) -> dict[str, object]:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


def is_empty(state: Mapping[str, object] | None) -> bool:
    found = [each for name, each in (state or {}).items() if name != "type"]
    return not any(each not in (None, "", []) for each in found)


def _option(element: Mapping[str, object], value: object) -> object:
    """The whole option. Raises LookupError: nobody can pick what is not offered."""
    if value in (None, ""):
        return None
    if isinstance(value, dict):
        return value
    if "external" in str(element.get("type")):
        return {"text": {"type": "plain_text", "text": str(value)}, "value": str(value)}
    for each in options_of(element):
        if isinstance(each, dict) and each.get("value") == value:
            return each
    raise LookupError(f"no option {value!r} in {element.get('action_id')}")
