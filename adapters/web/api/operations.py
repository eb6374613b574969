"""What a route takes and gives, declared beside it: the OpenAPI document is made of these."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web
from aiohttp.abc import AbstractView
from pydantic import BaseModel

from bot.access.tokens import Permission

TEXT = "text/plain"
JSON = "application/json"

Json = dict[str, Any]

_H = TypeVar("_H", bound=Callable[[web.Request], Awaitable[web.StreamResponse]])


@dataclass(frozen=True, slots=True)
class Operation:
    """`gives`: the shape of the JSON, None for plain text. `query`: JSON schemas of the fields in the address.

    `missing` are the codes of its 404, `refused` those of its 422 beside "invalid_request". `events`: the shape of each
    event's data, where it can answer as a stream. `also`: further statuses with JSON that is no problem.
    """

    permission: Permission | None
    gives: Any
    body: type[BaseModel] | None = None
    query: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    events: Mapping[str, Any] = field(default_factory=dict)
    also: Mapping[int, Any] = field(default_factory=dict)


_DECLARED: dict[object, Operation] = {}
"""By the function that serves the route."""


def serves(operation: Operation) -> Callable[[_H], _H]:
    """Declares what the function below takes and gives."""

    def declare(handler: _H) -> _H:
        _DECLARED[handler] = operation
        return handler

    return declare


def operation_of(handler: Callable[..., Any] | type[AbstractView]) -> Operation | None:
    return _DECLARED.get(handler)


def not_both(first: Json, second: Json) -> Json:
    """JSON schema: fields with these values exclude each other."""
    return {"not": {"required": [*first, *second], "properties": {**first, **second}}}


def just_one(*names: str) -> Json:
    """JSON schema: one of these texts, and not more."""
    return {"oneOf": [{"required": [each], "properties": {each: {"type": "string"}}} for each in names]}


DAY: Mapping[str, object] = {"type": "string", "format": "date"}
SOURCES: Mapping[str, object] = {"type": "array", "items": {"type": "string"}}
NAME: Mapping[str, object] = {"type": "string"}
PLACE_IN_FEED: Mapping[str, object] = {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}
LIMIT = PLACE_IN_FEED

OF_FILTERS = ("unknown_region", "unknown_content_type", "unknown_policy_source")
OF_QUESTIONS = ("question_empty", "question_too_long", "unclear_day", *OF_FILTERS)
"""Codes with which what was asked is refused."""
