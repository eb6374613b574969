"""What becomes of conversations in which the bot cannot speak any more."""

import pytest

from adapters.teams.addresses import TeamsAddress, TeamsPlace
from bot.model.channels import KnownConversation
from ops.chat.teams import Closed
from rag_core.errors import Unavailable
from tests.fakes.teams import BOT, CHANNEL, SERVICE_URL, TEAM, TENANT

ADDRESS = TeamsAddress(
    SERVICE_URL, TENANT, f"{CHANNEL};messageid=17", TeamsPlace.CHANNEL, BOT, "29:user-1", team=TEAM, asked_in="17"
)


class FakeKnown:
    """KnownConversations that only forget; `failure` is raised in its place."""

    def __init__(self, failure: Unavailable | None = None) -> None:
        self.removed: list[tuple[str, str, str]] = []
        self.failure = failure

    async def save(self, known: KnownConversation) -> None: ...

    async def of_channel(self, platform: str, workspace: str, channel: str) -> KnownConversation | None:
        return None

    async def of_person(self, platform: str, workspace: str, person: str) -> KnownConversation | None:
        return None

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        if self.failure:
            raise self.failure
        self.removed.append((platform, workspace, channel))
        return True

    async def remove_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        return ()

    async def of_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        return ()


async def test_a_closed_conversation_is_forgotten_as_a_whole() -> None:
    known = FakeKnown()
    await Closed(known).forget(ADDRESS)
    assert known.removed == [("teams", TENANT, f"{TEAM}/{CHANNEL}")]


async def test_while_the_store_is_down_nothing_comes_of_it(caplog: pytest.LogCaptureFixture) -> None:
    await Closed(FakeKnown(Unavailable("store_down"))).forget(ADDRESS)
    assert "code=store_down" in caplog.text
    assert CHANNEL not in caplog.text
