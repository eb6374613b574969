"""Entries of the record: canonical bytes, the chain, personal fields beside it."""

import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.audit.entries import BEGINNING, PersonalValue, canonical, moment, personal_hash, seal
from rag_core.errors import Rejected
from tests.fakes.audit import make_entry


def test_canonical_bytes_are_those_of_the_rfc() -> None:
    """The example of RFC 8785, section 3.2.3: order of keys by UTF-16, numbers as JavaScript writes them."""
    value = {"€": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\x80": 6, "ö": 7}
    assert list(json.loads(canonical(value))) == ["\r", "1", "\x80", "ö", "€", "😀", "\ufb33"]
    numbers = [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001]
    assert canonical(numbers) == b"[333333333.3333333,1e+30,4.5,0.002,1e-27]"
    assert canonical({"text": "a\n\u2028b"}) == '{"text":"a\\n\u2028b"}'.encode()


def test_what_json_has_no_word_for_is_said_otherwise() -> None:
    assert canonical([2**53, -(2**60), float("nan"), float("inf"), (1,), True, None]) == (
        b'["9007199254740992","-1152921504606846976",null,null,[1],true,null]'
    )


@pytest.mark.parametrize("value", [object(), {"a": {1, 2}}, "\ud800", b"x"])
def test_what_is_no_json_is_rejected(value: object) -> None:
    with pytest.raises(Rejected, match="record_not_storable"):
        canonical(value)


def test_a_record_names_its_place_and_the_one_before() -> None:
    first = seal(make_entry(1), 1, BEGINNING, lambda: "aa" * 16)
    second = seal(make_entry(2), 2, first.hash, lambda: "bb" * 16)
    body = json.loads(second.canonical)
    assert (body["sequence"], body["previous"]) == (2, hashlib.sha256(first.canonical).hexdigest())
    assert (body["chain"], body["kind"], body["subject"], body["format"]) == ("T1", "question", "a2", 1)
    assert second.hash == hashlib.sha256(second.canonical).hexdigest()
    assert b"\n" not in second.canonical


def test_personal_fields_are_in_the_record_as_salted_hashes_only() -> None:
    salts = iter(["00" * 16, "ff" * 16])
    sealed = seal(make_entry(1), 1, BEGINNING, lambda: next(salts))
    body = json.loads(sealed.canonical)
    asked = hashlib.sha256(bytes.fromhex("ff" * 16) + "„Bier“ 🍺 1?".encode()).hexdigest()
    assert body["personal"]["asked"] == asked == personal_hash(sealed.personal["asked"])
    assert b"Bier" not in sealed.canonical
    assert sealed.personal["person"] == PersonalValue("00" * 16, "U1")


def test_moments_are_written_in_utc() -> None:
    at = datetime(2026, 6, 1, 14, 0, 0, 5, tzinfo=timezone(timedelta(hours=2)))
    assert moment(at) == "2026-06-01T12:00:00.000005+00:00" == moment(at.astimezone(UTC))
