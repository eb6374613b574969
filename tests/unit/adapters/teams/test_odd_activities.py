"""Activities of Teams with odd values: answered, and never a fault of the program."""

import json
from typing import Any

import pytest

from adapters.teams.addresses import MESSAGE, TeamsAddress, TeamsPlace, teams_address
from adapters.teams.messages import activity_of, read_activity
from bot.model.messages import ReplyAddress
from rag_core.errors import Rejected
from tests.fakes.teams import raw_activity

HALF = "\ud800"


def read(**more: Any) -> Any:
    return activity_of(read_activity(json.dumps(raw_activity("hello", **more)).encode()))


def test_half_a_character_is_replaced_wherever_it_stands() -> None:
    found = read(id=f"1{HALF}", value={HALF: [HALF]}, **{"from": {"id": HALF, "name": f"A{HALF}", "aadObjectId": HALF}})
    assert (found.id, found.sender.user, found.sender.name, found.sender.person) == (
        "1\ufffd",
        "\ufffd",
        "A\ufffd",
        "\ufffd",
    )
    assert found.value == {"\ufffd": ["\ufffd"]}
    json.dumps(found.raw, ensure_ascii=False).encode()


@pytest.mark.parametrize("text", ["\U0001f600 \U0001f600", "\\ud800", "\u05d0\u00fc", "\ufeff"])
def test_whole_characters_stay_as_they_are(text: str) -> None:
    for ascii_only in (True, False):
        body = json.dumps(raw_activity(text), ensure_ascii=ascii_only).encode()
        assert activity_of(read_activity(body)).text == text


@pytest.mark.parametrize("body", [b'{"text": "\xed\xa0\x80"}', b'{"a": "\xff"}', "{}".encode("utf-16"), b"[" * 100_000])
def test_what_is_no_utf_8_is_unreadable(body: bytes) -> None:
    with pytest.raises(Rejected, match="teams_unreadable"):
        activity_of(read_activity(body))


def test_an_address_without_our_own_id_is_read_again() -> None:
    found = read(recipient={}).address
    assert found.bot == ""
    assert teams_address(found.as_reply_address()) == found


@pytest.mark.parametrize("fields", [{}, {"place": "personal"}, "no place"])
def test_what_is_no_address_is_refused(fields: Any) -> None:
    made = TeamsAddress("https://a.example/", "t", "a:1", TeamsPlace.PERSONAL, "28:b", "29:u").as_reply_address()
    given = {**made.fields, "place": "nowhere"} if fields == "no place" else fields
    with pytest.raises(Rejected, match="reply_address_refused"):
        teams_address(ReplyAddress(MESSAGE, given))


def test_no_claim_is_longer_than_what_a_database_finds() -> None:
    for character in ("a", "\U0001f600"):
        most = "1" + character * (499 // len(character.encode()))
        found = read(id=most, conversation={"id": most, "conversationType": "groupChat"})
        assert found.id == most
        assert len(found.claim_key.encode()) < 1_100
        assert read(id=f"{most}{character}").id == ""
        with pytest.raises(Rejected, match="teams_unreadable"):
            read(conversation={"id": f"{most}{character}"})


@pytest.mark.parametrize("id_", ["", None, 5, "x" * 3_000])
def test_without_an_id_every_activity_is_another_one(id_: object) -> None:
    one, again, other = (read(id=id_, kind="invoke", value={"number": each}) for each in (1, 1, 2))
    assert one.id == ""
    assert one.claim_key == again.claim_key != other.claim_key
