"""The stand-in reads Microsoft's schema of Adaptive Cards as a validator does."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft6Validator

from ops.sandbox.teams.cards import schema_problem
from tests.fakes.teams_bot import card

FILE = Path("ops/sandbox/teams/schema/adaptive-card-1.5.json")
TEXT = {"type": "TextBlock", "text": "a"}
TABLE = {"type": "Table", "columns": [{"width": 1}], "rows": []}
FITS = [
    card(),
    card({**TEXT, "wrap": True, "size": "Large", "color": "good", "spacing": "None", "isVisible": False, "id": "x"}),
    card({"type": "Container", "style": "warning", "items": [{"type": "ColumnSet", "columns": []}]}),
    card({**TABLE, "rows": [{"type": "TableRow", "cells": [{"type": "TableCell", "items": [TEXT]}]}]}),
    card({"type": "RichTextBlock", "inlines": ["a", {"type": "TextRun", "text": "b"}]}),
    card({"type": "FactSet", "facts": [{"title": "a", "value": "b"}]}),
    card({"type": "Input.ChoiceSet", "id": "a", "choices": [{"title": "a", "value": "b"}]}),
    card(actions=[{"type": "Action.Submit", "title": "a", "data": {"x": 1}}, {"type": "Action.Execute", "verb": "v"}]),
    card(actions=[{"type": "Action.ShowCard", "title": "b", "card": card(TEXT)}], speak="a", rtl=True),
    card(selectAction={"type": "Action.ToggleVisibility", "targetElements": ["x", {"elementId": "y"}]}),
]
FAILS = [
    (card({**TEXT, "size": "Enormous"}), "card/body/0/size: does not fit"),
    (card({**TEXT, "foo": 1}), "card/body/0: invalid additional property: foo"),
    (card({**TEXT, "text": 5}), "card/body/0/text: must be of type string"),
    (card({"type": "TextBlock"}), "card/body/0: "),
    (card({"type": "Chart.Pie"}), "'Chart.Pie' must be one of"),
    (card({"type": "Input.Number", "id": "a", "max": True}), "card/body/0/max: must be of type number"),
    (card({"type": "Input.Text"}), "card/body/0: missing required field: id"),
    (
        card({**TABLE, "rows": [{"type": "TableRow", "cells": [{"type": "TableCell", "items": [{"type": "F"}]}]}]}),
        "'F'",
    ),
    (card(actions=[{"type": "Action.Foo"}]), "'Action.Foo'"),
    (card(actions=[{"type": "Action.OpenUrl", "title": "a"}]), "card/actions/0: missing required field: url"),
    (card(actions={}), "card/actions: must be of type array"),
    (card(odd=1), "card: invalid additional property: odd"),
    (card(version=1.5), "card/version: must be of type string"),
]


@pytest.mark.parametrize("fits", FITS)
def test_what_fits(fits: dict[str, Any]) -> None:
    assert schema_problem(fits) == ""
    assert _validator().is_valid(fits)


@pytest.mark.parametrize(("wrong", "said"), FAILS)
def test_what_does_not(wrong: dict[str, Any], said: str) -> None:
    assert said in schema_problem(wrong)
    assert not _validator().is_valid(wrong)


def test_what_is_teams_own_of_a_card() -> None:
    assert schema_problem(card(msteams={"width": "Full"})) == ""


def _validator() -> Draft6Validator:
    return Draft6Validator(_plain(json.loads(FILE.read_text("utf-8"))))


def _plain(schema: Any) -> Any:
    """Without the words that only Microsoft's own tools read: types of JSON that are names of elements."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _plain(each) for name, each in schema.items() if name not in ("default", "example", "examples")}
    kinds = ("object", "array", "string", "boolean", "number", "integer", "null")
    if isinstance(found.get("type"), str) and found["type"] not in kinds:
        return {"not": {}}
    return found
