"""Input of the REST API: query fields and request bodies, checked."""

import asyncio
from collections.abc import Callable, Collection
from datetime import date
from typing import Annotated, Literal, TypeVar

from aiohttp import web
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from adapters.web.api.operations import not_both
from adapters.web.parts import PARTS
from adapters.web.problems import RequestRefused
from bot.wording import rest
from bot.wording.rest import field_error
from rag_core.questions import Filters, Turn

_MOST_SOURCES = 100
_FIELD_SHOWN = 60
_HIGHEST = 2**63 - 1
_LONGEST = 300
_Value = TypeVar("_Value")


class GivenFields:
    """The query of `request`; fields that are not `known` are errors."""

    def __init__(self, request: web.Request, known: Collection[str]) -> None:
        self._query = request.query
        unknown = [name[:_FIELD_SHOWN] for name in self._query if name not in known]
        self._errors = [_error(name, "extra_forbidden") for name in unknown]

    def day(self, name: str) -> date | None:
        return self._read(name, date.fromisoformat, None, "date_parsing")

    def number(self, name: str, missing: int) -> int:
        """From 0 to what a database can count to."""
        return self._read(name, _natural, missing, "int_type")

    def limit(self, missing: int, most: int) -> int:
        """How many are wanted, at most `most`."""
        return min(self.number("limit", missing), most)

    def name(self, name: str) -> str:
        """A text of one line, "" for none."""
        return self._read(name, _printable, "", "too_long")

    def sources(self) -> frozenset[str]:
        """`policy_source`, which may be given several times."""
        found = {each.strip().lower() for each in self._query.getall("policy_source", []) if each.strip()}
        if len(found) > _MOST_SOURCES or not all(each.isprintable() for each in found):
            self._errors.append(_error("policy_source", "too_long"))
        return frozenset(found)

    def check(self) -> None:
        """Raises RequestRefused that names every field that could not be read."""
        if self._errors:
            raise RequestRefused(422, "invalid_request", errors=self._errors)

    def _read(self, name: str, read: Callable[[str], _Value], missing: _Value, problem: str) -> _Value:
        text = self._query.get(name, "").strip()
        try:
            return read(text) if text else missing
        except ValueError:
            self._errors.append(_error(name, problem))
            return missing


def _error(field: str, code: str) -> dict[str, str]:
    return {"field": field, "code": code, "detail": field_error(code)}


