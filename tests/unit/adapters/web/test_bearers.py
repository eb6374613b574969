"""The web listener where people and programs must say who they are."""

import asyncio
import json
import re
from datetime import timedelta

import pytest
from aiohttp.test_utils import TestServer

from adapters.local.limits import LocalRateLimits
from adapters.web.app import web_app
from adapters.web.callers import INSTALLATION
from bot.access.pseudonyms import KEY_BYTES, Pseudonyms, is_pseudonym
from bot.access.tokens import Permission, new_token
from bot.questions.limits import Allowances, Limit, SteadyLimits
from tests.fakes.documents import make_write
from tests.fakes.shared_services import FakeLimits
from tests.fakes.tokens import ISSUED, NOON, Door, bearer, status_of
from tests.fakes.web import FakeAsk, FakePolicyStore, make_parts, serving, uk_answer

ASK, READ, METRICS = Permission.ASK, Permission.READ, Permission.METRICS
QUESTION = {"question": "can I advertise alcohol"}
OPEN = {"/healthz", "/readyz", "/sign-in", "/sign-out"}


def routes() -> list[tuple[str, str]]:
    app = web_app(Door().parts())
    found = [(route.method, route.resource.canonical) for route in app.router.routes() if route.resource]
    return sorted((method, path) for method, path in found if method != "HEAD")


def filled(path: str) -> str:
    return re.sub(r"\{\w+\}", "x", path)


@pytest.mark.parametrize(("method", "path"), routes())
async def test_every_route_but_the_open_ones_asks_who_it_is(method: str, path: str) -> None:
    async with serving(Door().parts()) as site, site.session.request(method, filled(path)) as response:
        is_open = path in OPEN or path.startswith("/static/")
        assert (response.status == 401) is not is_open
        if not is_open:
            assert response.headers["WWW-Authenticate"] == 'Bearer realm="adpolicy"'
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Cache-Control"] == "no-store"
            assert "Content-Security-Policy" in response.headers
            assert (await response.json(content_type=None))["code"] == "credentials_missing"


@pytest.mark.parametrize(
    "path", ["/nothing", "/static/../api/v1/documents", "/static/..%2fapi", "/healthz/", "/Healthz"]
)
async def test_addresses_that_look_open_are_not(path: str) -> None:
    async with serving(Door().parts()) as site, site.session.get(path) as response:
        assert response.status == 401


@pytest.mark.parametrize("signs_in", [False, True])
async def test_a_group_that_is_declared_no_more_is_no_group_of_an_older_token(signs_in: bool) -> None:
    door = Door(members={"hr": frozenset({"oidc:hr"})})
    ask = FakeAsk(uk_answer(make_write(url=None)))
    secret = door.tokens.make("lawyers", ASK, READ, groups=frozenset({"legal", "hr"}))
    async with serving(door.parts(ask=ask)) as site:
        headers = bearer(secret)
        if signs_in:
            ours = {"Sec-Fetch-Site": "same-origin"}
            form = {"token": secret}
            async with site.session.post("/sign-in", data=form, headers=ours, allow_redirects=False) as signed_in:
                headers = ours | {"Cookie": signed_in.headers["Set-Cookie"].partition(";")[0]}
        async with site.session.post("/api/v1/ask", json=QUESTION, headers=headers) as response:
            assert response.status == 200
    assert [each.groups for each in ask.asked] == [frozenset({"hr"})]


async def test_a_token_lets_in_with_its_permissions_and_groups() -> None:
    door = Door()
    write = make_write(url=None)
    ask, store = FakeAsk(uk_answer(write)), FakePolicyStore([write])
    secret = door.tokens.make("lawyers", ASK, READ, groups=frozenset({"legal"}))
    async with (
        serving(door.parts(ask=ask, store=store)) as site,
        site.session.post("/api/v1/ask", json=QUESTION, headers=bearer(secret)) as response,
    ):
        assert response.status == 200
    (asked,) = ask.asked
    assert (asked.actor.platform, asked.actor.workspace, asked.actor.person) == (
        "rest",
        INSTALLATION,
        "token:id-lawyers",
    )
    assert asked.groups == frozenset({"legal"})
    assert asked.counted


