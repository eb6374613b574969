"""Teams' ports as the server opens them."""

from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from adapters.teams.addresses import TeamsReference
from adapters.teams.delivery.allowed import NOT_ALLOWED, AllowedOutbound
from adapters.teams.ports import Activity, TeamsOutbound
from ops.chat.teams import open_ports
from ops.teams_connection import TeamsConnection
from rag_core.errors import Rejected, Unavailable
from tests.fakes.teams import BOT, OTHER_TENANT, TENANT, FakeOutbound, settings

Call = Callable[[TeamsOutbound, TeamsReference], Awaitable[object]]
CALLS: list[Call] = [
    lambda outbound, to: outbound.send(to, {"type": "message", "text": "Policy changed."}),
    lambda outbound, to: outbound.update(to, "1", {"type": "message"}),
    lambda outbound, to: outbound.delete(to, "1"),
    lambda outbound, to: outbound.typing(to),
    lambda outbound, to: outbound.resume(to, "29:user-1"),
]


def reference(tenant: str) -> TeamsReference:
    return TeamsReference("http://127.0.0.1:9/", tenant, "a:1", BOT)


@pytest.mark.parametrize("call", CALLS)
async def test_a_tenant_that_was_taken_off_the_list_hears_nothing_more(call: Call) -> None:
    """Of what was kept when it was on it: questions, alerts, people's answers."""
    fake = FakeOutbound()
    outbound = AllowedOutbound(fake, settings())
    for tenant in (OTHER_TENANT, ""):
        with pytest.raises(Rejected, match=NOT_ALLOWED):
            await call(outbound, reference(tenant))
    assert (fake.written, fake.deleted, fake.typed) == ([], [], [])
    await call(outbound, reference(TENANT.upper()))


class Told(FakeOutbound):
    """Keeps what it was told of sending again."""

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        return f"once: {once}"


async def test_what_is_not_to_be_sent_again_is_told_to_who_sends() -> None:
    outbound = AllowedOutbound(Told(), settings())
    assert await outbound.send(reference(TENANT), {}, once=True) == "once: True"
    assert await outbound.send(reference(TENANT), {}) == "once: False"


async def test_the_server_writes_by_that_one_alone() -> None:
    async with aiohttp.ClientSession() as session:
        known = settings(login_url="http://127.0.0.1:9")
        ports = open_ports(TeamsConnection(known, session))
        for call in CALLS:
            with pytest.raises(Rejected, match=NOT_ALLOWED):
                await call(ports.outbound, reference(OTHER_TENANT))
        with pytest.raises(Unavailable):  # allowed, and nobody is there
            await CALLS[0](ports.outbound, reference(TENANT))
