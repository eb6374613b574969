"""Choosing a scope: what the fields offer, and what is read from them."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.actions.scope_forms import read_scope
from bot.render.scope_form import DAY, MATERIAL, PLACE, PLATFORM, ScopeChosen
from bot.render.slack.scope import scope_inputs
from ops.sandbox.slack.block_kit import Surface, check_view
from rag_core.documents import PolicySource
from rag_core.questions import Filters

SOURCES = (PolicySource("sample", "Sample Ads"), PolicySource("other", "Other <Ads> & *all*"))
CHOSEN = ScopeChosen(("other", "gone"), ("uk", "us-tx"), ("video",), date(2026, 3, 1))


def view(blocks: list[dict[str, object]]) -> dict[str, object]:
    plain = {"type": "plain_text", "text": "x"}
    return {"type": "modal", "title": plain, "submit": plain, "blocks": blocks}


def filled(**fields: Any) -> dict[str, Any]:
    return {name: {name: state} for name, state in fields.items()}


def chosen_of(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """The state that Slack would send of what the fields say at first."""
    found: dict[str, Any] = {}
    for block in blocks:
        element = block["element"]
        state = {
            "selected_options": element.get("initial_options", []),
            "value": element.get("initial_value"),
            "selected_date": element.get("initial_date"),
        }
        found[block["block_id"]] = {element["action_id"]: state}
    return found


@pytest.mark.parametrize("sources", [(), SOURCES, tuple(PolicySource(f"s{n}", f"S {n}") for n in range(150))])
def test_slack_takes_the_fields(sources: tuple[PolicySource, ...]) -> None:
    assert check_view(view(scope_inputs(sources, CHOSEN)), Surface.MODAL) is None


def test_what_the_fields_say_at_first_is_read_back_without_what_cannot_be_chosen() -> None:
    found = read_scope(chosen_of(scope_inputs(SOURCES, CHOSEN)))
    assert found.filters == Filters(("other",), ("uk", "us-tx"), ("video",))
    assert (found.as_of, found.errors) == (date(2026, 3, 1), {})


def test_nothing_has_to_be_filled_in() -> None:
    assert read_scope({}).filters == Filters()
    assert read_scope(chosen_of(scope_inputs(()))).errors == {}


@pytest.mark.parametrize(
    ("typed", "codes"),
    [
        ("Germany, France", ("de", "fr")),
        ("gb; us-TX", ("uk", "us-tx")),
        (" the UK ,, uk", ("uk",)),
        ("EU", ("eu",)),
        ("Georgia", ("ge",)),
    ],
)
def test_places_by_name_or_code(typed: str, codes: tuple[str, ...]) -> None:
    assert read_scope(filled(**{PLACE: {"value": typed}})).filters.regions == codes


@pytest.mark.parametrize(
    ("field", "state"),
    [
        (PLACE, {"value": "Germany, Atlantis"}),
        (DAY, {"selected_date": "2026-02-30"}),
        (MATERIAL, {"selected_options": [{"value": "smell"}]}),
        (PLATFORM, {"selected_options": [{"value": "x" * 500}]}),
    ],
)
def test_what_is_not_known_is_said_at_its_field(field: str, state: dict[str, Any]) -> None:
    errors = read_scope(filled(**{field: state})).errors
    assert list(errors) == [field]


def test_an_unknown_place_is_named() -> None:
    assert "“Atlantis”" in read_scope(filled(**{PLACE: {"value": "Germany, Atlantis"}})).errors[PLACE]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from([PLATFORM, PLACE, MATERIAL, DAY]), json_values))
def test_whatever_is_sent_is_read(values: dict[str, Any]) -> None:
    read_scope(values)
    read_scope({name: {name: value} for name, value in values.items()})
