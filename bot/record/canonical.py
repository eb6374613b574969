"""One spelling of a JSON value, so that its hash can be told again anywhere: RFC 8785."""

import math
from collections.abc import Mapping
from typing import Any

import rfc8785

from rag_core.errors import Rejected

_MOST_INTEGER = 2**53 - 1
"""RFC 8785 counts as JavaScript does: beyond that, two integers may read the same."""


def canonical(value: object) -> bytes:
    """The canonical bytes of plain JSON values (see `bot.jsonable`); they hold no line break.

    Integers that JavaScript cannot tell apart become text, numbers that JSON has no word for null. Raises
    Rejected("record_not_storable") for what is no JSON, and for text that is no Unicode.
    """
    try:
        return rfc8785.dumps(_plain(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as exc:
        raise Rejected("record_not_storable") from exc


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _MOST_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    raise Rejected("record_not_storable")
