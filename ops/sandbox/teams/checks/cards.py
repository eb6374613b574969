"""Whether Teams would show an Adaptive Card."""

from collections.abc import Iterator, Mapping

from ops.sandbox.teams.checks.schema import schema_problem
from ops.sandbox.teams.refusals import bad_argument

NEWEST = (1, 5)
"""The newest version that Teams shows for bots; of a newer card it shows `fallbackText`, which is refused here."""

ACTIONS = frozenset({"Action.Execute", "Action.OpenUrl", "Action.ShowCard", "Action.Submit", "Action.ToggleVisibility"})
_PARTS = ("body", "items", "columns", "rows", "cells", "actions", "inlines", "images", "card", "selectAction")


def check_card(card: object) -> None:
    """Raises TeamsRefusal."""
    if not isinstance(card, dict) or card.get("type") != "AdaptiveCard":
        raise bad_argument("The content of an Adaptive Card must have the type AdaptiveCard")
    if _version(card.get("version")) > NEWEST:
        raise bad_argument(f"Teams shows the fallback text of a card of version {card.get('version')}")
    wrong = schema_problem(card)
    if wrong:
        raise bad_argument(wrong)
    ids = [str(each.get("id")) for each in parts_of(card) if str(each.get("type")).startswith("Input.")]
    if len(set(ids)) < len(ids):
        raise bad_argument("Each input of a card needs an id of its own")


def parts_of(card: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Every element and action in a card, in order, with those of cards inside it."""
    for each in children_of(card):
        yield each
        yield from parts_of(each)


def children_of(part: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """What stands directly in a card, a container, or the card that an action shows."""
    for name in _PARTS:
        found = part.get(name)
        yield from (each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict))


def _version(value: object) -> tuple[int, ...]:
    numbers = str(value or "").split(".")
    if not all(each.isdigit() for each in numbers):
        raise bad_argument("A card has no version")
    return tuple(int(each) for each in numbers)