@pytest.mark.parametrize(
    ("permission", "path", "lacking"),
    [(ASK, "/api/v1/documents", READ), (READ, "/metrics", METRICS), (METRICS, "/", ASK), (ASK, "/sources/x", READ)],
)
async def test_what_a_token_does_not_permit(permission: Permission, path: str, lacking: Permission) -> None:
    door = Door()
    secret = door.tokens.make("some", permission)
    async with serving(door.parts()) as site, site.session.get(path, headers=bearer(secret)) as response:
        assert response.status == 403
        challenge = response.headers["WWW-Authenticate"]
        assert challenge == f'Bearer realm="adpolicy", error="insufficient_scope", scope="{lacking.value}"'
        body = await response.json(content_type=None)
    assert (body["code"], body["permission"]) == ("permission_missing", lacking.value)
    assert f"“{lacking.value}”" in body["detail"]


async def test_figures_are_for_who_collects_them() -> None:
    door = Door()
    secret = door.tokens.make("prometheus", METRICS)
    async with serving(door.parts()) as site:
        assert await status_of(site, "/metrics", **bearer(secret)) == 200
        _, told = await site.get("/readyz", **bearer(secret))
        assert json.loads(told)["checks"]
        assert await site.get("/readyz") == (200, '{"status": "ready"}')
        assert await status_of(site, "/readyz", **bearer("wrong")) == 401


async def test_nobody_can_tell_why_a_token_is_refused() -> None:
    door = Door()
    good, expired, revoked = (door.tokens.make(name, READ) for name in ("good", "expired", "revoked"))
    door.tokens.revoke(revoked)
    other = door.tokens.make("short", READ, days=1)
    door.now = NOON + timedelta(days=2)
    door.failures = None
    told: set[tuple[int, str, str]] = set()
    wrong = (other, revoked, new_token(), good[:-1], good.swapcase(), "adpolicy_x", "x.y.z", "x")
    async with serving(door.parts()) as site:
        for secret in wrong:
            async with site.session.get("/api/v1/documents", headers=bearer(secret)) as response:
                told.add((response.status, response.headers["WWW-Authenticate"], await response.text()))
        assert await status_of(site, **bearer(good)) == 200
        assert await status_of(site, **bearer(expired)) == 200
    assert len(told) == 1
    ((status, challenge, body),) = told
    assert (status, challenge) == (401, 'Bearer realm="adpolicy", error="invalid_token"')
    assert not re.search(r"expired|revoked|unknown|signature", body)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic dXNlcjpwYXNz",
        "bearer\t{}",
        "Bearer {} x",
        "Token {}",
        "{}",
        "Bearer {},Bearer {}",
        "Bearer ü",
    ],
)
async def test_headers_that_are_not_as_they_should_be(value: str) -> None:
    door = Door()
    secret = door.tokens.make("good", READ)
    async with serving(door.parts()) as site:
        assert await status_of(site, Authorization=value.replace("{}", secret)) == 401
        assert await status_of(site, Authorization=f"bEARER  {secret}") == 200


async def test_a_token_with_a_typo_is_looked_up_nowhere() -> None:
    door = Door()
    secret = door.tokens.make("good", READ)
    typo = secret[:20] + ("a" if secret[20] != "a" else "b") + secret[21:]
    async with serving(door.parts()) as site:
        for each in (typo, secret[:-1], "adpolicy_"):
            assert await status_of(site, **bearer(each)) == 401
    assert door.tokens.looked_up == 0


async def test_two_headers_are_one_too_many() -> None:
    door = Door()
    secret = door.tokens.make("good", READ)
    headers = [("Authorization", f"Bearer {secret}"), ("Authorization", f"Bearer {secret}")]
    async with serving(door.parts()) as site, site.session.get("/api/v1/documents", headers=headers) as response:
        assert response.status == 401


