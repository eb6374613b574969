"""Adaptive Cards: whether Teams would show one, what can be pressed on it, and what pressing it sends."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ops.sandbox.schema import Schema
from ops.sandbox.teams.limits import TeamsRefusal

Card = Mapping[str, object]
Folded = Mapping[str, bool]
"""Element -> whether it is visible, as somebody has folded and unfolded a card."""

ADAPTIVE_CARD = "application/vnd.microsoft.card.adaptive"
NEWEST = (1, 5)
"""The newest version that Teams shows for bots; of a newer card it shows `fallbackText`, which is refused here."""

ACTIONS = frozenset({"Action.Execute", "Action.OpenUrl", "Action.ShowCard", "Action.Submit", "Action.ToggleVisibility"})
_PARTS = ("body", "items", "columns", "rows", "cells", "actions", "inlines", "images", "card", "selectAction")
_SCHEMA = Path(__file__).parent / "schema" / "adaptive-card-1.5.json"


@cache
def _schema() -> Schema:
    """Microsoft's published one."""
    return Schema(json.loads(_SCHEMA.read_text("utf-8"))["definitions"])


def schema_problem(card: Card) -> str:
    """ "" for a card that fits; else where it does not, and why. What is Teams' own of a card (`msteams`) is not in the
    schema."""
    plain = {name: each for name, each in card.items() if name != "msteams"}
    found = next(_schema().problems(plain, {"$ref": "#/definitions/AdaptiveCard"}, "card"), None)
    return f"{found[0]}: {found[1]}" if found else ""


def check_card(card: object) -> None:
    """Raises TeamsRefusal."""
    wrong = card_problem(card)
    if wrong:
        raise TeamsRefusal("BadArgument", wrong)


def card_problem(card: object) -> str:
    if not isinstance(card, dict) or card.get("type") != "AdaptiveCard":
        return "The content of an Adaptive Card must have the type AdaptiveCard"
    numbers = str(card.get("version") or "").split(".")
    if not all(each.isdigit() for each in numbers):
        return "A card has no version"
    if tuple(map(int, numbers)) > NEWEST:
        return f"Teams shows the fallback text of a card of version {card.get('version')}"
    ids = [str(each.get("id")) for each in parts_of(card) if str(each.get("type")).startswith("Input.")]
    return schema_problem(card) or ("Each input of a card needs an id of its own" if len(set(ids)) < len(ids) else "")


def parts_of(card: Card) -> Iterator[dict[str, object]]:
    """Every element and action in a card, in order, with those of cards inside it."""
    for each in _children_of(card):
        yield each
        yield from parts_of(each)


def _children_of(part: Card) -> Iterator[dict[str, object]]:
    """What stands directly in a card, a container, or the card that an action shows."""
    for name in _PARTS:
        found = part.get(name)
        yield from (each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict))


@dataclass(frozen=True, slots=True)
class Pressed:
    """An action with the inputs that it takes along."""

    action: Mapping[str, object]
    inputs: Mapping[str, object]

    @property
    def kind(self) -> str:
        return str(self.action.get("type"))

    @property
    def data(self) -> dict[str, object]:
        """The action's data with the inputs, as Teams merges them."""
        given = self.action.get("data")
        return {**(given if isinstance(given, dict) else {}), **self.inputs}

    @property
    def msteams(self) -> Mapping[str, object]:
        found = self.data.get("msteams")
        return found if isinstance(found, dict) else {}


def actions_of(card: Card, folded: Folded | None = None) -> Iterator[dict[str, object]]:
    """Those that can be seen."""
    return (each for each in _visible(card, folded or {}) if each.get("type") in ACTIONS)


def shown_ids(card: Card, folded: Folded) -> set[str]:
    return {str(each.get("id")) for each in _visible(card, folded)}


def toggled(card: Card, action: Mapping[str, object], folded: Folded) -> dict[str, bool]:
    """What is visible once an Action.ToggleVisibility was pressed."""
    seen = {str(each.get("id")): _is_visible(each, folded) for each in parts_of(card)}
    found = dict(folded)
    targets = action.get("targetElements")
    for each in targets if isinstance(targets, list) else []:
        name = str(each.get("elementId") if isinstance(each, dict) else each)
        wanted = each.get("isVisible") if isinstance(each, dict) else None
        found[name] = wanted if isinstance(wanted, bool) else not seen.get(name, True)
    return found


def _visible(card: Card, folded: Folded) -> Iterator[dict[str, object]]:
    for each in _children_of(card):
        if _is_visible(each, folded):
            yield each
            yield from _visible(each, folded)


def _is_visible(part: Card, folded: Folded) -> bool:
    return folded.get(str(part.get("id")), part.get("isVisible") is not False)


def press(card: Card, what: str, inputs: Mapping[str, object] | None = None, folded: Folded | None = None) -> Pressed:
    """The action with this title, id or verb; or "#3" for the fourth in the card, folded or not (the page folds by
    itself). Raises LookupError: for none that can be seen, one that is switched off, a required input that is empty, an
    input that is not there."""
    seen, every = list(actions_of(card, folded)), [each for each in parts_of(card) if each.get("type") in ACTIONS]
    found = [each for each in seen if what in (each.get("title"), each.get("id"))]
    found = found or [each for each in seen if what == each.get("verb")]
    found = found or [each for number, each in enumerate(every) if what == f"#{number}"]
    if not found:
        raise LookupError(f"no button {what!r}; there are {[str(each.get('title') or '') for each in seen]}")
    if found[0].get("isEnabled") is False:
        raise LookupError(f"{what!r} is switched off")
    takes = found[0].get("associatedInputs") != "none"
    return Pressed(found[0], filled(card, inputs or {}) if takes else {})


def filled(card: Card, given: Mapping[str, object]) -> dict[str, object]:
    """What all inputs hold once `given` is typed in: Teams sends texts. Raises LookupError."""
    known = {str(each.get("id")): each for each in parts_of(card) if str(each.get("type")).startswith("Input.")}
    for name in given:
        if name not in known:
            raise LookupError(f"no input {name!r}; there are {sorted(known)}")
    held: dict[str, object] = {}
    for name, each in known.items():
        value = str(given.get(name, each.get("value", "")))
        if each.get("type") == "Input.Toggle" and not value:
            value = str(each.get("valueOff", "false"))
        _check_value(name, each, value)
        if value or name in given:
            held[name] = value
    return held


def _check_value(name: str, field: Mapping[str, object], value: str) -> None:
    most, choices = field.get("maxLength"), field.get("choices")
    if not value and field.get("isRequired"):
        raise LookupError(f"{name!r} must be filled in")
    if isinstance(most, int) and len(value) > most:
        raise LookupError(f"{name!r} takes {most} characters")
    if field.get("type") != "Input.ChoiceSet" or not value or field.get("style") == "filtered":
        return
    there = [str(each.get("value")) for each in choices if isinstance(each, dict)] if isinstance(choices, list) else []
    for each in value.split(",") if field.get("isMultiSelect") else [value]:
        if each not in there:
            raise LookupError(f"{name!r} has no choice {each!r}; there are {there}")
