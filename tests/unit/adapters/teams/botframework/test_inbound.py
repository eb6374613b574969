"""Who is believed to be Teams, and that nobody else is, whatever he sends."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from blockbuster import blockbuster_ctx
from hypothesis import given
from hypothesis import strategies as st

from adapters.oidc.issuer import IssuerKeys
from adapters.oidc.key_sets import PublishedKey, pick, published
from adapters.oidc.settings import OidcSettings
from adapters.oidc.verifying import OidcTokens
from adapters.teams.app import MESSAGES_PATH, teams_routes
from adapters.teams.botframework.inbound import ChannelInbound
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.model.messages import InboundQuestion
from ops.teams_sdk import issuer_settings
from rag_core.errors import Rejected, Unavailable
from tests.fakes.issuer import FakeIssuer, encoded, hmac_signed, rsa_key, unsigned
from tests.fakes.teams import APP_ID, raw_activity
from tests.fakes.teams_connector import Desk, connector_desk


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with connector_desk() as made:
        yield made


def said(desk: Desk, **changes: object) -> bytes:
    return json.dumps(raw_activity("hello", **{"serviceUrl": desk.service_url, **changes})).encode()  # type: ignore[arg-type]


async def received(desk: Desk, token: str, **changes: object) -> TeamsActivity:
    return await desk.sdk.inbound.receive(f"Bearer {token}", said(desk, **changes))


async def refused(desk: Desk, authorization: str, body: bytes = b"") -> str:
    with pytest.raises(Rejected) as raised:
        await desk.sdk.inbound.receive(authorization, body or said(desk))
    assert raised.value.code == "teams_unauthenticated"
    return str(raised.value.details["reason"])


async def test_what_teams_signed_is_taken(desk: Desk) -> None:
    found = await received(desk, desk.token())
    assert (found.kind, found.text, found.service_url) == ("message", "hello", desk.service_url)
    again = await desk.sdk.inbound.receive(f"bearer {desk.token()}", said(desk))
    assert again.text == "hello"
    assert desk.issuer.fetched == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"aud": "55555555-4444-4444-4444-444444444444"},
        {"aud": None},
        {"aud": ""},
        {"aud": [APP_ID]},
        {"exp": None},
        {"exp": 1_000},
        {"exp": "soon"},
        {"nbf": 99_999_999_999},
        {"iat": 99_999_999_999},
        {"serviceurl": None},
        {"serviceurl": "https://elsewhere.example/"},
        {"serviceurl": ["x"]},
        {"serviceurl": True},
    ],
)
async def test_claims_that_do_not_hold(desk: Desk, changes: dict[str, Any]) -> None:
    await refused(desk, f"Bearer {desk.token(**changes)}")


async def test_clocks_may_be_five_minutes_apart(desk: Desk) -> None:
    now = int(datetime.now(UTC).timestamp())
    assert (await received(desk, desk.token(exp=now - 280))).text
    assert (await received(desk, desk.token(nbf=now + 280, iat=now + 280))).text
    await refused(desk, f"Bearer {desk.token(exp=now - 320)}")
    await refused(desk, f"Bearer {desk.token(nbf=now + 320)}")


async def test_a_key_speaks_only_for_the_channels_it_is_endorsed_for(desk: Desk) -> None:
    endorsed: dict[str, list[object]] = {"other": ["webchat"], "odd": [["msteams"], None, {"msteams": 1}], "empty": []}
    desk.issuer.endorsements |= endorsed
    for kid in (*endorsed, "without"):
        desk.issuer.add(kid, desk.issuer.keys["rsa"])
    for kid in (*endorsed, "without"):
        assert await refused(desk, f"Bearer {desk.token(kid)}") == "channel"


@pytest.mark.parametrize("channel", ["webchat", "", None, 1, ["msteams"], "MSTEAMS"])
async def test_another_channel_is_none_of_ours(desk: Desk, channel: object) -> None:
    assert await refused(desk, f"Bearer {desk.token()}", said(desk, channelId=channel)) == "channel"


async def test_an_activity_without_a_channel_is_refused(desk: Desk) -> None:
    raw = json.loads(said(desk))
    del raw["channelId"]
    assert await refused(desk, f"Bearer {desk.token()}", json.dumps(raw).encode()) == "channel"


@pytest.mark.parametrize(
    "address", ["", None, 7, ["x"], "http://elsewhere.example/", "ftp://127.0.0.1/", "https://", "javascript:alert(1)"]
)
async def test_the_address_is_the_signed_one_and_safe(desk: Desk, address: object) -> None:
    assert await refused(desk, f"Bearer {desk.token()}", said(desk, serviceUrl=address)) == "service_url"
    signed = desk.token(serviceurl=address)
    assert await refused(desk, f"Bearer {signed}", said(desk, serviceUrl=address)) == "service_url"


async def test_only_keys_of_the_issuer_and_only_rs256(desk: Desk) -> None:
    claims: dict[str, Any] = desk.issuer.claims(aud=APP_ID, serviceurl=desk.service_url)
    desk.issuer.add("secret", rsa_key("secret"), publish=False)
    desk.issuer.endorsements["ec"] = ["msteams"]
    forged = [
        unsigned(claims),
        unsigned(claims, "RS256"),
        hmac_signed(claims, desk.issuer.public_pem("rsa")),
        desk.token("secret"),
        desk.issuer.token("secret", header={"kid": "rsa"}, **claims),
        desk.issuer.token("ec", "ES256", **claims),
        desk.issuer.token("rsa", "PS256", **claims),
        desk.issuer.token("rsa", "RS512", **claims),
        desk.issuer.token("rsa", header={"kid": None}, **claims),
        desk.issuer.token("rsa", header={"kid": ""}, **claims),
        desk.issuer.token("rsa", header={"crit": ["b64"], "b64": False}, **claims),
    ]
    for each in forged:
        assert await refused(desk, f"Bearer {each}") == "token"


@pytest.mark.parametrize("kid", [1, True, ["rsa"], {"rsa": 1}, "r" * 5_000, "../rsa", "\x00"])
async def test_names_of_keys_that_are_none(desk: Desk, kid: object) -> None:
    head = json.dumps({"alg": "RS256", "typ": "JWT", "kid": kid}).encode()
    assert await refused(desk, f"Bearer {encoded(head)}.{encoded(b'{}')}.{encoded(b'x' * 256)}") == "token"


async def test_payloads_that_are_no_claims(desk: Desk) -> None:
    for payload in (b"[]", b"1", b"null", b'"x"', b"{", b"\xff\xfe", b"[" * 5_000, b"", b'{"aud": NaN}'):
        token = desk.issuer.signed(payload, "rsa", "RS256")
        assert await refused(desk, f"Bearer {token}") == "token"


GARBAGE = (
    *("", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer a.b", "Bearer ..", "Bearer a.b.c.d", "Bearer\ta.b.c"),
    *("\udcff\udcfe", "Bearer \udcff.\udcff.\udcff", "Bearer é.é.é"),
    *("Bearer " + "a" * 100_000, "Bearer " + "a." * 10_000),
)


@pytest.mark.parametrize("header", GARBAGE)
async def test_headers_that_are_garbage(desk: Desk, header: str) -> None:
    await refused(desk, header)
    assert desk.issuer.fetched == 0


async def test_a_good_token_of_another_scheme_or_without_end_is_not_looked_at(desk: Desk) -> None:
    assert await refused(desk, f"Basic {desk.token()}") == "header"
    assert await refused(desk, f"Bearer {desk.token(more='x' * 20_000)}") == "header"
    assert desk.issuer.fetched == 0


@pytest.mark.parametrize(
    "header", [b"", b"Bearer \xff\xfe.\x80.x", b"Bearer " + b"a" * 7_000, b"\xc3\x28", b"Bearer a.b.c", b"Bearer none"]
)
async def test_over_http_it_is_401_and_never_500(desk: Desk, header: bytes) -> None:
    assert await status_of(desk, header) == 401


async def test_a_header_larger_than_the_server_takes_is_its_400(desk: Desk) -> None:
    assert await status_of(desk, b"Bearer " + b"a" * 100_000) == 400


async def test_over_http_what_teams_signed_is_200(desk: Desk) -> None:
    assert await status_of(desk, f"Bearer {desk.token()}".encode()) == 200
    assert await status_of(desk, f"Bearer {desk.token()}".encode(), b"[]") == 400
    assert await status_of(desk, b"Bearer a.b.c", b"[]") == 401


async def status_of(desk: Desk, header: bytes, body: bytes = b"") -> int:
    """As bytes, which no client of HTTP would send."""
    parts = TeamsParts(desk.settings, desk.sdk.inbound, desk.sdk.outbound, desk.sdk.directory, _accept)
    app = web.Application()
    app.add_routes(teams_routes(parts, {}))
    body = body or said(desk)
    async with TestServer(app) as server:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        head = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nConnection: close\r\nAuthorization: %s\r\n\r\n"
        writer.write(head % (MESSAGES_PATH.encode(), len(body), header) + body)
        line = await reader.readline()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    return int(line.split()[1])


async def _accept(question: InboundQuestion) -> bool:
    return True


async def test_a_rotated_key_counts_at_once_and_the_old_ones_meanwhile(desk: Desk) -> None:
    """botbuilder raises IndexError for a `kid` that it does not know, and fetches no keys for a day."""
    assert (await received(desk, desk.token())).text
    desk.issuer.add("new", rsa_key("new"))
    desk.issuer.endorsements["new"] = ["msteams"]
    found = await asyncio.gather(*(received(desk, desk.token("new")) for _ in range(20)))
    assert len(found) == 20
    assert desk.issuer.fetched == 2
    assert (await received(desk, desk.token())).text


async def test_names_nobody_knows_do_not_have_the_keys_fetched_without_end(desk: Desk) -> None:
    desk.issuer.add("unknown", rsa_key("unknown"), publish=False)
    for _ in range(5):
        await refused(desk, f"Bearer {desk.token('unknown')}")
    assert desk.issuer.fetched == 2


async def test_without_keys_nobody_is_believed_and_nobody_is_sent_away_for_good(desk: Desk) -> None:
    desk.issuer.down = True
    with pytest.raises(Unavailable, match="teams_keys_unreachable"):
        await received(desk, desk.token())


async def test_while_keys_cannot_be_fetched_the_old_ones_count(desk: Desk) -> None:
    seconds = [1_000.0]
    keys = IssuerKeys(issuer_settings(desk.settings), desk.session, lambda: seconds[0])
    inbound = ChannelInbound(APP_ID, OidcTokens(issuer_settings(desk.settings), keys, lambda: datetime.now(UTC)))
    for hours, is_down, fetched in ((0, False, 1), (23, False, 1), (25, False, 2), (51, True, 2)):
        seconds[0], desk.issuer.down = 1_000.0 + hours * 3600, is_down
        assert (await inbound.receive(f"Bearer {desk.token()}", said(desk))).text
        assert desk.issuer.fetched == fetched


async def test_it_waits_for_keys_a_bounded_time_and_off_the_event_loop(desk: Desk) -> None:
    with blockbuster_ctx():
        assert (await received(desk, desk.token())).text
    assert issuer_settings(desk.settings).timeout <= 5.0


@given(st.one_of(st.text(max_size=200), st.from_regex(r"Bearer [A-Za-z0-9_.-]{0,200}", fullmatch=True)))
def test_no_header_is_too_odd(header: str) -> None:
    with pytest.raises(Rejected, match="teams_unauthenticated"):
        asyncio.run(ChannelInbound(APP_ID, _tokens()).receive(header, b"{}"))


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)
_CLAIMS = st.dictionaries(
    st.sampled_from(["iss", "aud", "exp", "nbf", "iat", "serviceurl", "events"]), _JSON, min_size=1
)
_ISSUER = FakeIssuer("https://issuer.example")
_ISSUER.add("rsa", rsa_key("rsa"))
_ISSUER.endorsements["rsa"] = ["msteams"]


@given(_CLAIMS, st.dictionaries(st.sampled_from(["activity", "channelId", "serviceUrl", "from"]), _JSON))
def test_no_claims_and_no_activity_are_too_odd(claims: dict[str, object], body: dict[str, object]) -> None:
    """Signed by the right key: even then nothing of it is trusted to have a shape."""
    payload = json.dumps(_ISSUER.claims(aud=APP_ID) | claims).encode()
    token = _ISSUER.signed(payload, "rsa", "RS256")
    with pytest.raises(Rejected, match="teams_unauthenticated"):
        asyncio.run(ChannelInbound(APP_ID, _tokens()).receive(f"Bearer {token}", json.dumps(body).encode()))


class _Keys:
    """Those of _ISSUER, without a network."""

    async def find(self, algorithm: str, kid: str) -> PublishedKey | None:
        return pick(published(_ISSUER.key_set()), algorithm, kid)


def _tokens() -> OidcTokens:
    return OidcTokens(OidcSettings(_ISSUER.url, APP_ID), _Keys(), lambda: datetime.now(UTC))  # type: ignore[arg-type]
