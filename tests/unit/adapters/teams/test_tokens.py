"""The app's tokens: one for all who wait, kept until shortly before its end."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from adapters.teams.client import retry_seconds
from adapters.teams.tokens import AppTokens, Granted, SecretGrant
from rag_core.errors import Unavailable
from tests.fakes.graph import FakeSeconds
from tests.fakes.teams import APP_ID, APP_SECRET, TENANT
from tests.fakes.teams_connector import Desk, connector_desk

SCOPE = "https://api.botframework.com/.default"


class FakeLogin:
    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.is_down = False
        self.lasts = 3600.0

    async def grant(self, tenant: str, scope: str) -> Granted:
        self.asked.append((tenant, scope))
        await asyncio.sleep(0)
        if self.is_down:
            raise Unavailable("teams_token_unreachable")
        return Granted(f"token-{len(self.asked)}", self.lasts)


async def test_one_is_fetched_for_all_who_wait_and_one_for_each_scope() -> None:
    login = FakeLogin()
    tokens = AppTokens(login.grant, FakeSeconds())
    assert set(await asyncio.gather(*(tokens.token("a", "x") for _ in range(20)))) == {"token-1"}
    assert await tokens.token("a", "y") == "token-2"
    assert await tokens.token("b", "x") == "token-3"
    assert login.asked == [("a", "x"), ("a", "y"), ("b", "x")]


async def test_a_token_is_replaced_shortly_before_its_end() -> None:
    login, seconds = FakeLogin(), FakeSeconds()
    tokens = AppTokens(login.grant, seconds)
    for passed, expected in ((0, "token-1"), (3_299, "token-1"), (3_301, "token-2"), (6_500, "token-2")):
        seconds.now = 1_000.0 + passed
        assert await tokens.token("a", "x") == expected


async def test_while_none_is_to_be_had_the_old_one_serves_to_its_end() -> None:
    login, seconds = FakeLogin(), FakeSeconds()
    tokens = AppTokens(login.grant, seconds)
    await tokens.token("a", "x")
    login.is_down = True
    for passed, asked in ((3_301, 2), (3_310, 2), (3_320, 3), (3_538, 4)):
        seconds.now = 1_000.0 + passed
        assert (await tokens.token("a", "x"), len(login.asked)) == ("token-1", asked)
    seconds.now = 1_000.0 + 3_541
    with pytest.raises(Unavailable, match="teams_token_unreachable"):
        await tokens.token("a", "x")
    login.is_down = False
    assert await tokens.token("a", "x") == "token-6"


class SlowLogin:
    """Takes 10 seconds, and fails where it is down."""

    def __init__(self, seconds: FakeSeconds) -> None:
        self.asked = 0
        self.is_down = False
        self.goes_on = asyncio.Event()
        self._seconds = seconds

    async def grant(self, tenant: str, scope: str) -> Granted:
        self.asked += 1
        number = self.asked
        await self.goes_on.wait()
        self._seconds.now += 10
        if self.is_down:
            raise Unavailable("teams_token_unreachable")
        return Granted(f"token-{number}", 3600.0)


async def test_while_a_new_one_is_being_asked_for_the_old_one_serves() -> None:
    seconds = FakeSeconds()
    login = SlowLogin(seconds)
    login.goes_on.set()
    tokens = AppTokens(login.grant, seconds)
    assert await tokens.token("a", "x") == "token-1"
    login.goes_on.clear()
    seconds.now += 3_301
    asking = asyncio.create_task(tokens.token("a", "x"))
    await asyncio.sleep(0)
    async with asyncio.timeout(1):
        assert await tokens.token("a", "x") == "token-1"
    login.goes_on.set()
    assert (await asking, await tokens.token("a", "x"), login.asked) == ("token-2", "token-2", 2)


async def test_nobody_is_given_one_that_ends_while_he_speaks() -> None:
    seconds = FakeSeconds()
    login = SlowLogin(seconds)
    login.goes_on.set()
    tokens = AppTokens(login.grant, seconds)
    await tokens.token("a", "x")
    login.goes_on.clear()
    seconds.now += 3_545
    waiting = [asyncio.create_task(tokens.token("a", "x")) for _ in range(3)]
    await asyncio.sleep(0)
    login.goes_on.set()
    assert await asyncio.gather(*waiting) == ["token-2"] * 3


async def test_who_waits_for_a_log_in_that_hangs_waits_once() -> None:
    seconds = FakeSeconds()
    login = SlowLogin(seconds)
    login.is_down = True
    tokens = AppTokens(login.grant, seconds)
    waiting = [asyncio.create_task(tokens.token("a", "x")) for _ in range(5)]
    await asyncio.sleep(0)
    login.goes_on.set()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in found] == [Unavailable] * 5
    assert (login.asked, seconds.now) == (1, 1_010.0)
    login.is_down = False
    assert await tokens.token("a", "x") == "token-2"


async def test_a_refused_one_is_forgotten_and_another_one_is_not() -> None:
    login = FakeLogin()
    tokens = AppTokens(login.grant, FakeSeconds())
    first = await tokens.token("a", "x")
    tokens.forget("another")
    assert await tokens.token("a", "x") == first
    tokens.forget(first)
    assert await tokens.token("a", "x") == "token-2"


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with connector_desk() as made:
        yield made


async def test_a_secret_is_exchanged_and_shows_up_nowhere(desk: Desk) -> None:
    grant = SecretGrant(desk.session, APP_ID, APP_SECRET, f"{desk.connector.url}/login/")
    granted = await grant(TENANT, SCOPE)
    assert (granted.token, granted.lasts) == ("token-1", 3600.0)
    assert "token-1" not in repr(granted)
    with pytest.raises(Unavailable) as raised:
        await SecretGrant(desk.session, APP_ID, "wrong-secret", f"{desk.connector.url}/login")(TENANT, SCOPE)
    assert (raised.value.code, raised.value.details) == ("teams_token_refused", {"error": "invalid_client"})


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_login_that_fails_may_work_later(desk: Desk, status: int) -> None:
    desk.connector.login_status = status
    with pytest.raises(Unavailable, match="teams_token_unreachable"):
        await SecretGrant(desk.session, APP_ID, APP_SECRET, f"{desk.connector.url}/login")(TENANT, SCOPE)
    with pytest.raises(Unavailable, match="teams_token_unreachable"):
        await SecretGrant(desk.session, APP_ID, APP_SECRET, "http://127.0.0.1:9")(TENANT, SCOPE)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("Thu, 01 Jan 2026 00:00:30 GMT", 30.0),
        ("Wed, 31 Dec 2025 23:00:00 GMT", 0.0),
        ("", None),
        ("-1", None),
        ("7.5", None),
        ("99999999999", None),
        ("soon", None),
        ("Thu, 99 Jan 2026 00:00:30 GMT", None),
    ],
)
def test_waits_are_seconds_or_a_moment(asked: str, expected: float | None) -> None:
    assert retry_seconds(asked, datetime(2026, 1, 1, tzinfo=UTC)) == expected
