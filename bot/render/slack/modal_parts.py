"""Parts of modals: inputs, choices, plain texts. Every text is cut to Slack's limit, and nothing in it is mark-up."""

from collections.abc import Iterable, Mapping, Sequence

from bot.model.visible import one_line, shorten
from bot.render.blocks import Block

MOST_OPTIONS = 100
_TITLE, _LABEL, _OPTION, _HINT = 24, 200, 75, 1_000

Option = tuple[str, str]
"""Value and text."""


def plain(text: str, limit: int) -> Block:
    return {"type": "plain_text", "text": shorten(one_line(text), limit), "emoji": False}


def modal(callback_id: str, title: str, blocks: Sequence[Block], *, metadata: str = "", submit: str = "") -> Block:
    view: Block = {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain(title, _TITLE),
        "blocks": list(blocks),
        "private_metadata": metadata,
    }
    return {**view, "submit": plain(submit, _TITLE)} if submit else view


def field(block_id: str, label: str, element: Block, hint: str = "") -> Block:
    """An input that may stay empty."""
    block: Block = {
        "type": "input",
        "block_id": block_id,
        "optional": True,
        "label": plain(label, _LABEL),
        "element": {"action_id": block_id, **element},
    }
    return {**block, "hint": plain(hint, _HINT)} if hint else block


def menu(groups: Mapping[str, Iterable[Option]], chosen: Iterable[str], placeholder: str, most: int) -> Block:
    """A menu of several, by groups with a label each."""
    shown = {label: [option(*each) for each in options] for label, options in groups.items()}
    there = [each for options in shown.values() for each in options]
    wanted = set(chosen)
    initial = [each for each in there if each["value"] in wanted][:most]
    element: Block = {
        "type": "multi_static_select",
        "placeholder": plain(placeholder, 150),
        "option_groups": [
            {"label": plain(label, _OPTION), "options": options[:MOST_OPTIONS]} for label, options in shown.items()
        ],
        "max_selected_items": most,
    }
    return {**element, "initial_options": initial} if initial else element


def choice(options: Sequence[Option], chosen: str, placeholder: str = "") -> Block:
    """One of a few as radio buttons, or with a placeholder as a menu."""
    shown = [option(*each) for each in options[:MOST_OPTIONS]]
    kind: Block = {"type": "radio_buttons"}
    if placeholder:
        kind = {"type": "static_select", "placeholder": plain(placeholder, 150)}
    initial = [each for each in shown if each["value"] == chosen]
    return {**kind, "options": shown, **({"initial_option": initial[0]} if initial else {})}


def ticks(options: Sequence[Option], ticked: Iterable[str] = ()) -> Block:
    shown = [option(*each) for each in options[:10]]
    initial = [each for each in shown if each["value"] in set(ticked)]
    return {"type": "checkboxes", "options": shown, **({"initial_options": initial} if initial else {})}


def option(value: str, text: str) -> Block:
    return {"text": plain(text or value, _OPTION), "value": value}
