"""Where the app is installed, on platforms on which others install it by themselves (Slack, by OAuth)."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bot.audit.entries import AuditEntry


@dataclass(frozen=True, slots=True)
class Installation:
    """`place`: a workspace; or an organisation, where the app is installed for all of its workspaces at once.

    `organisation`: that the workspace belongs to, "" for none. `bot`: the platform's id of the bot's user there.
    `expires_at` None: the token lasts. Else `refresh_token` gets another one, once; `renewals` counts how often that
    was done, and `is_refused` says that the platform will not do it again: somebody must install the app anew.
    """

    installation_id: str
    place: str
    organisation: str
    name: str
    bot: str
    scopes: tuple[str, ...]
    installed_at: datetime
    token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    expires_at: datetime | None = None
    renewals: int = 0
    is_refused: bool = False

    @property
    def is_organisation(self) -> bool:
        return self.place == self.organisation


class Installations(Protocol):
    """Raises Unavailable. What is saved and removed is on record, both or neither."""

    async def find(self, workspace: str, organisation: str = "") -> Installation | None:
        """The workspace's own; else that of its organisation, which is looked up where it is not given. An
        organisation may stand for `workspace`."""
        ...

    async def all(self) -> tuple[Installation, ...]:
        """By place."""
        ...

    async def save(self, installation: Installation, entry: AuditEntry) -> None:
        """In the place of an earlier one of the same place."""
        ...

    async def remove(self, installation: Installation, entry: AuditEntry) -> bool:
        """False if it is not there (any more), or another one is in its place."""
        ...

    async def belongs(self, workspace: str, organisation: str) -> None:
        """The platform told that this workspace is one of the organisation's."""
        ...

    async def workspaces_of(self, organisation: str) -> tuple[str, ...]:
        """As far as the platform told."""
        ...


class TokenRenewals(Protocol):
    """How several processes agree on who renews a token: a refresh token is for one of them. Raises Unavailable."""

    async def claim(self, held: Installation, by: str, now: datetime, until: datetime) -> bool:
        """Whether `by` is to renew it. Not if somebody else does now, or has since `held` was read."""
        ...

    async def release(self, held: Installation, by: str) -> None:
        """It was not renewed, and may be tried again."""
        ...

    async def renewed(self, new: Installation) -> None:
        """Keeps the new tokens, unless the app was installed anew meanwhile. Done again it changes nothing."""
        ...

    async def refused(self, held: Installation) -> None:
        """The platform takes this refresh token no more."""
        ...


class InstallStates(Protocol):
    """Who has set out to install, for minutes. Values are hashes: nothing here opens anything. Raises Unavailable."""

    async def begin(self, state: str, browser: str, now: datetime, until: datetime) -> bool:
        """False if too many are on their way."""
        ...

    async def take(self, state: str, browser: str, now: datetime) -> bool:
        """Whether this browser began it and is back in time. True once."""
        ...
