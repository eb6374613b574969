"""Who comes with a token of the organisation's identity provider, by the claims it makes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from adapters.web.callers import INSTALLATION, Caller
from bot.access.groups import Access
from bot.access.tokens import Permission
from bot.model.messages import Actor

_LONGEST = 255
_MOST_NAMES = 2_000
_PREFIXES = ("", "adpolicy:", "adpolicy.", "adpolicy/")


class IdentityTokens(Protocol):
    """Checks tokens of an issuer. Raises Unavailable when that is impossible now."""

    async def verified(self, token: str) -> Mapping[str, object] | None:
        """The claims of a token that is the issuer's, is for us and holds now; else None."""
        ...


@dataclass(frozen=True, slots=True)
class ClaimNames:
    """Which claims say who it is, his groups and what he may do; `permissions` "": everybody may ask and read."""

    person: str = "sub"
    groups: str = "groups"
    permissions: str = ""


class IdentityHolders:
    """Claims -> caller. What a claim does not say in the form it should is not said."""

    def __init__(self, tokens: IdentityTokens, names: ClaimNames, access: Access) -> None:
        self._tokens = tokens
        self._names = names
        self._access = access

    async def of_token(self, token: str) -> Caller | None:
        claims = await self._tokens.verified(token)
        person = claims.get(self._names.person) if claims else None
        if claims is None or not isinstance(person, str) or not (0 < len(person) <= _LONGEST and person.isprintable()):
            return None
        groups = self._access.named(frozenset(f"oidc:{name}" for name in self._groups(claims)))
        return Caller(Actor("rest", INSTALLATION, f"oidc:{person}"), groups, self._permissions(claims))

    def _groups(self, claims: Mapping[str, object]) -> list[str]:
        elsewhere = claims.get("_claim_names")
        if isinstance(elsewhere, Mapping) and self._names.groups in elsewhere:
            return []  # Entra: too many for a token, so what stands here, if anything, is not all and may be anybody's
        return _names(claims.get(self._names.groups))

    def _permissions(self, claims: Mapping[str, object]) -> frozenset[Permission]:
        if not self._names.permissions:
            return frozenset({Permission.ASK, Permission.READ})
        value = claims.get(self._names.permissions)
        given = set(value.split() if isinstance(value, str) else _names(value))
        return frozenset(each for each in Permission if any(f"{prefix}{each}" in given for prefix in _PREFIXES))


def _names(value: object) -> list[str]:
    """A name, or a list of names; of a list with anything else in it, nothing."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or len(found) > _MOST_NAMES:
        return []
    names = [each for each in found if isinstance(each, str)]
    return names if len(names) == len(found) else []