async def test_a_token_in_the_address_or_the_body_is_not_looked_at() -> None:
    door = Door()
    secret = door.tokens.make("good", ASK, READ)
    async with serving(door.parts()) as site:
        assert await status_of(site, f"/api/v1/documents?access_token={secret}") == 401
        async with site.session.post("/api/v1/ask", data={"access_token": secret}) as response:
            assert response.status == 401
        async with site.session.get("/api/v1/documents", cookies={"access_token": secret}) as response:
            assert response.status == 401
    assert door.tokens.looked_up == 0


async def test_a_revoked_token_is_out_within_seconds() -> None:
    door = Door()
    secret = door.tokens.make("good", READ)
    async with serving(door.parts()) as site:
        assert await status_of(site, **bearer(secret)) == 200
        door.tokens.revoke(secret)
        door.seconds += 5
        assert await status_of(site, **bearer(secret)) == 401


async def test_an_expired_token_is_out_at_once() -> None:
    door = Door()
    secret = door.tokens.make("good", READ, days=1)
    async with serving(door.parts()) as site:
        assert await status_of(site, **bearer(secret)) == 200
        door.now = NOON + timedelta(days=1)
        assert await status_of(site, **bearer(secret)) == 401


async def test_while_nobody_can_tell_nobody_is_let_in() -> None:
    door = Door()
    secret = door.tokens.make("good", READ)
    door.tokens.down = door.issuer.down = True
    async with serving(door.parts()) as site:
        for each in (secret, ISSUED):
            async with site.session.get("/api/v1/documents", headers=bearer(each)) as response:
                assert response.status == 503
                assert int(response.headers["Retry-After"]) > 0
                assert (await response.json(content_type=None))["code"] == "callers_unknown"
        door.tokens.down = False
        assert await status_of(site, **bearer(secret)) == 200
        door.tokens.down = True
        door.seconds += 5
        assert await status_of(site, **bearer(secret)) == 503


async def test_looking_up_and_noting_use_is_seldom() -> None:
    door = Door()
    secret = door.tokens.make("good", READ)
    async with serving(door.parts()) as site:
        for _ in range(10):
            assert await status_of(site, **bearer(secret)) == 200
        assert (door.tokens.looked_up, len(door.tokens.used_at)) == (2, 1)
        door.seconds += 601
        assert await status_of(site, **bearer(secret)) == 200
    assert len(door.tokens.used_at) == 2


async def test_what_is_not_configured_lets_nobody_in() -> None:
    door = Door()
    secret = door.tokens.make("good", READ)
    async with serving(door.parts(with_tokens=False)) as site:
        assert await status_of(site, **bearer(secret)) == 401
        assert await status_of(site, **bearer(ISSUED)) == 200
        assert await status_of(site, "/sign-in") == 401  # there is no such page, and nobody is told
    async with serving(door.parts(with_issuer=False)) as site:
        assert await status_of(site, **bearer(secret)) == 200
        assert await status_of(site, **bearer(ISSUED)) == 401


async def test_a_token_opens_nothing_where_nobody_is_asked_for_one() -> None:
    """Credentials that nobody looks at change nothing: public documents, as for anybody."""
    ask = FakeAsk(uk_answer(make_write(url=None)))
    async with (
        serving(make_parts(ask=ask)) as site,
        site.session.post("/api/v1/ask", json=QUESTION, headers=bearer(new_token())) as response,
    ):
        assert response.status == 200
    assert ask.asked[0].groups == frozenset()


@pytest.mark.parametrize("length", ["Content-Length: 200000", "Transfer-Encoding: chunked"])
async def test_credentials_are_looked_at_before_the_body_is_there(length: str) -> None:
    server = TestServer(web_app(Door().parts(body_seconds=60.0)))
    await server.start_server()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = f"POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{length}\r\n\r\n"
        writer.write(head.encode())  # and not a byte of the body
        async with asyncio.timeout(5):
            first = await reader.readline()
        writer.close()
        await writer.wait_closed()
    finally:
        await server.close()
    assert b" 401 " in first


