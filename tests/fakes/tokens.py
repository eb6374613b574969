"""Bearer tokens in memory, and the web listener in front of people who must say who they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from adapters.web.credentials import BearerCallers, ClaimNames, FailedAttempts, IdentityHolders, TokenHolders
from adapters.web.parts import PageSignIn, WebParts, cookie_name
from bot.access.groups import Access
from bot.access.tokens import ApiToken, PageSession, Permission, hash_of, new_token
from bot.model.links import Links
from bot.questions.limits import Limit
from rag_core.errors import Unavailable
from tests.fakes.documents import ACME
from tests.fakes.web import Site, make_parts

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
ISSUED = "header.claims.signature"
"""What `FakeIdentityTokens` takes for a token of the issuer."""


@dataclass
class FakeTokens:
    """`ApiTokens` and `PageSessions`; `down`: raises Unavailable. `looked_up` counts."""

    tokens: dict[str, ApiToken] = field(default_factory=dict)
    sessions: dict[str, PageSession] = field(default_factory=dict)
    used_at: list[tuple[str, datetime]] = field(default_factory=list)
    down: bool = False
    looked_up: int = 0

    def make(self, name: str, *permissions: Permission, groups: frozenset[str] = frozenset(), days: int = 90) -> str:
        """The secret of a new token."""
        secret = new_token()
        ends = NOON + timedelta(days=days)
        self.tokens[hash_of(secret)] = ApiToken(f"id-{name}", name, frozenset(permissions), groups, NOON, ends)
        return secret

    def revoke(self, secret: str) -> None:
        token = self.tokens[hash_of(secret)]
        self.tokens[hash_of(secret)] = replace(token, revoked_at=NOON)

    async def with_hash(self, hash_: str) -> ApiToken | None:
        self._reached()
        return self.tokens.get(hash_)

    async def used(self, token_id: str, at: datetime) -> None:
        self.used_at.append((token_id, at))
        self._reached()

    async def open(self, hash_: str, session: PageSession) -> None:
        self._reached()
        self.sessions[hash_] = session

    async def token_of(self, hash_: str, now: datetime) -> ApiToken | None:
        self._reached()
        session = self.sessions.get(hash_)
        if session is None or session.expires_at <= now:
            return None
        return next(each for each in self.tokens.values() if each.token_id == session.token_id)

    async def close(self, hash_: str) -> None:
        self._reached()
        self.sessions.pop(hash_, None)

    def _reached(self) -> None:
        self.looked_up += 1
        if self.down:
            raise Unavailable("store_down")


@dataclass
class FakeIdentityTokens:
    """Takes `ISSUED` and gives `claims`; `down`: raises Unavailable."""

    claims: Mapping[str, object] = field(default_factory=lambda: {"sub": "person-1"})
    down: bool = False
    seen: list[str] = field(default_factory=list)

    async def verified(self, token: str) -> Mapping[str, object] | None:
        self.seen.append(token)
        if self.down:
            raise Unavailable("issuer_down")
        return self.claims if token == ISSUED else None


@dataclass
class Door:
    """What stands before the web listener. `now` and `seconds` (a clock) can be moved."""

    tokens: FakeTokens = field(default_factory=FakeTokens)
    issuer: FakeIdentityTokens = field(default_factory=FakeIdentityTokens)
    now: datetime = NOON
    seconds: float = 1_000.0
    failures: Limit | None = field(default_factory=lambda: Limit(5, 60))
    members: Mapping[str, frozenset[str]] = field(default_factory=lambda: {"legal": frozenset({"oidc:legal-team"})})
    names: ClaimNames = field(default_factory=ClaimNames)

    def parts(
        self,
        *,
        public_url: str = "https://policies.example",
        with_tokens: bool = True,
        with_issuer: bool = True,
        **changes: object,
    ) -> WebParts:
        attempts = FailedAttempts(self.failures, clock=lambda: self.seconds)
        access = Access(self.members, {})
        holders = TokenHolders(
            self.tokens, self.tokens, access, session_hours=12, now=lambda: self.now, clock=lambda: self.seconds
        )
        proxies = changes.get("proxies", frozenset())
        callers = BearerCallers(
            tokens=holders if with_tokens else None,
            identities=IdentityHolders(self.issuer, self.names, access) if with_issuer else None,
            attempts=attempts,
            proxies=proxies if isinstance(proxies, frozenset) else frozenset(),
            cookie=cookie_name(public_url),
            public_url=public_url,
        )
        known = {"callers": callers, "sign_in": PageSignIn(holders, attempts) if with_tokens else None}
        links = Links(public_url, {ACME.slug: ACME.display_name})
        return make_parts(**({"links": links, "loopback_only": False} | known | changes))  # type: ignore[arg-type]


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


async def status_of(site: Site, path: str = "/api/v1/documents", **headers: str) -> int:
    return (await site.get(path, **headers))[0]
