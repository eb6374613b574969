"""Adaptive Cards against Microsoft's published JSON schema (`schema/adaptive-card-1.5.json`).

The few words of JSON schema (draft 6) that it uses are read here: the sandbox runs where no validator is installed, and
a card is looked at with every message.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

Schema = Mapping[str, Any]
_FILE = Path(__file__).resolve().parents[1] / "schema" / "adaptive-card-1.5.json"
_HERE = "#/definitions/"
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int,),
    "null": (type(None),),
}


def schema_problem(card: Mapping[str, object]) -> str:
    """ "" for a card that fits; else where it does not, and why. What is Teams' own of a card (`msteams`) is not in the
    schema."""
    plain = {name: each for name, each in card.items() if name != "msteams"}
    return _problem(plain, _definitions()["AdaptiveCard"], "card")


@cache
def _definitions() -> Mapping[str, Schema]:
    found: dict[str, Schema] = json.loads(_FILE.read_text("utf-8"))["definitions"]
    return found


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _problem(value: Any, schema: Schema, at: str) -> str:
    if "$ref" in schema:
        return _problem(value, _definitions()[schema["$ref"].removeprefix(_HERE)], at)
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not _is(value, schema["type"]):
        return f"{at}: is no {schema['type']}"
    if "pattern" in schema and isinstance(value, str) and not _pattern(schema["pattern"]).search(value):
        return f"{at}: {value!r} does not fit {schema['pattern']}"
    found = ""
    if isinstance(value, dict):
        found = _in_object(value, schema, at)
    elif isinstance(value, list) and "items" in schema:
        found = _first(_problem(each, schema["items"], f"{at}[{number}]") for number, each in enumerate(value))
    found = found or _first(_problem(value, each, at) for each in schema.get("allOf", ()))
    return found or (_of_any(value, schema["anyOf"], at) if "anyOf" in schema else "")


def _in_object(value: Mapping[str, Any], schema: Schema, at: str) -> str:
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{at}: {missing[0]} is missing"
    known: Schema = schema.get("properties", {})
    if schema.get("additionalProperties") is False:
        unknown = [name for name in value if name not in known]
        if unknown:
            return f"{at}: {unknown[0]} is not known"
    return _first(_problem(each, known[name], f"{at}.{name}") for name, each in value.items() if name in known)


def _of_any(value: Any, choices: list[Schema], at: str) -> str:
    """Of elements and actions the one whose type it says is looked at alone: what is wrong can be said then."""
    if isinstance(value, dict) and "type" in value:
        named = f"{_HERE}{value['type']}"
        for each in choices:
            if {"$ref": named} in (each, *each.get("allOf", ())):
                return _problem(value, each, at)
    wrong = ""
    for each in (each for each in choices if each.get("type", "object") in _TYPES):  # others are no types of JSON
        found = _problem(value, each, at)
        if not found:
            return ""
        wrong = found if len(found) > len(wrong) else wrong
    return wrong


def _first(problems: Any) -> str:
    return next((each for each in problems if each), "")


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES.get(kind, ()))
