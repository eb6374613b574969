"""Buttons of every kind, images, and the question "are you sure"."""

from ops.sandbox.slack.block_kit.shapes import Rule, exactly_one, fields, items, one_of, plain, string, text

ACTION_ID = string(255)
STYLE = one_of("primary", "danger")

CONFIRM = fields({"title": plain(100), "text": text(300), "confirm": plain(30), "deny": plain(30)}, {"style": STYLE})

_FILE = fields({}, {"id": string(255), "url": string(3000)}, exactly_one("id", "url"))
_PICTURE: dict[str, Rule] = {"image_url": string(3000), "slack_file": _FILE}

IMAGE = fields({"alt_text": string(2000)}, _PICTURE, exactly_one("image_url", "slack_file"))
IMAGE_BLOCK = fields(
    {"alt_text": string(2000)},
    {**_PICTURE, "title": plain(2000), "block_id": string(255)},
    exactly_one("image_url", "slack_file"),
)

BUTTON = fields(
    {"text": plain(75)},
    {
        "action_id": ACTION_ID,
        "url": string(3000),
        "value": string(2000),
        "style": STYLE,
        "confirm": CONFIRM,
        "accessibility_label": string(75),
    },
)

_HALF = fields({"text": plain(75), "value": string(2000)}, {"accessibility_label": string(75)})

FEEDBACK = fields({"positive_button": _HALF, "negative_button": _HALF}, {"action_id": ACTION_ID})

ICON_BUTTON = fields(
    {"icon": one_of("trash"), "text": plain(75)},
    {
        "action_id": ACTION_ID,
        "value": string(2000),
        "confirm": CONFIRM,
        "accessibility_label": string(75),
        "visible_to_user_ids": items(string(255), 100),
    },
)
