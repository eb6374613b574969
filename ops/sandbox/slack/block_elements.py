"""Limits of what stands inside blocks: buttons, menus, images, feedback buttons."""

from collections.abc import Callable

from ops.sandbox.slack.block_text import Found, complaint, items, only, optional, plain, string, text_object

Element = dict[str, object]

IMAGE_KEYS = ("image_url", "alt_text", "slack_file")


def image(element: Element, where: str) -> Found:
    yield from only(element, IMAGE_KEYS, where)
    if "slack_file" not in element:
        yield from string(element.get("image_url"), f"{where}/image_url", 3000)
    yield from string(element.get("alt_text"), f"{where}/alt_text", 2000)


def button(element: Element, where: str) -> Found:
    yield from only(element, ("text", "action_id", "url", "value", "style", "confirm", "accessibility_label"), where)
    yield from plain(element.get("text"), f"{where}/text", 75)
    yield from optional(element, "url", where, 3000)
    yield from optional(element, "value", where, 2000)
    yield from optional(element, "accessibility_label", where, 75)
    if element.get("style", "primary") not in ("primary", "danger"):
        yield complaint("must be one of primary, danger", f"{where}/style")


def _options(element: Element, where: str, most: int) -> Found:
    found = items(element.get("options"), f"{where}/options", most)
    if isinstance(found, str):
        yield found
        return
    for place, option in found:
        yield from only(option, ("text", "value", "description", "url"), place)
        yield from plain(option.get("text"), f"{place}/text", 75)
        yield from string(option.get("value"), f"{place}/value", 150)
        if "description" in option:
            yield from plain(option["description"], f"{place}/description", 75)


def _menu(element: Element, where: str) -> Found:
    known = ("action_id", "options", "option_groups", "initial_option", "placeholder", "confirm", "focus_on_load")
    yield from only(element, known, where)
    if "option_groups" not in element:
        yield from _options(element, where, 100)
    if "placeholder" in element:
        yield from plain(element["placeholder"], f"{where}/placeholder", 150)


def _overflow(element: Element, where: str) -> Found:
    yield from only(element, ("action_id", "options", "confirm"), where)
    yield from _options(element, where, 5)


def _feedback(element: Element, where: str) -> Found:
    yield from only(element, ("action_id", "positive_button", "negative_button"), where)
    for name in ("positive_button", "negative_button"):
        half = element.get(name)
        if not isinstance(half, dict):
            yield complaint("must be an object", f"{where}/{name}")
            continue
        yield from only(half, ("text", "value", "accessibility_label"), f"{where}/{name}")
        yield from plain(half.get("text"), f"{where}/{name}/text", 75)
        yield from string(half.get("value"), f"{where}/{name}/value", 2000)


def _icon(element: Element, where: str) -> Found:
    known = ("action_id", "icon", "text", "value", "confirm", "accessibility_label", "visible_to_user_ids")
    yield from only(element, known, where)
    if element.get("icon") != "trash":
        yield complaint("must be one of trash", f"{where}/icon")
    yield from plain(element.get("text"), f"{where}/text", 75)


def _context_text(element: Element, where: str) -> Found:
    yield from text_object(element, where, 3000)


Check = Callable[[Element, str], Found]

INTERACTIVE: dict[object, Check] = {"button": button, "static_select": _menu, "overflow": _overflow}
ACCESSORIES: dict[object, Check] = {**INTERACTIVE, "image": image}
CONTEXT: dict[object, Check] = {"image": image, "mrkdwn": _context_text, "plain_text": _context_text}
CONTEXT_ACTIONS: dict[object, Check] = {"feedback_buttons": _feedback, "icon_button": _icon}


def element_of(known: dict[object, Check], element: object, where: str) -> Found:
    """Complaints about one element, which must be of a kind in `known`."""
    kind = element.get("type") if isinstance(element, dict) else None
    if not isinstance(element, dict) or kind not in known:
        yield complaint(f"unsupported type: {kind}", where)
        return
    yield from optional(element, "action_id", where, 255)
    yield from known[kind](element, where)
