"""What a bearer token looks like, and when it holds."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access.tokens import PREFIX, ApiToken, Permission, hash_of, is_name, is_token, new_token

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOKEN = ApiToken("t1", "a", frozenset({Permission.ASK}), frozenset(), NOON, NOON + timedelta(days=1))


def test_a_token_has_256_random_bits_and_says_what_it_is() -> None:
    drawn: list[int] = []

    def below(most: int) -> int:
        drawn.append(most)
        return len(drawn) % most

    token = new_token(below)
    space = 1
    for each in drawn:
        space *= each
    assert space >= 2**256
    assert re.fullmatch(r"adpolicy_[0-9A-Za-z]{50}", token)
    assert is_token(token)


def test_no_two_are_alike() -> None:
    assert len({new_token() for _ in range(1_000)}) == 1_000


@given(st.integers(min_value=0, max_value=49), st.characters(codec="ascii", categories=["L", "N"]))
def test_a_typo_is_recognised(position: int, other: str) -> None:
    token = new_token(lambda most: 7 % most)
    at = len(PREFIX) + position
    changed = token[:at] + other + token[at + 1 :]
    assert is_token(changed) is (changed == token)


@pytest.mark.parametrize("wrong", ["", PREFIX, "adpolicy_x", new_token()[:-1], new_token() + "0", f" {new_token()}"])
def test_what_is_not_whole_is_no_token(wrong: str) -> None:
    assert not is_token(wrong)
    assert not is_token(new_token().replace(PREFIX, "other_"))


def test_only_the_hash_is_kept() -> None:
    token = new_token()
    assert len(hash_of(token)) == 64
    assert token[9:20] not in hash_of(token)
    assert hash_of(token) == hash_of(token) != hash_of(new_token())


@pytest.mark.parametrize(
    ("moment", "changes", "holds"),
    [
        (NOON, {}, True),
        (NOON - timedelta(seconds=1), {}, False),
        (NOON + timedelta(days=1), {}, False),
        (NOON + timedelta(hours=1), {"revoked_at": NOON}, False),
        (NOON + timedelta(hours=1), {"revoked_at": NOON + timedelta(days=9)}, False),
    ],
)
def test_when_it_holds(moment: datetime, changes: dict[str, datetime], holds: bool) -> None:
    assert replace(TOKEN, **changes).holds_at(moment) is holds  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "usable"),
    [
        ("prometheus", True),
        ("a.b_c-9", True),
        ("", False),
        ("-a", False),
        ("A", False),
        ("a b", False),
        ("a" * 65, False),
    ],
)
def test_names(name: str, usable: bool) -> None:
    assert is_name(name) is usable
