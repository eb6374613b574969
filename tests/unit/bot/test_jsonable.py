"""Values as JSON: every kind that replies and traces are made of, and nothing that JSON refuses."""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.jsonable import jsonable


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 3


@dataclass(frozen=True, slots=True)
class Inner:
    day: date
    colours: frozenset[Colour] = frozenset({Colour.RED})


@dataclass(frozen=True, slots=True)
class Outer:
    inner: tuple[Inner, ...]
    notes: dict[Any, Any] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (1.5, 1.5),
        (float("inf"), None),
        (float("nan"), None),
        (Size.BIG, 3),
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2026-02-28T23:00:00+00:00"),
        (frozenset({"b", "a"}), ["a", "b"]),
        ({3, 1, 2}, [1, 2, 3]),
        ({Colour.RED: 1, date(2026, 3, 1): 2, 5: 3}, {"red": 1, "2026-03-01": 2, "5": 3}),
        (
            Outer((Inner(date(2026, 3, 1)),), {"when": datetime(2026, 3, 1, tzinfo=UTC)}),
            {
                "inner": [{"day": "2026-03-01", "colours": ["red"]}],
                "notes": {"when": "2026-03-01T00:00:00+00:00"},
            },
        ),
    ],
)
def test_each_kind_has_its_form(value: object, expected: object) -> None:
    assert jsonable(value) == expected
    assert type(jsonable(value)) is type(expected)


@pytest.mark.parametrize("value", [object(), b"bytes", Outer, {"nested": [object]}])
def test_what_has_no_form_is_a_mistake(value: object) -> None:
    with pytest.raises(TypeError, match="no JSON form"):
        jsonable(value)


def set_of_texts(values: tuple[Any, ...]) -> frozenset[str]:
    return frozenset(map(repr, values))


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.just(Colour.RED),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.dates(), inner) | st.tuples(inner).map(set_of_texts),
    max_leaves=20,
)


@given(nested)
def test_whatever_comes_out_is_json(value: object) -> None:
    written = json.dumps(jsonable(value), allow_nan=False)
    assert json.loads(written) == jsonable(value)
    assert jsonable(jsonable(value)) == jsonable(value)
