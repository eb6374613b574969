"""What the address of a GET request asks for: each field read, and all that cannot be read named at once."""

from collections.abc import Callable, Collection
from datetime import date
from typing import TypeVar

from aiohttp import web

from adapters.web.problems import RequestRefused
from bot.wording.rest import field_error

_MOST_SOURCES = 100
_NAME_SHOWN = 60
_HIGHEST = 2**63 - 1
_LONGEST = 300
_Value = TypeVar("_Value")


class GivenFields:
    """The query of `request`; fields that are not `known` are errors."""

    def __init__(self, request: web.Request, known: Collection[str]) -> None:
        self._query = request.query
        unknown = [name[:_NAME_SHOWN] for name in self._query if name not in known]
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
