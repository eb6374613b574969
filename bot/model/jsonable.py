"""Dataclasses as plain JSON values: what is recorded of questions, replies and traces."""

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any


def jsonable(value: object) -> Any:
    """`value` as dicts, lists, strings, numbers, booleans and None.

    Dataclasses become dicts of their fields, moments and days ISO 8601 (moments in UTC), enums their values,
    sets sorted lists, numbers that JSON has no word for (NaN, infinities) None. Raises TypeError for the rest.
    """
    if isinstance(value, Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, date):
        return _iso(value)
    return _nested(value)


def _iso(value: date) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value.isoformat()


def _nested(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(jsonable(key)): jsonable(each) for key, each in value.items()}
    if isinstance(value, Set):
        return sorted((jsonable(each) for each in value), key=str)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray | memoryview):
        return [jsonable(each) for each in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")
