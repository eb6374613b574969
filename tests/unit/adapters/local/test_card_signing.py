"""What comes back from a card is believed only as we signed it, in the conversation that we signed it for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.local.signing import CardSigning
from rag_core.errors import Misconfigured

HERE, THERE = "19:ads@thread.tacv2", "19:other@thread.tacv2"
FIELDS = {"adpolicy": "show_sources", "answer": "an-answer"}


def signing(*keys: str) -> CardSigning:
    return CardSigning(keys or ("a-key",))


def test_what_was_signed_is_read_without_what_a_form_adds() -> None:
    payload = {**signing().signed(FIELDS, HERE), "comment": "mine", "msteams": {"type": "task/fetch"}}
    assert signing().read(payload, HERE) == FIELDS


@pytest.mark.parametrize(
    "change",
    [
        {"answer": "another"},
        {"adpolicy": "share"},
        {"answer": None},
        {"answer": ["an-answer"]},
        {"signed": ""},
        {"signed": None},
        {"signed": "1.adpolicy,answer."},
        {"signed": "1.adpolicy,answer.%%%"},
        {"signed": "1.adpolicy,answer.ümlaut"},
    ],
    ids=str,
)
def test_what_was_changed_is_not_read(change: dict[str, Any]) -> None:
    assert signing().read({**signing().signed(FIELDS, HERE), **change}, HERE) is None


def test_a_field_cannot_be_left_out_of_the_signature() -> None:
    payload = signing().signed(FIELDS, HERE)
    version, _, proof = payload["signed"].split(".")
    assert signing().read({**payload, "signed": f"{version}.adpolicy.{proof}"}, HERE) is None
    assert signing().read({**payload, "signed": f"2.adpolicy,answer.{proof}"}, HERE) is None


def test_it_holds_for_one_conversation() -> None:
    assert signing().read(signing().signed(FIELDS, HERE), THERE) is None


def test_nothing_signed_is_nothing_read() -> None:
    assert signing().read({"adpolicy": "share", "answer": "x"}, HERE) is None


def test_keys_are_replaced_without_cards_going_dead() -> None:
    before, now = signing("old"), signing("new", "old")
    assert now.read(before.signed(FIELDS, HERE), HERE) == FIELDS
    assert before.read(now.signed(FIELDS, HERE), HERE) is None
    assert signing("new").read(before.signed(FIELDS, HERE), HERE) is None


def test_the_order_of_fields_does_not_matter() -> None:
    assert signing().signed(FIELDS, HERE) == signing().signed(dict(reversed(FIELDS.items())), HERE)


def test_without_a_key_nothing_is_signed() -> None:
    with pytest.raises(Misconfigured):
        CardSigning(())
    with pytest.raises(Misconfigured):
        CardSigning(("a-key", " "))


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,12}", fullmatch=True).filter(lambda each: each != "signed"), st.text()))
def test_any_text_comes_back_as_it_was(fields: dict[str, str]) -> None:
    expected = fields if fields else {}
    found = signing().read(signing().signed(fields, HERE), HERE)
    assert found == expected
