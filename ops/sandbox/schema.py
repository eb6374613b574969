"""JSON against JSON schema, in the few words of it that are used here: the sandbox runs where no validator is
installed, and a card or a block is looked at with every message.

Some words are our own: `kinds` names the definitions of which the value's `type` picks one (or says which type
picks which); of the fields that `exactlyOne` and `someOf` name, one or at least one is there.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

Rule = Mapping[str, Any]
Found = Iterator[tuple[str, str]]
"""(JSON pointer, what is wrong there)."""

_HERE = "#/definitions/"


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "number": (int, float),
    "integer": (int,), "null": (type(None),),
}  # fmt: skip
_BOUNDS: Mapping[str, tuple[type | tuple[type, ...], Callable[[Any, Any], bool], Callable[[Any], str]]] = {
    "minLength": (str, lambda value, least: len(value) >= least, lambda n: f"must be more than {n - 1} characters"),
    "maxLength": (str, lambda value, most: len(value) <= most, lambda n: f"must be less than {n + 1} characters"),
    "pattern": (str, lambda value, form: _pattern(form).search(value) is not None, lambda form: f"does not fit {form}"),
    "minItems": (list, lambda value, least: len(value) >= least, lambda n: f"no less than {n} items allowed"),
    "maxItems": (list, lambda value, most: len(value) <= most, lambda n: f"no more than {n} items allowed"),
    "minimum": ((int, float), lambda value, least: value >= least, lambda n: f"must not be less than {n}"),
    "maximum": ((int, float), lambda value, most: value <= most, lambda n: f"must not be more than {n}"),
}


class Schema:
    def __init__(self, definitions: Mapping[str, Rule]) -> None:
        self._definitions = definitions

    def problems(self, value: Any, rule: Rule, at: str = "") -> Found:
        """What is wrong with `value`, in order."""
        if "$ref" in rule:
            yield from self.problems(value, self._definitions[rule["$ref"].removeprefix(_HERE)], at)
        elif "kinds" in rule:
            kind = value.get("type") if isinstance(value, dict) else None
            if isinstance(kind, str) and kind in rule["kinds"]:
                named = rule["kinds"][kind] if isinstance(rule["kinds"], dict) else kind
                yield from self.problems(value, self._definitions[named], at)
            else:
                yield at, f"unsupported type: {kind}"
        elif "type" in rule and not _is(value, rule["type"]):
            yield at, f"must be of type {rule['type']}"
        else:
            yield from self._here(value, rule, at)
            for each in rule.get("allOf", ()):
                yield from self.problems(value, each, at)
            if "anyOf" in rule:
                yield from self._of_any(value, rule["anyOf"], at)

    def _here(self, value: Any, rule: Rule, at: str) -> Found:
        if "enum" in rule and value not in rule["enum"]:
            yield at, f"{value!r} must be one of {', '.join(map(str, rule['enum']))}"
        for word, (kind, holds, said) in _BOUNDS.items():
            if word in rule and isinstance(value, kind) and not holds(value, rule[word]):
                yield at, said(rule[word])
        if isinstance(value, dict):
            yield from self._in_object(value, rule, at)
        elif isinstance(value, list) and "items" in rule:
            for place, each in enumerate(value):
                yield from self.problems(each, rule["items"], f"{at}/{place}")

    def _in_object(self, value: Mapping[str, Any], rule: Rule, at: str) -> Found:
        known: Rule = rule.get("properties", {})
        for name in rule.get("required", ()):
            if name not in value:
                yield at, f"missing required field: {name}"
        if rule.get("exactlyOne") and sum(name in value for name in rule["exactlyOne"]) != 1:
            yield at, f"must define exactly one of {', '.join(rule['exactlyOne'])}"
        if rule.get("someOf") and not any(name in value for name in rule["someOf"]):
            yield at, f"must define either {' or '.join(rule['someOf'])}"
        if rule.get("additionalProperties") is False:
            for name in [each for each in value if each not in known]:
                yield at, f"invalid additional property: {name}"
        for name in [each for each in known if each in value]:
            yield from self.problems(value[name], known[name], f"{at}/{name}")

    def _of_any(self, value: Any, choices: list[Rule], at: str) -> Found:
        """Of elements and actions the one whose type it says is looked at alone: what is wrong can be said then."""
        if isinstance(value, dict) and "type" in value:
            named = f"{_HERE}{value['type']}"
            for each in choices:
                if {"$ref": named} in (each, *each.get("allOf", ())):
                    yield from self.problems(value, each, at)
                    return
        tried = [  # others are no types of JSON
            [*self.problems(value, each, at)] for each in choices if each.get("type", "object") in _TYPES
        ]
        if all(tried):
            yield from max(tried, key=lambda found: len(found[0][1]), default=[])[:1]


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES.get(kind, ()))
