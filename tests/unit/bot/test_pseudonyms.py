"""Pseudonyms, and people as operators write them."""

import hashlib
import hmac
from itertools import combinations

import pytest

from bot.access.pseudonyms import Pseudonyms, actor_from, is_pseudonym
from bot.model.messages import Actor, Conversation
from rag_core.errors import Rejected
from tests.fakes.keepers import HOSTILE

PSEUDONYMS = Pseudonyms(b"k" * 32)
ALICE = Actor("slack", "T1", "U1")


def test_a_pseudonym_is_a_keyed_hash_of_all_that_names_a_person() -> None:
    told = b'["slack", "T1", "U1"]'
    assert PSEUDONYMS.of(ALICE) == "p1:" + hmac.new(b"k" * 32, told, hashlib.sha256).hexdigest()
    others = [
        ALICE,
        Actor("teams", "T1", "U1"),
        Actor("slack", "T2", "U1"),
        Actor("slack", "T1", "U2"),
        Actor("slack", "T1U1", ""),
        *(Actor("slack", "T1", odd) for odd in HOSTILE),
    ]
    assert all(PSEUDONYMS.of(one) != PSEUDONYMS.of(other) for one, other in combinations(others, 2))
    assert Pseudonyms(b"l" * 32).of(ALICE) != PSEUDONYMS.of(ALICE)
    assert all(is_pseudonym(PSEUDONYMS.of(each)) for each in others)
    assert not is_pseudonym("U1")


def test_the_key_is_not_shown() -> None:
    assert "kkk" not in repr(PSEUDONYMS)


def test_the_web_pages_know_the_same_person_as_the_api() -> None:
    assert PSEUDONYMS.of(Actor("web", "local", "alice")) == PSEUDONYMS.of(Actor("rest", "local", "alice"))
    # and his questions count together against the limits
    assert PSEUDONYMS.named(Actor("web", "local", "alice")) == PSEUDONYMS.named(Actor("rest", "local", "alice"))


def test_a_conversation_under_a_persons_own_id_is_kept_under_the_pseudonym() -> None:
    person = Actor("rest", "local", "alice")
    own = Conversation("rest", "local", "alice", "c-1")
    assert PSEUDONYMS.place(own, person) == Conversation("rest", "local", PSEUDONYMS.of(person), "c-1")
    assert PSEUDONYMS.place(PSEUDONYMS.place(own, person), person) == PSEUDONYMS.place(own, person)
    shared = Conversation("slack", "T1", "C1", "1.1")
    assert PSEUDONYMS.place(shared, ALICE) == shared


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("slack:T1/U1", Actor("slack", "T1", "U1")),
        ("teams:tenant/a/b", Actor("teams", "tenant", "a/b")),
        ("rest:alice/x", Actor("rest", "local", "alice/x")),
        ("web:alice", Actor("rest", "local", "alice")),
        ("oidc:https://issuer/x|7", Actor("rest", "local", "oidc:https://issuer/x|7")),
        ("terminal:local", Actor("terminal", "local", "local")),
        ("account:root", Actor("account", "installation", "root")),
    ],
)
def test_people_as_operators_write_them(written: str, meant: Actor) -> None:
    assert actor_from(written) == meant


@pytest.mark.parametrize(
    "written", ["", "alice", "slack:U1", "slack:/U1", "slack:T1/", "rest:", "oidc:", "irc:x", ":x"]
)
def test_what_names_nobody_is_rejected(written: str) -> None:
    with pytest.raises(Rejected, match="person_unreadable"):
        actor_from(written)
