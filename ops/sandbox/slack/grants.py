"""Which token may do what, and where: installations, rotation, and the OAuth by which somebody lets the app in."""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

from ops.sandbox.slack.app import EVERY_SCOPE, App
from ops.sandbox.slack.limits import SlackRefusal
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.workspace import Clock, Workspace

TOKEN_LIFETIME = timedelta(hours=12)
CODE_LIFETIME = timedelta(minutes=10)
_FURTHER_SCOPES = frozenset({"chat:write.public", "channels:manage", "groups:write", "files:read", "links:read"})


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
class Grants:
    """All tokens ever given out; those that ended are remembered with the reason."""

    clock: Clock
    _by_token: dict[str, Grant] = field(default_factory=dict)
    _codes: dict[str, tuple[Grant, str, datetime]] = field(default_factory=dict)
    """What a code is for, the address it goes to, and when it was issued."""

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
        token, refresh = f"xoxe.xoxb-1-{secrets.token_urlsafe(110)}", f"xoxe-1-{secrets.token_urlsafe(105)}"
        expires = self.clock() + TOKEN_LIFETIME
        return self.add(replace(grant, token=token, refresh_token=refresh, expires_at=expires, ended=""))

    def refresh(self, refresh_token: str) -> Grant:
        """Refresh tokens work once; the access token of before works until it expires."""
        for grant in self._by_token.values():
            if refresh_token and grant.refresh_token == refresh_token and not grant.ended:
                self._by_token[grant.token] = replace(grant, refresh_token="")
                return self.issue(grant, rotating=True)
        raise SlackRefusal("invalid_refresh_token")

    def code_for(self, grant: Grant, redirect_uri: str) -> str:
        code = f"{secrets.randbelow(10**12)}.{secrets.token_hex(32)}"
        self._codes[code] = (grant, redirect_uri, self.clock())
        return code

    def exchange(self, code: str, redirect_uri: str, *, rotating: bool) -> Grant:
        """A token for a code, which works once and for ten minutes. Raises Slack's refusals."""
        grant, expected, issued_at = self._codes.get(code, (None, "", self.clock()))
        if grant is None or self.clock() - issued_at > CODE_LIFETIME:
            raise SlackRefusal("invalid_code")
        if redirect_uri != expected:
            raise SlackRefusal("bad_redirect_uri")
        del self._codes[code]
        return self.issue(grant, rotating=rotating)

    def _ended(self, grant: Grant) -> str:
        if grant.ended:
            return grant.ended
        return "token_expired" if grant.expires_at and self.clock() >= grant.expires_at else ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What the app asks for, where the browser goes afterwards, and whether a whole organisation may be chosen."""

    scopes: frozenset[str]
    redirect_uri: str
    is_named: bool
    state: str
    takes_orgs: bool


def asked(url: str) -> dict[str, str]:
    """The query of an authorisation address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def offer(app: App, query: Mapping[str, str]) -> Offer:
    """Raises SlackRefusal with what is wrong about the link."""
    if query.get("client_id") != app.client_id:
        raise SlackRefusal("invalid_client_id")
    scopes = frozenset(each for each in query.get("scope", "").replace(" ", ",").split(",") if each)
    if not scopes:
        raise SlackRefusal("no_scopes")
    if scopes - EVERY_SCOPE - _FURTHER_SCOPES:
        raise SlackRefusal("invalid_scope")
    redirect = query.get("redirect_uri", "")
    if redirect and app.redirect_urls and not redirect.startswith(app.redirect_urls):
        raise SlackRefusal("bad_redirect_uri")
    target = redirect or next(iter(app.redirect_urls), "")
    if not target.startswith(("http://", "https://")):
        raise SlackRefusal("bad_redirect_uri")
    return Offer(scopes, target, bool(redirect), query.get("state", ""), app.takes_orgs)


def decide(
    grants: Grants, made: Offer, space: Workspace, *, user: str, organisation: bool = False, allowed: bool = True
) -> str:
    """Where the browser goes: back to the app, with a code or with what was refused."""
    answer = {"error": "access_denied"}
    if allowed:
        if organisation and not (made.takes_orgs and space.enterprise):
            raise SlackRefusal("org_install_not_supported")
        grant = Grant("", "" if organisation else space.team, made.scopes, space.enterprise, installer=user)
        answer = {"code": grants.code_for(grant, made.redirect_uri if made.is_named else "")}
    joined = "&" if "?" in made.redirect_uri else "?"
    return f"{made.redirect_uri}{joined}{urlencode({**answer, 'state': made.state})}"