async def test_too_many_wrong_ones_from_an_address_are_not_looked_at_any_more() -> None:
    door = Door()
    good, late = door.tokens.make("good", READ), door.tokens.make("late", READ)
    async with serving(door.parts()) as site:
        assert await status_of(site, **bearer(good)) == 200
        for _ in range(5):
            assert await status_of(site, **bearer(new_token())) == 401
        before = door.tokens.looked_up
        async with site.session.get("/api/v1/documents", headers=bearer(late)) as response:
            assert response.status == 429
            assert int(response.headers["Retry-After"]) == 60
            assert (await response.json(content_type=None))["code"] == "attempts_limited"
        assert door.tokens.looked_up == before
        assert await status_of(site, **bearer(good)) == 200  # known to be right
        assert await status_of(site) == 401  # no attempt: nothing was given
        door.seconds += 61
        assert await status_of(site, **bearer(late)) == 200


async def test_behind_a_named_proxy_each_address_is_counted_by_itself() -> None:
    door = Door()
    good = door.tokens.make("good", READ)
    async with serving(door.parts(proxies=frozenset({"127.0.0.1", "10.0.0.9"}))) as site:
        for number in range(5):
            # what stands further left, the caller wrote himself
            forwarded = f"198.51.100.{number}, 203.0.113.7, 10.0.0.9"
            assert await status_of(site, x_forwarded_for=forwarded, **bearer(new_token())) == 401
        assert await status_of(site, x_forwarded_for="203.0.113.7", **bearer(good)) == 429
        assert await status_of(site, x_forwarded_for="203.0.113.8", **bearer(good)) == 200


async def test_somebody_who_is_known_may_do_so_much_and_no_more() -> None:
    door = Door()
    one, two = door.tokens.make("one", READ), door.tokens.make("two", READ)
    allowed = LocalRateLimits(Allowances(person=Limit(3, 60), workspace=Limit(5, 60)), clock=lambda: door.seconds)
    async with serving(door.parts(limits=SteadyLimits(allowed, allowed))) as site:
        assert [await status_of(site, **bearer(one)) for _ in range(3)] == [200] * 3
        async with site.session.get("/api/v1/changes", headers=bearer(one)) as response:
            assert response.status == 429
            assert int(response.headers["Retry-After"]) == 60
            assert (await response.json(content_type=None))["code"] == "requests_limited"
        assert [await status_of(site, **bearer(two)) for _ in range(3)] == [200, 200, 429]  # all together
        assert await status_of(site, "/healthz") == 200


async def test_requests_are_counted_under_a_pseudonym() -> None:
    door, limits = Door(), FakeLimits()
    one = door.tokens.make("one", READ)
    named = Pseudonyms(b"k" * KEY_BYTES).named
    async with serving(door.parts(limits=SteadyLimits(limits, limits), counted_as=named)) as site:
        assert await status_of(site, **bearer(one)) == 200
    [(actor, _)] = limits.hits
    assert is_pseudonym(actor.person)


async def test_on_a_listener_for_others_an_address_may_stand_in_host() -> None:
    async with serving(Door().parts()) as site:
        assert await status_of(site, "/healthz", Host="10.0.0.7:8080") == 200
        assert await status_of(site, "/healthz", Host="[2001:db8::1]") == 200
        assert await status_of(site, "/healthz", Host="evil.example") == 421


async def test_the_browser_is_told_to_come_back_encrypted_only_where_it_is() -> None:
    async with serving(Door().parts()) as site, site.session.get("/nothing") as response:
        assert response.headers["Strict-Transport-Security"] == "max-age=31536000"
    async with serving(Door().parts(public_url="http://127.0.0.1:8080")) as site, site.session.get("/") as response:
        assert "Strict-Transport-Security" not in response.headers


async def test_no_secret_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    door = Door()
    good, wrong = door.tokens.make("good", READ), new_token()
    async with serving(door.parts()) as site:
        for secret in (good, wrong, ISSUED):
            await status_of(site, **bearer(secret))
        door.tokens.down = True
        door.seconds += 10
        await status_of(site, **bearer(good))
    assert not [each for each in (good, wrong, ISSUED) if each in caplog.text]
