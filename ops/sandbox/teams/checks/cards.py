"""Whether Teams would show an Adaptive Card."""

from collections.abc import Iterator, Mapping

from ops.sandbox.teams.refusals import bad_argument

NEWEST = (1, 5)
"""The newest version that Teams shows for bots; of a newer card it shows `fallbackText`, which is refused here."""

ELEMENTS = frozenset(
    {
        "ActionSet", "Column", "ColumnSet", "Container", "FactSet", "Image", "ImageSet", "Input.ChoiceSet",
        "Input.Date", "Input.Number", "Input.Text", "Input.Time", "Input.Toggle", "Media", "RichTextBlock", "Table",
        "TableCell", "TableRow", "TextBlock", "TextRun",
    }
)  # fmt: skip
ACTIONS = frozenset({"Action.Execute", "Action.OpenUrl", "Action.ShowCard", "Action.Submit", "Action.ToggleVisibility"})
_PARTS = ("body", "items", "columns", "rows", "cells", "actions", "inlines", "images", "card", "selectAction")
_INLINE = ("selectAction", "card")


def check_card(card: object) -> None:
    """Raises TeamsRefusal."""
    if not isinstance(card, dict) or card.get("type") != "AdaptiveCard":
        raise bad_argument("The content of an Adaptive Card must have the type AdaptiveCard")
    if _version(card.get("version")) > NEWEST:
        raise bad_argument(f"Teams shows the fallback text of a card of version {card.get('version')}")
    ids: set[str] = set()
    for each in parts_of(card):
        kind = str(each.get("type") or "")
        if kind not in ELEMENTS and kind not in ACTIONS and kind not in ("AdaptiveCard", ""):
            raise bad_argument(f"Unknown type in a card: {kind}")
        if kind.startswith("Input."):
            name = str(each.get("id") or "")
            if not name or name in ids:
                raise bad_argument(f"An input needs an id of its own: {name or kind}")
            ids.add(name)
        if kind == "Action.Execute" and not isinstance(each.get("verb", ""), str):
            raise bad_argument("verb must be a string")


def parts_of(card: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Every element and action in a card, in order, with those of cards inside it."""
    for name in _PARTS:
        found = card.get(name)
        listed = found if isinstance(found, list) else [found]
        for each in listed:
            if isinstance(each, dict):
                yield each
                yield from parts_of(each)


def _version(value: object) -> tuple[int, ...]:
    numbers = str(value or "").split(".")
    if not all(each.isdigit() for each in numbers):
        raise bad_argument("A card has no version")
    return tuple(int(each) for each in numbers)
