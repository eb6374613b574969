"""Lookups in a workspace that asked us to slow down."""

import asyncio

import pytest

from adapters.slack.client import SlackClients
from adapters.slack.directory import SlackLookups
from adapters.slack.oauth.tokens import SingleWorkspace
from ops.sandbox.slack import slack_stand_in
from ops.sandbox.troubles import rate_limited
from rag_core.errors import Unavailable
from tests.fakes.service import until
from tests.fakes.slack import client


async def test_while_slack_wants_us_to_wait_one_waits_and_nobody_else() -> None:
    now = [100.0]
    async with slack_stand_in() as slack, client() as session:
        clients = SlackClients(session, SingleWorkspace("xoxb-sandbox"), slack.api_url)
        lookups = SlackLookups(lambda: clients.of("T1"), "T1", clock=lambda: now[0])
        slack.trouble("users.info", rate_limited(1))
        first = asyncio.create_task(lookups.person("U1"))
        await until(lambda: _is_asked_to_wait(lookups), 5.0)
        with pytest.raises(Unavailable, match="directory_slow_down") as raised:
            await asyncio.wait_for(lookups.person("U2"), 0.5)
        assert raised.value.details["retry_after"] == 1.0
        assert (await first) is not None  # who was told to wait asked once more
        now[0] += 1.0
        assert (await lookups.person("U2")) is not None
        await lookups.aclose()


async def _is_asked_to_wait(lookups: SlackLookups) -> bool:
    return bool(lookups._not_before)
