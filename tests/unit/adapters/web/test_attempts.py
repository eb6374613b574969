"""Wrong credentials are counted for the address they came from, and what a caller writes changes no count."""

import asyncio

import pytest
from aiohttp.test_utils import make_mocked_request

from adapters.web.credentials import FailedAttempts
from adapters.web.peers import peer_of
from bot.questions.limits import Limit
from rag_core.errors import Rejected

PROXIES = frozenset({"10.0.0.1", "10.0.0.2", "::1"})


class Peer(asyncio.Transport):
    """The other end of a connection, at `address`."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 5555)})


@pytest.mark.parametrize(
    ("address", "forwarded", "expected"),
    [
        ("203.0.113.7", "", "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, whatever", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.2", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", "[2001:db8:1:2:3::4]:4711", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "", "203.0.113.7"),
        ("::1", "198.51.100.1", "198.51.100.1"),
        ("fe80::1%eth0", "", "fe80::/64"),
        ("", "198.51.100.1", ""),
    ],
)
def test_where_a_request_comes_from(address: str, forwarded: str, expected: str) -> None:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    request = make_mocked_request("GET", "/", headers, transport=Peer(address))
    assert peer_of(request, PROXIES) == expected


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def waits(attempts: FailedAttempts, peer: str, secret_hash: str = "") -> float:
    try:
        attempts.check(peer, secret_hash)
    except Rejected as exc:
        return float(str(exc.details["seconds"])) if exc.code == "attempts_limited" else -1.0
    return 0.0


def test_so_many_in_a_stretch_of_time() -> None:
    clock = Clock()
    attempts = FailedAttempts(Limit(3, 60), clock=clock)
    for _ in range(3):
        assert waits(attempts, "a") == 0
        attempts.failed("a")
        clock.now += 10
    assert waits(attempts, "a") == 30
    assert waits(attempts, "b") == 0
    clock.now += 30
    assert waits(attempts, "a") == 0


def test_what_was_right_is_looked_at_for_an_hour() -> None:
    clock = Clock()
    attempts = FailedAttempts(Limit(1, 86_400), clock=clock)
    attempts.succeeded("good")
    attempts.failed("a")
    assert waits(attempts, "a", "other") > 0
    assert waits(attempts, "a", "good") == 0
    clock.now += 3_600
    assert waits(attempts, "a", "good") > 0


def test_what_is_remembered_is_bounded() -> None:
    attempts = FailedAttempts(Limit(1, 60), most=10)
    for number in range(100):
        attempts.failed(str(number))
        attempts.succeeded(str(number))
    assert [number for number in range(100) if waits(attempts, str(number))] == list(range(90, 100))


def test_without_a_limit_nothing_is_counted() -> None:
    attempts = FailedAttempts(None)
    for _ in range(1_000):
        attempts.failed("a")
    assert waits(attempts, "a") == 0
