"""Whether a JSON Web Token is the issuer's, is for us and holds now (RFC 7519, 8725 and 9068)."""

import base64
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from joserfc import jws
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jwa import JWSAlgModel

from adapters.oidc.issuer import IssuerKeys
from adapters.oidc.key_sets import ALGORITHMS, PublishedKey
from adapters.oidc.settings import OidcSettings

_PARTS = re.compile(r"([A-Za-z0-9_-]{1,4000})\.([A-Za-z0-9_-]{1,12000})\.([A-Za-z0-9_-]{1,2000})")
_TYPES = frozenset({"", "jwt", "at+jwt", "application/jwt", "application/at+jwt"})
_LONGEST_KID = 200
_OTHER_USE = frozenset({"events", "cnf"})
"""A token with `events` tells of something (a log-out), one with `cnf` is of use only with its holder's key."""


@dataclass(frozen=True, slots=True)
class _Head:
    algorithm: str
    kid: str


@dataclass(frozen=True, slots=True)
class CheckedToken:
    """What a token says, and what the key that signed it may speak for."""

    claims: Mapping[str, object]
    endorsements: frozenset[str]


class _Registry(jws.JWSRegistry):
    """Room for certificates in the header, which are not looked at; and no warnings about a name (EdDSA) that RFC 9864
    gave up for being too wide: which curve it means is checked."""

    max_header_length = 4_000

    def get_alg(self, name: str) -> JWSAlgModel:
        if name not in (self.allowed or ()):
            raise UnsupportedAlgorithmError
        return self.algorithms[name]


class OidcTokens:
    """`adapters.web.credentials.IdentityTokens`, and `adapters.teams.tokens.ChannelTokens`. `now`: UTC.

    Where the key comes from, the issuer alone says: `jku`, `x5u`, `jwk` and `x5c` of a token are not looked at.
    """

    def __init__(self, settings: OidcSettings, keys: IssuerKeys, now: Callable[[], datetime]) -> None:
        self._settings = settings
        self._keys = keys
        self._now = now

    async def verified(self, token: str) -> Mapping[str, object] | None:
        found = await self._checked(token, needs_kid=False)
        return found.claims if found is not None else None

    async def checked(self, token: str) -> CheckedToken | None:
        """As `verified`; of a key that it names only."""
        return await self._checked(token, needs_kid=True)

    async def _checked(self, token: str, *, needs_kid: bool) -> CheckedToken | None:
        head = _head(token, self._settings.algorithms or ALGORITHMS)
        if head is None or (needs_kid and not head.kid):
            return None
        key = await self._keys.find(head.algorithm, head.kid)
        claims = _signed(token, head.algorithm, key) if key is not None else None
        if key is None or claims is None or not (self._is_for_us(claims) and self._holds(claims)):
            return None
        return CheckedToken(claims, key.endorsements)

    def _is_for_us(self, claims: Mapping[str, object]) -> bool:
        audience = claims.get("aud")
        named = audience if isinstance(audience, list) else [audience]
        return (
            claims.get("iss") == self._settings.issuer
            and self._settings.audience in named
            and not _OTHER_USE & claims.keys()
        )

    def _holds(self, claims: Mapping[str, object]) -> bool:
        now, leeway = self._now().timestamp(), self._settings.leeway
        ends = _moment(claims.get("exp"))
        begins = [_moment(claims[name]) for name in ("nbf", "iat") if name in claims]
        return ends is not None and now < ends + leeway and all(b is not None and b <= now + leeway for b in begins)


def _head(token: str, algorithms: frozenset[str]) -> _Head | None:
    """What a token says of itself, as far as it is one that may be looked at any further."""
    parts = _PARTS.fullmatch(token)
    found = _json(_decoded(parts[1])) if parts else None
    if found is None or "crit" in found or "b64" in found:
        return None
    algorithm, kid, kind = found.get("alg"), found.get("kid", ""), found.get("typ", "")
    if not (isinstance(algorithm, str) and isinstance(kid, str) and isinstance(kind, str)):
        return None
    is_fit = algorithm in algorithms and kind.lower() in _TYPES and len(kid) <= _LONGEST_KID
    return _Head(algorithm, kid) if is_fit else None


def _signed(token: str, algorithm: str, key: PublishedKey) -> dict[str, object] | None:
    """What `key` signed; None if it did not sign it."""
    registry = _Registry(algorithms=[algorithm], strict_check_header=False)
    try:
        signed = jws.deserialize_compact(token, key.key, algorithms=[algorithm], registry=registry)
    except (JoseError, ValueError, TypeError):
        return None
    return _json(signed.payload or b"")


def _json(text: bytes) -> dict[str, object] | None:
    """An object; None for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _decoded(part: str) -> bytes:
    """Of base64url without padding; nothing for what is none."""
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return b""


def _moment(value: object) -> float | None:
    """A NumericDate; None for what is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        return float(value) if is_number and math.isfinite(value) else None  # type: ignore[arg-type]
    except OverflowError:
        return None
