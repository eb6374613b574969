"""Which token may do what, and where: installations, rotation, OAuth codes."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.workspace import Clock

TOKEN_LIFETIME = timedelta(hours=12)
CODE_LIFETIME = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Grant:
    """An installation's bot token. `team` "" with an `enterprise`: installed in all workspaces of the organisation.

    `ended`: "" or Slack's code for why the token does no longer work.
    """

    token: str
    team: str
    scopes: frozenset[str]
    enterprise: str = ""
    installer: str = "U3"
    refresh_token: str = ""
    expires_at: datetime | None = None
    ended: str = ""
    bot_user: str = BOT

    @property
    def is_org(self) -> bool:
        return not self.team

    def covers(self, team: str, enterprise: str) -> bool:
        return self.team == team if self.team else bool(enterprise) and self.enterprise == enterprise


@dataclass(slots=True)
class _Code:
    grant: Grant
    redirect_uri: str
    issued_at: datetime


@dataclass(slots=True)
class Grants:
    """All tokens ever given out; those that ended are remembered with the reason."""

    clock: Clock
    _by_token: dict[str, Grant] = field(default_factory=dict)
    _codes: dict[str, _Code] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Grant]:
        return iter(list(self._by_token.values()))

    def add(self, grant: Grant) -> Grant:
        self._by_token[grant.token] = grant
        return grant

    def live(self, team: str, enterprise: str) -> Grant | None:
        """The newest grant that works in this workspace."""
        found = [each for each in self._by_token.values() if each.covers(team, enterprise) and not self._ended(each)]
        return found[-1] if found else None

    def check(self, token: str) -> Grant:
        """The grant of a token. Raises Slack's refusals."""
        if not token:
            raise SlackRefusal("not_authed")
        grant = self._by_token.get(token)
        if grant is None:
            raise SlackRefusal("invalid_auth")
        if ended := self._ended(grant):
            raise SlackRefusal(ended)
        return grant

    def end(self, token: str, reason: str = "token_revoked") -> None:
        self._by_token[token] = replace(self._by_token[token], ended=reason, refresh_token="")

    def issue(self, grant: Grant, *, rotating: bool) -> Grant:
        """A new token for what `grant` covers; lengths as Slack's."""
        if not rotating:
            return self.add(replace(grant, token=f"xoxb-{secrets.token_hex(26)}", ended=""))
        return self.add(
            replace(
                grant,
                token=f"xoxe.xoxb-1-{secrets.token_urlsafe(110)}",
                refresh_token=f"xoxe-1-{secrets.token_urlsafe(105)}",
                expires_at=self.clock() + TOKEN_LIFETIME,
                ended="",
            )
        )

    def refresh(self, refresh_token: str) -> Grant:
        """Refresh tokens work once; the access token of before works until it expires."""
        for grant in self._by_token.values():
            if refresh_token and grant.refresh_token == refresh_token and not grant.ended:
                self._by_token[grant.token] = replace(grant, refresh_token="")
                return self.issue(grant, rotating=True)
        raise SlackRefusal("invalid_refresh_token")

    def code_for(self, grant: Grant, redirect_uri: str) -> str:
        code = f"{secrets.randbelow(10**12)}.{secrets.token_hex(32)}"
        self._codes[code] = _Code(grant, redirect_uri, self.clock())
        return code

    def exchange(self, code: str, redirect_uri: str, *, rotating: bool) -> Grant:
        """A token for a code, which works once and for ten minutes. Raises Slack's refusals."""
        found = self._codes.get(code)
        if found is None or self.clock() - found.issued_at > CODE_LIFETIME:
            raise SlackRefusal("invalid_code")
        if redirect_uri != found.redirect_uri:
            raise SlackRefusal("bad_redirect_uri")
        del self._codes[code]
        return self.issue(found.grant, rotating=rotating)

    def _ended(self, grant: Grant) -> str:
        if grant.ended:
            return grant.ended
        return "token_expired" if grant.expires_at and self.clock() >= grant.expires_at else ""
