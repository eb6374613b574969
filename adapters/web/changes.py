"""`GET /api/v1/changes`: what changed in the public policies, to be read on from a cursor."""

from collections.abc import Callable
from datetime import date
from typing import TypeVar

from aiohttp import web

from adapters.web.parts import EVERYBODY, PARTS
from adapters.web.problems import RequestRefused
from bot.wording_rest import field_error
from rag_core.changes import ChangesWanted, change_json

_KNOWN = ("since", "until", "policy_source", "cursor", "limit")
_LIMIT, _MOST = 50, 200
_MOST_SOURCES = 100
_NAME_SHOWN = 60
_HIGHEST = 2**63 - 1
_Value = TypeVar("_Value")

routes = web.RouteTableDef()


@routes.get("/api/v1/changes")
async def changes(request: web.Request) -> web.Response:
    """In the order in which they were recorded; `cursor` of the answer, given again, asks for what came after.

    `has_more`: there is more to read now.
    """
    parts = request.app[PARTS]
    wanted, limit = _read(request)
    found = await parts.changes.changes(wanted, EVERYBODY, limit + 1) if limit > 0 else []
    shown = found[:limit] if limit > 0 else []
    cursor = shown[-1].change_id if shown else wanted.after
    body = {
        "changes": [change_json(each) for each in shown],
        "cursor": str(cursor),
        "has_more": len(found) > len(shown),
    }
    return web.json_response(body)


def _read(request: web.Request) -> tuple[ChangesWanted, int]:
    unknown = [name[:_NAME_SHOWN] for name in request.query if name not in _KNOWN]
    errors = [_error(name, "extra_forbidden") for name in unknown]

    def given(name: str, read: Callable[[str], _Value], missing: _Value, problem: str) -> _Value:
        text = request.query.get(name, "").strip()
        try:
            return read(text) if text else missing
        except ValueError:
            errors.append(_error(name, problem))
            return missing

    wrong_day, wrong_number = "date_parsing", "int_type"
    since = given("since", _day, None, wrong_day)
    until = given("until", _day, None, wrong_day)
    after = given("cursor", _number, 0, wrong_number)
    limit = given("limit", int, _LIMIT, wrong_number)
    sources = {each.strip().lower() for each in request.query.getall("policy_source", []) if each.strip()}
    if len(sources) > _MOST_SOURCES or not all(each.isprintable() for each in sources):
        errors.append(_error("policy_source", "too_long"))
    if errors:
        raise RequestRefused(422, "invalid_request", errors=errors)
    return ChangesWanted(since, until, after, frozenset(sources)), min(limit, _MOST)


def _error(field: str, code: str) -> dict[str, str]:
    return {"field": field, "code": code, "detail": field_error(code)}


def _day(text: str) -> date | None:
    return date.fromisoformat(text)


def _number(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _HIGHEST:
        raise ValueError("out of range")
    return number
