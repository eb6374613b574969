"""Tokens that expire are renewed ahead, once, and nobody is locked out by a renewal that failed."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.slack.oauth.exchange import SlackOAuth
from adapters.slack.oauth.renewal import AHEAD, CLAIM, PAUSE, TokenRenewing
from adapters.slack.oauth.tokens import KEPT
from adapters.slack.settings import AllowedWorkspaces, OAuthSettings
from adapters.sql.chat.installations import SqlInstallations, SqlTokenRenewals
from bot.access.installations import Installation
from ops.sandbox.troubles import Trouble, refused
from rag_core.errors import Rejected, Unavailable
from tests.fakes.databases import migrated_engine
from tests.fakes.slack_installing import ROTATING, VAULT, InstallingWorld, installing_world

LIFETIME = timedelta(hours=12)
REFRESH = "oauth.v2.access"


class FlakyRenewals(SqlTokenRenewals):
    """The database fails when the new tokens are to be saved, `failures` times."""

    failures = 0

    async def renewed(self, new: Installation) -> None:
        if self.failures:
            self.failures -= 1
            raise Unavailable("store_down")
        await super().renewed(new)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with migrated_engine(tmp_path, "sqlite") as opened:
        yield opened


@pytest.fixture
async def world(engine: AsyncEngine) -> AsyncIterator[InstallingWorld]:
    async with installing_world(engine, app=ROTATING) as made:
        await made.install("T2")
        made.slack.api_calls.clear()
        yield made


def process(world: InstallingWorld, engine: AsyncEngine, renewals: SqlTokenRenewals | None = None) -> TokenRenewing:
    """Another process that renews."""
    settings = OAuthSettings(
        "1.1", ROTATING.client_secret, world.url, ("chat:write",), AllowedWorkspaces(frozenset({"T2"}))
    )
    oauth = SlackOAuth(world.session, settings, world.slack.api_url)
    renewals = renewals or SqlTokenRenewals(engine, VAULT)

    async def no_time(seconds: float) -> None:
        await asyncio.sleep(0.005)

    return TokenRenewing(oauth, SqlInstallations(engine, VAULT), renewals, clock=world.clock, sleep=no_time)


async def held(world: InstallingWorld) -> Installation:
    found = await world.store.find("T2")
    assert found is not None
    return found


async def works(world: InstallingWorld, token: str) -> bool:
    return world.slack.world.grants.check(token).team == "T2"


async def test_until_two_hours_before_it_expires_nothing_is_done(world: InstallingWorld) -> None:
    first = await world.token("T2")
    world.clock.move(hours=9, minutes=59)
    assert await world.token("T2") == first
    assert world.slack.api_calls == []


async def test_then_it_is_renewed_while_the_old_one_serves(world: InstallingWorld, engine: AsyncEngine) -> None:
    renewing = process(world, engine)
    before = await held(world)
    world.clock.move(hours=10, minutes=1)
    assert await renewing.current(before) == before  # nobody waits
    await renewing.settle()
    after = await renewing.current(before)
    assert (after.renewals, after.token != before.token, await works(world, after.token)) == (1, True, True)
    assert await held(world) == after
    assert after.expires_at == world.clock() + LIFETIME
    assert world.slack.api_calls == [REFRESH]


async def test_an_expired_one_is_waited_for(world: InstallingWorld) -> None:
    world.clock.move(hours=13)
    token = await world.token("T2")
    assert await works(world, token)


async def test_two_processes_renew_once_and_the_other_reads_what_came(
    world: InstallingWorld, engine: AsyncEngine
) -> None:
    before = await held(world)
    world.clock.move(hours=13)
    processes = [process(world, engine) for _ in range(4)]
    found = await asyncio.gather(*(each.current(before) for each in processes for _ in range(3)))
    assert len({each.token for each in found}) == 1
    assert await works(world, found[0].token)
    assert world.slack.api_calls == [REFRESH]


async def test_while_another_renews_the_old_one_serves(world: InstallingWorld, engine: AsyncEngine) -> None:
    before, now = await held(world), world.clock
    now.move(hours=10, minutes=1)
    assert await SqlTokenRenewals(engine, VAULT).claim(before, "another", now(), now() + CLAIM)
    renewing = process(world, engine)
    assert await renewing.current(before) == before
    await renewing.settle()
    assert world.slack.api_calls == []
    now.move(seconds=CLAIM.total_seconds() + PAUSE.total_seconds())  # the other one was killed
    await renewing.current(before)
    await renewing.settle()
    assert (await held(world)).renewals == 1


@pytest.mark.parametrize("trouble", [Trouble(status=503), refused("internal_error"), Trouble(cut=True)])
async def test_slack_that_does_not_answer_is_asked_again(
    world: InstallingWorld, engine: AsyncEngine, trouble: Trouble
) -> None:
    renewing, before = process(world, engine), await held(world)
    world.clock.move(hours=10, minutes=1)
    world.slack.trouble(REFRESH, trouble)
    for _ in range(3):  # not once for each that asks
        assert await renewing.current(before) == before
        await renewing.settle()
    assert world.slack.api_calls == [REFRESH]
    world.clock.move(seconds=PAUSE.total_seconds() + 1)
    await renewing.current(before)
    await renewing.settle()
    assert (await held(world)).renewals == 1


async def test_what_slack_gave_and_nobody_heard_locks_nobody_out(world: InstallingWorld, engine: AsyncEngine) -> None:
    """Slack took the refresh token, its answer was lost: it takes it never again, and the token goes on to the end."""
    renewing, before = process(world, engine), await held(world)
    world.clock.move(hours=10, minutes=1)
    world.slack.trouble(REFRESH, Trouble(cut=True, after_doing=True))
    for _ in range(2):
        assert await renewing.current(before) == before
        await renewing.settle()
        world.clock.move(seconds=PAUSE.total_seconds() + 1)
    assert (await held(world)).is_refused
    assert await works(world, (await renewing.current(before)).token)
    calls = len(world.slack.api_calls)
    world.clock.move(minutes=5)
    await renewing.current(await held(world))
    await renewing.settle()
    assert len(world.slack.api_calls) == calls  # nobody asks any more
    world.clock.move(hours=2)
    with pytest.raises(Rejected, match="slack_not_installed"):
        await renewing.current(await held(world))
    assert (await world.install("T2")).status == 200
    world.clock.move(seconds=KEPT.total_seconds())
    assert await works(world, await world.token("T2"))


async def test_what_the_database_did_not_take_is_not_lost(world: InstallingWorld, engine: AsyncEngine) -> None:
    flaky = FlakyRenewals(engine, VAULT)
    flaky.failures = 2
    renewing, before = process(world, engine, flaky), await held(world)
    world.clock.move(hours=10, minutes=1)
    await renewing.current(before)
    await renewing.settle()
    assert (await held(world)).renewals == 0
    new = await renewing.current(before)
    assert (new.renewals, await works(world, new.token)) == (1, True)
    await renewing.settle()
    await renewing.current(before)
    await renewing.settle()
    assert (await held(world)).token == new.token
    assert world.slack.api_calls == [REFRESH]


async def test_a_wrong_secret_is_the_operators_to_mend(world: InstallingWorld, engine: AsyncEngine) -> None:
    renewing, before = process(world, engine), await held(world)
    right = world.slack.world.app
    world.slack.world.app = replace(right, client_secret="changed")  # pragma: allowlist secret
    world.clock.move(hours=10, minutes=1)
    await renewing.current(before)
    await renewing.settle()
    assert not (await held(world)).is_refused
    world.slack.world.app = right
    world.clock.move(seconds=PAUSE.total_seconds() + 1)
    await renewing.current(before)
    await renewing.settle()
    assert (await held(world)).renewals == 1


async def test_who_gives_up_waiting_does_not_end_the_renewal(world: InstallingWorld, engine: AsyncEngine) -> None:
    renewing, before = process(world, engine), await held(world)
    world.clock.move(hours=13)
    world.slack.trouble(REFRESH, Trouble(200, "", delay=0.2))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await renewing.current(before)
    await renewing.settle()
    assert await works(world, (await renewing.current(before)).token)
    assert world.slack.api_calls == [REFRESH]


async def test_an_event_is_kept_while_an_expired_token_is_renewed(world: InstallingWorld) -> None:
    """Nobody who asks is turned away because Slack's own answer takes its time."""
    world.clock.move(hours=13)
    world.slack.trouble(REFRESH, Trouble(status=503))
    asked = await world.slack.person("U1", "T2").commands("/adpolicy", "alcohol?", "C1")
    assert (asked.status, asked.body, len(world.inbox.accepted)) == (200, "", 1)


def test_the_reach_is_what_slack_advises() -> None:
    assert timedelta(minutes=120) == AHEAD
