"""Modals and home tabs."""

import json
from collections.abc import Mapping

from ops.sandbox.slack.block_kit.blocks import Surface, check_blocks
from ops.sandbox.slack.block_kit.messages import Refused
from ops.sandbox.slack.block_kit.shapes import Found, Rule, anything, boolean, complaint, fields, plain, string

LARGEST_VIEW = 250_000
LONGEST_TITLE = 24

_SHARED: dict[str, Rule] = {
    "private_metadata": string(3000, shortest=0),
    "callback_id": string(255, shortest=0),
    "external_id": string(255, shortest=0),
}
_MODAL = fields(
    {"title": plain(LONGEST_TITLE), "blocks": anything},
    {
        **_SHARED,
        "close": plain(LONGEST_TITLE),
        "submit": plain(LONGEST_TITLE),
        "clear_on_close": boolean,
        "notify_on_close": boolean,
        "submit_disabled": boolean,
    },
)
_HOME = fields({"blocks": anything}, _SHARED)
_RULES: Mapping[str, Rule] = {Surface.MODAL: _MODAL, Surface.HOME: _HOME}


def check_view(view: object, surface: Surface) -> Refused | None:
    """Why Slack would refuse `view` on this surface; None if it is fine."""
    if not isinstance(view, dict):
        return Refused("invalid_arguments", ("[ERROR] must be an object [json-pointer:/view]",))
    if len(json.dumps(view)) > LARGEST_VIEW:
        return Refused("view_too_large")
    found = tuple(f"[ERROR] {each}" for each in _complaints(view, surface))
    return Refused("invalid_arguments", found) if found else None


def _complaints(view: Mapping[str, object], surface: Surface) -> Found:
    if view.get("type") != surface:
        yield complaint(f"must be one of {surface}", "/view/type")
        return
    yield from _RULES[surface](view, "/view")
    blocks = view.get("blocks")
    if not isinstance(blocks, list):
        yield complaint("must be a list", "/view/blocks")
        return
    yield from check_blocks(blocks, surface, "/view/blocks")
    asks = any(isinstance(each, dict) and each.get("type") == "input" for each in blocks)
    if surface is Surface.MODAL and asks and "submit" not in view:
        yield complaint("missing required field: submit", "/view")
