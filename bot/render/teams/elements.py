"""Elements of Adaptive Cards 1.5, the version that Teams shows on desktop and phone.

https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference. Every `text` is
escaped already (`bot.render.teams.text`); titles, labels and hints are no Markdown, and are made plain here.
"""

import json
import re
from collections.abc import Mapping, Sequence

from bot.render.teams.text import is_rtl, plain, units

Element = dict[str, object]
"""An element or action as the schema has it."""

CARD_VERSION = "1.5"
CARD_TYPE = "application/vnd.microsoft.card.adaptive"
SCHEMA = "http://adaptivecards.io/schemas/adaptive-card.json"

MOST_PRIMARY = 6
"""Actions that Teams shows side by side on the desktop; the others are in a menu."""

_ADDRESS = re.compile(r"\]\([^()]*\)")
_TITLE, _LABEL, _TOOLTIP = 120, 200, 250


def text_block(text: str, **looks: object) -> Element:
    """`looks`: weight, size, style, spacing, isSubtle, separator ... as in the schema."""
    return {"type": "TextBlock", "text": text, "wrap": True, **looks}


def heading(text: str) -> Element:
    """Read out as a heading."""
    return text_block(text, style="heading", weight="Bolder", size="Medium", spacing="Medium")


def small(text: str) -> Element:
    return text_block(text, isSubtle=True, size="Small", spacing="Small")


def texts(lines: Sequence[str], **looks: object) -> list[Element]:
    """A block for each line that says something: a line break in one is not the same everywhere."""
    return [text_block(each, **looks) for each in lines if each]


def container(items: Sequence[Element], said: str = "", **looks: object) -> Element:
    """`said`: what it says, as it was written: turned round where it is read from right to left."""
    return {"type": "Container", "items": list(items), **_direction(said), **looks}


def columns(*found: Element) -> Element:
    return {"type": "ColumnSet", "columns": list(found)}


def column(items: Sequence[Element], width: str = "stretch", **looks: object) -> Element:
    return {"type": "Column", "width": width, "items": list(items), **looks}


def table(heads: Sequence[str], rows: Sequence[Sequence[Sequence[Element]]], widths: Sequence[int]) -> Element:
    """A header row (the first is one by default), and a row of cells for each of `rows`."""
    header = [[text_block(each, weight="Bolder")] for each in heads]
    return {
        "type": "Table",
        "showGridLines": True,
        "gridStyle": "default",
        "columns": [{"width": each} for each in widths],
        "rows": [table_row(header), *map(table_row, rows)],
    }


def table_row(cells: Sequence[Sequence[Element]]) -> Element:
    return {"type": "TableRow", "cells": [_cell(each) for each in cells]}


def _cell(items: Sequence[Element]) -> Element:
    return {"type": "TableCell", "items": list(items), **_direction(" ".join(map(_read, items)))}


def turned(block: Element) -> Element:
    """A block of text, in a container that turns it round where it is read from right to left."""
    said = _read(block)
    return container([block], said, spacing="Small") if is_rtl(said) else block


def _read(block: Element) -> str:
    """What is read of a text: not the addresses of its links."""
    return _ADDRESS.sub("]", str(block.get("text", "")))


def _direction(said: str) -> Element:
    return {"rtl": True} if is_rtl(said) else {}


def action_set(actions: Sequence[Element]) -> Element:
    return {"type": "ActionSet", "actions": primary_first(actions)}


def primary_first(actions: Sequence[Element]) -> list[Element]:
    """The first as buttons, the others in the menu behind them."""
    shown = sum(1 for each in actions if "mode" not in each)
    if shown <= MOST_PRIMARY:
        return list(actions)
    return [each if at < MOST_PRIMARY - 1 else {**each, "mode": "secondary"} for at, each in enumerate(actions)]


def execute(title: str, verb: str, data: Mapping[str, object], tooltip: str = "") -> Element:
    """Comes back as `adaptiveCard/action`."""
    return {"type": "Action.Execute", **_titled(title, tooltip), "verb": verb, "data": dict(data)}


def submit(title: str, data: Mapping[str, object], *, with_inputs: bool = True) -> Element:
    """Comes back as `task/submit` from a dialog, and as `task/fetch` where the data open one. `with_inputs`: what was
    filled in has to be right, and comes back with it."""
    inputs: Element = {} if with_inputs else {"associatedInputs": "none"}
    return {"type": "Action.Submit", **_titled(title), **inputs, "data": dict(data)}


def open_url(title: str, url: str) -> Element:
    """`url`: made by `bot.model.links`."""
    return {"type": "Action.OpenUrl", **_titled(title), "url": url}


def toggle(title: str, ids: Sequence[str]) -> Element:
    """Shows what is hidden and hides what is shown of these."""
    return {"type": "Action.ToggleVisibility", **_titled(title), "targetElements": list(ids)}


def in_menu(action: Element) -> Element:
    return {**action, "mode": "secondary"}


def _titled(title: str, tooltip: str = "") -> Element:
    hint: Element = {"tooltip": plain(tooltip, _TOOLTIP)} if tooltip else {}
    return {"title": plain(title, _TITLE) or "?", **hint}


def text_input(name: str, label: str, **looks: object) -> Element:
    return {"type": "Input.Text", "id": name, "label": plain(label, _LABEL), **looks}


def date_input(name: str, label: str, value: str = "") -> Element:
    found: Element = {"type": "Input.Date", "id": name, "label": plain(label, _LABEL)}
    return {**found, "value": value} if value else found


def choice_input(
    name: str,
    label: str,
    choices: Sequence[tuple[str, str]],
    chosen: Sequence[str] = (),
    *,
    several: bool = False,
    **looks: object,
) -> Element:
    """`choices`: value and text of each; a value holds no comma, which is what Teams puts between several."""
    offered = [{"title": plain(text, _TITLE) or value, "value": value} for value, text in choices if "," not in value]
    known = {each["value"] for each in offered}
    value = ",".join(each for each in chosen if each in known)
    found: Element = {
        "type": "Input.ChoiceSet",
        "id": name,
        "label": plain(label, _LABEL),
        "choices": offered,
        "isMultiSelect": several,
        "wrap": True,
        **looks,
    }
    return {**found, "value": value} if value else found


def card(body: Sequence[Element], actions: Sequence[Element] = (), fallback: str = "") -> Element:
    """A whole card, as wide as the client lets it be. `fallback`: plain text for a client that cannot show it."""
    made: Element = {
        "type": "AdaptiveCard",
        "$schema": SCHEMA,
        "version": CARD_VERSION,
        "msteams": {"width": "Full"},
        "body": list(body),
    }
    if actions:
        made["actions"] = primary_first(actions)
    return {**made, "fallbackText": fallback} if fallback else made


def attachment(made: Element) -> Element:
    return {"contentType": CARD_TYPE, "content": made}


def weight(elements: Sequence[Element]) -> int:
    """UTF-16 code units of the elements as JSON."""
    return sum(units(json.dumps(each, ensure_ascii=False)) + 2 for each in elements)