def _natural(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _HIGHEST:
        raise ValueError("out of range")
    return number


def _printable(text: str) -> str:
    if len(text) > _LONGEST or not text.isprintable():
        raise ValueError("not a name")
    return text


def _as_list(value: object) -> object:
    if value is None or isinstance(value, list):
        return value or []
    if isinstance(value, str):
        return [value]
    raise PydanticCustomError("value_list", "a text or a list of texts")


def or_empty(value: object) -> object:
    return [] if value is None else value


Text = Annotated[str, Field(max_length=200)]
_Listed = Annotated[list[Text], Field(max_length=50)]
Values = Annotated[
    list[Text], BeforeValidator(_as_list, json_schema_input_type=Text | _Listed | None), Field(max_length=50)
]
"""One value or a list of them: any of."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FiltersBody(_Body):
    policy_source: Values = []
    region: Values = []
    content_type: Values = []
    policy_section: Values = []
    labels: Annotated[dict[Text, Values], Field(max_length=20)] = {}

    def as_filters(self) -> Filters:
        return Filters(
            policy_sources=tuple(self.policy_source),
            regions=tuple(self.region),
            content_types=tuple(self.content_type),
            sections=tuple(self.policy_section),
            labels={key: tuple(values) for key, values in self.labels.items()},
        )


class TurnBody(_Body):
    role: Literal["user", "assistant"]
    content: str


class AskBody(_Body):
    """`POST /api/v1/ask`. `conversation_id` and `history` exclude each other.

    What a long conversation was about is no field: of a `conversation_id` the server condenses it itself, and a caller
    who keeps the messages sends them as `history`, which names the same topics and places in their own words.
    """

    model_config = ConfigDict(
        json_schema_extra=not_both(
            {"conversation_id": {"type": "string"}}, {"history": {"type": "array", "minItems": 1}}
        )
    )

    question: str
    conversation_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    history: Annotated[
        list[TurnBody], BeforeValidator(or_empty, json_schema_input_type=list[TurnBody] | None), Field(max_length=50)
    ] = []
    filters: FiltersBody | None = None
    as_of: date | None = None
    top_k: Annotated[int, Field(ge=1, le=50)] = 15

    @model_validator(mode="after")
    def _one_context(self) -> "AskBody":
        if self.conversation_id is not None and self.history:
            raise PydanticCustomError("one_of", "either conversation_id or history")
        return self

    def chosen(self) -> Filters:
        return self.filters.as_filters() if self.filters else Filters()

    def turns(self) -> tuple[Turn, ...]:
        return tuple(Turn(turn.role, turn.content) for turn in self.history)


class SearchBody(_Body):
    """`POST /api/v1/search`. A `limit` of zero finds nothing."""

    query: str
    filters: FiltersBody | None = None
    as_of: date | None = None
    limit: Annotated[int, Field(ge=0, le=100)] = 10
    prefer_specific: bool = True

    def chosen(self) -> Filters:
        return self.filters.as_filters() if self.filters else Filters()


_M = TypeVar("_M", bound=BaseModel)

_ERRORS_SHOWN = 20
_NAME_SHOWN = 80
_FORM_BYTES = 16 * 1024


async def read_body(request: web.Request, model: type[_M]) -> _M:
    """The request's JSON body as `model`; raises RequestRefused (400, 408, 413, 415, 422)."""
    if request.content_type != "application/json" or (request.charset or "utf-8").lower() not in ("utf-8", "utf8"):
        raise RequestRefused(415, "unsupported_media_type")
    try:
        return model.model_validate_json(await _read(request))
    except ValidationError as exc:
        raise _refusal(exc) from exc


async def read_form(request: web.Request) -> bytes:
    """The body of a form as browsers send it without being asked for anything else; raises RequestRefused."""
    if request.content_type != "application/x-www-form-urlencoded":
        raise RequestRefused(415, "form_expected")
    if (request.content_length or 0) > _FORM_BYTES:
        raise RequestRefused(413, "body_too_large", limit=_FORM_BYTES)
    return await _read(request)


async def _read(request: web.Request) -> bytes:
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise RequestRefused(415, "compressed_body", {"Accept-Encoding": "identity"})
    try:
        async with asyncio.timeout(request.app[PARTS].body_seconds):
            return await request.read()
    except TimeoutError as exc:
        raise RequestRefused(408, "body_slow") from exc
    except web.HTTPRequestEntityTooLarge as exc:
        raise RequestRefused(413, "body_too_large", limit=request.app[PARTS].body_bytes) from exc
    except (web.RequestPayloadError, ConnectionResetError) as exc:  # the latter: the client has gone
        raise RequestRefused(400, "broken_body") from exc


def _refusal(exc: ValidationError) -> RequestRefused:
    errors = exc.errors(include_url=False, include_input=False)
    if errors[0]["type"] == "json_invalid":
        return RequestRefused(400, "malformed_json")
    explained = [_explained(error) for error in errors[:_ERRORS_SHOWN]]
    return RequestRefused(422, "invalid_request", errors=explained)


def _explained(error: ErrorDetails) -> dict[str, str]:
    facts = error.get("ctx", {})
    detail = rest.field_error(error["type"], facts.get("expected"), facts.get("ge"), facts.get("le"))
    field = ".".join(str(part) for part in error["loc"]) or "body"
    return {"field": field[:_NAME_SHOWN], "code": error["type"], "detail": detail}
