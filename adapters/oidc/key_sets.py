"""The public keys that an issuer publishes (JWKS, RFC 7517), and which of them a token may be signed with."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joserfc import jwk
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

_MOST_KEYS = 100
_FEWEST_RSA_BITS, _MOST_RSA_BITS = 2_048, 8_192
_MEMBERS = {"RSA": ("n", "e"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}
"""What makes a public key. All else is left out: secret halves, certificates, addresses of other keys."""

_FITTING = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", "")),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
    "Ed25519": ("OKP", "Ed25519"),
}
ALGORITHMS = frozenset(_FITTING)
"""Of these a public key can check every one; with none of them is it a secret."""

Key = RSAKey | ECKey | OKPKey


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """`algorithm` "": any that fits the key; `kid` "": it has no name. `endorsements`: what it may speak for, of Bot
    Framework's keys."""

    kid: str
    kind: str
    curve: str
    algorithm: str
    key: Key
    endorsements: frozenset[str] = frozenset()

    def fits(self, algorithm: str) -> bool:
        return (self.kind, self.curve) == _FITTING[algorithm] and self.algorithm in ("", algorithm)


def published(document: Mapping[str, object]) -> tuple[PublishedKey, ...]:
    """The keys that signatures can be checked with; what else an issuer publishes is passed over."""
    given = document.get("keys")
    listed = given if isinstance(given, list) else []
    found = (_read(each) for each in listed[:_MOST_KEYS] if isinstance(each, Mapping))
    return tuple(each for each in found if each is not None)


def pick(keys: Sequence[PublishedKey], algorithm: str, kid: str) -> PublishedKey | None:
    """The key of this name; for a token that names none, the only one that fits."""
    fitting = [each for each in keys if each.fits(algorithm) and kid in ("", each.kid)]
    return fitting[0] if len(fitting) == 1 else None


def _read(member: Mapping[str, object]) -> PublishedKey | None:
    kind, uses, operations = member.get("kty"), member.get("use", "sig"), member.get("key_ops", ["verify"])
    for_signatures = uses == "sig" and isinstance(operations, list) and "verify" in operations
    if not isinstance(kind, str) or kind not in _MEMBERS or not for_signatures:
        return None
    values = {name: member.get(name) for name in _MEMBERS[kind]}
    kid, algorithm = member.get("kid", ""), member.get("alg", "")
    if not all(isinstance(each, str) for each in (*values.values(), kid, algorithm)):
        return None
    key = _imported({"kty": kind, **{name: str(value) for name, value in values.items()}})
    curve = str(values.get("crv", ""))
    return PublishedKey(str(kid), kind, curve, str(algorithm), key, _endorsements(member)) if key is not None else None


def _endorsements(member: Mapping[str, object]) -> frozenset[str]:
    given = member.get("endorsements")
    return frozenset(each for each in given if isinstance(each, str)) if isinstance(given, list) else frozenset()


def _imported(member: Mapping[str, str]) -> Key | None:
    if (member["kty"], member.get("crv", "")) not in _FITTING.values():
        return None
    if member["kty"] == "RSA" and not _FEWEST_RSA_BITS <= _bits(member["n"]) <= _MOST_RSA_BITS:
        return None
    try:
        key = jwk.import_key(dict(member))
    except (JoseError, ValueError, TypeError):
        return None
    return key if isinstance(key, Key) else None


def _bits(number: str) -> int:
    """How long a number in base64url is; 0 for what is none."""
    try:
        return int.from_bytes(base64.urlsafe_b64decode(number + "=" * (-len(number) % 4))).bit_length()
    except ValueError:
        return 0
