"""Who is who in each workspace, every one looked up with its own token and kept by itself."""

import time
from collections import OrderedDict
from collections.abc import Callable

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.lookups import SlackLookups
from adapters.slack.web_api import SlackClients

MOST_WORKSPACES = 1_000
"""At hand at once; of more, those that were quiet longest are looked up again."""


class SlackWorkspaces:
    """SlackLookups by workspace. Uses the clients, does not close them; `aclose` gives up what is being asked for."""

    def __init__(
        self, clients: SlackClients, *, keep_seconds: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clients = clients
        self._keep_seconds = keep_seconds
        self._clock = clock
        self._lookups: OrderedDict[str, SlackLookups] = OrderedDict()
        self._enterprises: dict[str, str] = {}

    def of(self, team: str, enterprise: str = "") -> SlackLookups:
        """`enterprise` finds an organisation's token, now and whenever `team` is asked for afterwards."""
        if enterprise:
            self._enterprises[team] = enterprise
        found = self._lookups.get(team)
        if found is None:
            found = self._lookups[team] = self._made(team)
        self._lookups.move_to_end(team)
        while len(self._lookups) > MOST_WORKSPACES:
            gone, _ = self._lookups.popitem(last=False)
            self._enterprises.pop(gone, None)
        return found

    async def aclose(self) -> None:
        for each in tuple(self._lookups.values()):
            await each.aclose()

    def _made(self, team: str) -> SlackLookups:
        async def client() -> AsyncWebClient:
            return await self._clients.of(team, self._enterprises.get(team, ""))

        return SlackLookups(client, team, keep_seconds=self._keep_seconds, clock=self._clock)
