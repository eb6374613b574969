"""Tokens of an identity provider: which are taken, and that no forged, misdirected or old one is."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import pytest
from joserfc.jwk import ECKey, OKPKey

from adapters.oidc.issuer import IssuerKeys
from adapters.oidc.key_sets import published
from adapters.oidc.settings import OidcSettings, is_safe
from adapters.oidc.verifying import OidcTokens
from rag_core.errors import Unavailable
from tests.fakes.issuer import (
    ALL,
    AUDIENCE,
    FakeIssuer,
    encoded,
    hmac_signed,
    part,
    rsa_key,
    running_issuer,
    small_key,
    unsigned,
)

KINDS = {"RS": "rsa", "PS": "rsa", "ES256": "ec", "ES384": "ec384", "ES512": "ec521", "EdDSA": "ed", "Ed25519": "ed"}


class Clock:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Checked:
    issuer: FakeIssuer
    tokens: OidcTokens
    clock: Clock

    async def takes(self, token: str) -> bool:
        return await self.tokens.verified(token) is not None


@pytest.fixture
async def checked() -> AsyncIterator[Checked]:
    clock = Clock()
    async with running_issuer() as issuer, aiohttp.ClientSession() as session:
        settings = OidcSettings(issuer.url, AUDIENCE)
        keys = IssuerKeys(settings, session, clock)
        yield Checked(issuer, OidcTokens(settings, keys, lambda: datetime.now(UTC)), clock)


async def test_a_right_token_gives_its_claims(checked: Checked) -> None:
    claims = await checked.tokens.verified(checked.issuer.token(groups=["legal"]))
    assert claims is not None
    assert (claims["sub"], claims["groups"]) == ("person-1", ["legal"])


@pytest.mark.parametrize("alg", ALL)
async def test_every_algorithm_with_a_public_key(checked: Checked, alg: str) -> None:
    issuer = checked.issuer
    issuer.add("ec384", ECKey.generate_key("P-384"))
    issuer.add("ec521", ECKey.generate_key("P-521"))
    issuer.add("ed", OKPKey.generate_key("Ed25519"))
    kid = KINDS.get(alg) or KINDS[alg[:2]]
    assert await checked.takes(issuer.token(kid, alg))


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"iss": ["x"]},
        {"aud": "another-program"},
        {"aud": None},
        {"aud": []},
        {"aud": [f"{AUDIENCE}-2"]},
        {"aud": {AUDIENCE: True}},
        {"exp": None},
        {"exp": 1_000},
        {"exp": "9999999999"},
        {"exp": True},
        {"exp": float("inf")},
        {"exp": float("nan")},
        {"nbf": 99_999_999_999},
        {"nbf": "now"},
        {"nbf": True},
        {"iat": 99_999_999_999},
        {"iat": 10**400},
        {"events": {"http://schemas.openid.net/event/backchannel-logout": {}}},
        {"cnf": {"jkt": "x"}},
    ],
)
async def test_claims_that_do_not_hold(checked: Checked, changes: dict[str, Any]) -> None:
    assert await checked.takes(checked.issuer.token())
    assert not await checked.takes(checked.issuer.token(**changes))


async def test_an_issuer_with_a_slash_more_is_another_one(checked: Checked) -> None:
    assert not await checked.takes(checked.issuer.token(iss=f"{checked.issuer.url}/"))


async def test_several_audiences_may_be_named(checked: Checked) -> None:
    assert await checked.takes(checked.issuer.token(aud=["another", AUDIENCE]))


@pytest.mark.parametrize(("seconds", "taken"), [(-10, True), (-60, False)])
async def test_clocks_may_be_a_little_apart(checked: Checked, seconds: int, taken: bool) -> None:
    now = datetime.now(UTC)
    ended = int((now + timedelta(seconds=seconds)).timestamp())
    begins = int((now - timedelta(seconds=seconds)).timestamp())
    assert await checked.takes(checked.issuer.token(exp=ended)) is taken
    assert await checked.takes(checked.issuer.token(nbf=begins, iat=begins)) is taken


async def test_nobody_signs_without_the_key(checked: Checked) -> None:
    issuer = checked.issuer
    claims = issuer.claims()
    issuer.add("thief", rsa_key("thief"), publish=False)
    forged = issuer.token("thief", header={"kid": "rsa"})
    head, body, signature = issuer.token().split(".")
    assert await checked.takes(f"{head}.{body}.{signature}")
    for wrong in (
        unsigned(claims),
        unsigned(claims, "None"),
        unsigned(claims, "RS256"),
        hmac_signed(claims, issuer.public_pem("rsa")),
        hmac_signed(claims, json.dumps(issuer.key_set()["keys"][0]).encode()),  # type: ignore[index]
        hmac_signed(claims, b""),
        forged,
        f"{head}.{part(issuer.claims(sub='somebody else'))}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}.{signature[:-8]}AAAAAAAA",
        f"{part({'alg': 'PS256', 'kid': 'rsa', 'typ': 'JWT'})}.{body}.{signature}",
        f"{part({'alg': 'ES256', 'kid': 'rsa', 'typ': 'JWT'})}.{body}.{signature}",
        f"{part({'alg': 'ES256', 'kid': 'ec', 'typ': 'JWT'})}.{body}.{signature}",
    ):
        assert not await checked.takes(wrong)


async def test_a_key_that_the_token_brings_along_is_not_looked_at(checked: Checked) -> None:
    issuer = checked.issuer
    issuer.add("thief", rsa_key("thief"), publish=False)
    own = {
        "jwk": issuer.keys["thief"].as_dict(private=False),
        "jku": f"{issuer.url}/keys",
        "x5u": "https://thief.example/cert",
        "x5c": ["MIIB"],
    }
    for kid in ("rsa", "thief", "unknown"):
        assert not await checked.takes(issuer.token("thief", header={**own, "kid": kid}))
    before = issuer.fetched
    assert await checked.takes(issuer.token("rsa", header=own))
    assert issuer.fetched == before


@pytest.mark.parametrize(
    "header",
    [
        {"crit": ["exp"], "exp": 1},
        {"crit": []},
        {"b64": True},
        {"crit": ["b64"], "b64": True},
        {"typ": "logout+jwt"},
        {"typ": "dpop+jwt"},
        {"typ": 1},
        {"kid": 7},
        {"kid": "k" * 300},
    ],
)
async def test_headers_that_mean_something_else(checked: Checked, header: dict[str, object]) -> None:
    head, body, signature = checked.issuer.token().split(".")
    assert await checked.takes(f"{head}.{body}.{signature}")
    known = {"alg": "RS256", "kid": "rsa", "typ": "JWT"} | header
    is_signable = isinstance(header.get("typ", ""), str) and isinstance(header.get("kid", ""), str)
    is_signable = is_signable and header.get("crit", ["b64"]) == ["b64"]
    signed = checked.issuer.token(header=header) if is_signable else ""
    assert not await checked.takes(signed or f"{part(known)}.{body}.{signature}")


@pytest.mark.parametrize("typ", ["at+jwt", "application/at+jwt", "jwt", None])
async def test_types_of_access_tokens(checked: Checked, typ: str | None) -> None:
    assert await checked.takes(checked.issuer.token(header={"typ": typ}))


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        ".",
        "..",
        "...",
        "a.b.c",
        "a.b.c.d.e",
        "Bearer",
        "ünïcode.a.b",
        f"{encoded(b'[1]')}.e30.AA",
        f"{encoded(b'{')}.e30.AA",
        f"{encoded(b'[' * 2900)}.e30.AA",
        encoded(b'{"alg": ["RS256"]}') + ".e30.AA",
        encoded(b'{"alg": {}, "kid": null}') + ".e30.AA",
        f"{encoded(bytes(range(256)))}.e30.AA",
        "a" * 5_000 + ".e30.AA",
        "e30." + "a" * 13_000 + ".AA",
        "e30.e30." + "a" * 3_000,
        "e30\n.e30.AA",
    ],
)
async def test_garbage_is_no_token_and_asks_nobody(checked: Checked, garbage: str) -> None:
    assert not await checked.takes(garbage)
    assert checked.issuer.fetched == 0


async def test_what_is_signed_but_no_object_is_no_token(checked: Checked) -> None:
    for payload in (b"", b"[]", b"null", b'"x"', b"{", b"\xff\xfe", b"[" * 5_000):
        assert not await checked.takes(checked.issuer.signed(payload, "rsa", "RS256"))


async def test_a_token_without_kid_needs_a_single_key(checked: Checked) -> None:
    issuer = checked.issuer
    assert await checked.takes(issuer.token(header={"kid": None}))
    issuer.add("second", rsa_key("second"))
    checked.clock.seconds += 601
    assert not await checked.takes(issuer.token(header={"kid": None}))
    assert await checked.takes(issuer.token("ec", "ES256", header={"kid": None}))


async def test_a_new_key_is_found_at_once_and_a_withdrawn_one_counts_no_more(checked: Checked) -> None:
    issuer = checked.issuer
    assert await checked.takes(issuer.token())
    old = issuer.token()
    issuer.add("rsa-2", rsa_key("rsa-2"))
    issuer.published.remove("rsa")
    checked.clock.seconds += 11
    assert await checked.takes(issuer.token("rsa-2"))
    assert not await checked.takes(old)
    assert issuer.fetched == 2


async def test_unknown_keys_do_not_make_us_ask_again_and_again(checked: Checked) -> None:
    issuer = checked.issuer
    assert await checked.takes(issuer.token())
    for number in range(50):
        assert not await checked.takes(issuer.token(header={"kid": f"made up {number}"}))
    assert issuer.fetched == 2  # once more, since a key may be new; then the pause
    checked.clock.seconds += 11
    for number in range(50):
        assert not await checked.takes(issuer.token(header={"kid": f"made up {number}"}))
    assert issuer.fetched == 3


async def test_keys_are_looked_at_again_after_a_while(checked: Checked) -> None:
    issuer = checked.issuer
    token = issuer.token()
    assert await checked.takes(token)
    issuer.published.remove("rsa")
    checked.clock.seconds += 599
    assert await checked.takes(token)
    checked.clock.seconds += 2
    assert not await checked.takes(token)


async def test_while_the_issuer_is_down_nobody_new_is_let_in_and_it_is_left_alone(checked: Checked) -> None:
    issuer = checked.issuer
    issuer.down = True
    for _ in range(3):
        with pytest.raises(Unavailable) as caught:
            await checked.takes(issuer.token())
        assert caught.value.code == "issuer_down"
    issuer.down = False
    with pytest.raises(Unavailable):
        await checked.takes(issuer.token())  # within the pause
    checked.clock.seconds += 11
    assert await checked.takes(issuer.token())


async def test_who_waits_for_an_issuer_that_hangs_waits_once(checked: Checked) -> None:
    """Also where the pause is shorter than the time that one attempt takes, as it is for Teams."""
    issuer, settings = checked.issuer, OidcSettings(checked.issuer.url, AUDIENCE, timeout=0.2, pause=0.1)
    issuer.slow = 5.0
    async with aiohttp.ClientSession() as session:
        tokens = OidcTokens(settings, IssuerKeys(settings, session), lambda: datetime.now(UTC))
        given = [issuer.token() for _ in range(5)]
        found = await asyncio.gather(*(tokens.verified(each) for each in given), return_exceptions=True)
    assert [type(each) for each in found] == [Unavailable] * 5
    assert issuer.asked == 1


async def test_known_keys_count_for_an_hour_while_the_issuer_is_down(checked: Checked) -> None:
    issuer = checked.issuer
    assert await checked.takes(issuer.token())
    issuer.down = True
    checked.clock.seconds += 3_500
    assert await checked.takes(issuer.token())
    checked.clock.seconds += 11
    with pytest.raises(Unavailable):
        await checked.takes(issuer.token(header={"kid": "unknown"}))  # nobody can tell whether there is such a key
    checked.clock.seconds += 100
    with pytest.raises(Unavailable):
        await checked.takes(issuer.token())


@pytest.mark.parametrize(
    "more",
    [
        {"issuer": "https://elsewhere.example"},
        {"issuer": None},
        {"jwks_uri": "http://keys.example/"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": 5},
        {"jwks_uri": "https://user@keys.example/"},
    ],
)
async def test_a_discovery_document_that_cannot_be_trusted(checked: Checked, more: dict[str, object]) -> None:
    checked.issuer.more = more
    with pytest.raises(Unavailable) as caught:
        await checked.takes(checked.issuer.token())
    assert caught.value.code == "issuer_unusable"
    assert checked.issuer.fetched == 0


async def test_no_redirect_is_followed(checked: Checked) -> None:
    checked.issuer.more = {"jwks_uri": checked.issuer.url.replace("/realm", "/moved")}
    with pytest.raises(Unavailable):
        await checked.takes(checked.issuer.token())
    assert checked.issuer.fetched == 0


async def test_keys_that_are_of_no_use_are_passed_over(checked: Checked) -> None:
    issuer = checked.issuer
    rsa = issuer.keys["rsa"].as_dict(private=False)
    small = small_key()
    issuer.add("small", small, publish=False)
    issuer.listed = [
        {"kty": "oct", "kid": "shared", "k": "c2VjcmV0"},
        {**rsa, "kid": "enc", "use": "enc"},
        {**rsa, "kid": "ops", "key_ops": ["encrypt"]},
        {**rsa, "kid": "alg", "alg": "RS512"},
        {**small.as_dict(private=False), "kid": "small"},
        {"kty": "RSA", "kid": "broken", "n": "AQ"},
        {"kty": "EC", "kid": "curve", "crv": "P-999", "x": "AA", "y": "AA"},
        {"kty": ["RSA"]},
    ]
    assert [each.kid for each in published(issuer.key_set())] == ["rsa", "ec", "alg"]
    for kid in ("enc", "ops", "alg"):
        assert not await checked.takes(issuer.token(header={"kid": kid}))
    assert not await checked.takes(issuer.token("small"))
    assert await checked.takes(issuer.token("rsa"))


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://login.example/tenant/v2.0", True),
        ("http://127.0.0.1:8080/realm", True),
        ("http://localhost/", True),
        ("http://login.example/", False),
        ("http://127.0.0.1.evil.example/", False),
        ("https://user:pass@login.example/", False),  # pragma: allowlist secret
        ("https://", False),
        ("https://[broken", False),
        ("ftp://login.example", False),
        (None, False),
    ],
)
def test_keys_come_encrypted_or_from_this_machine(url: object, safe: bool) -> None:
    assert is_safe(url) is safe
