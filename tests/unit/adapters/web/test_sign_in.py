"""People sign in to the pages with a token: a cookie that is worth nothing elsewhere, and no way around it."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from http.cookies import Morsel, SimpleCookie
from urllib.parse import quote

import pytest
from aiohttp import ClientResponse
from selectolax.lexbor import LexborHTMLParser

from adapters.web.sign_in import safe_return
from bot.access.tokens import Permission, new_token
from tests.fakes.documents import make_write
from tests.fakes.tokens import NOON, Door
from tests.fakes.web import FakeAsk, FakePolicyStore, Site, serving, uk_answer

ASK, READ = Permission.ASK, Permission.READ
OURS = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
LEGAL = frozenset({"legal"})
COOKIE = "__Host-adpolicy"


async def signed_in(site: Site, token: str, next_: str = "/", **headers: str) -> tuple[int, Mapping[str, str], str]:
    """Status, headers and the cookie's value, "" for none."""
    form = {"token": token, "next": next_}
    given = headers or OURS
    async with site.session.post("/sign-in", data=form, headers=given, allow_redirects=False) as response:
        cookie = cookie_of(response)
        return response.status, response.headers.copy(), cookie.value if cookie else ""


def cookie_of(response: ClientResponse) -> "Morsel[str] | None":
    found: SimpleCookie = SimpleCookie(response.headers.get("Set-Cookie", ""))
    return next(iter(found.values()), None)


def with_cookie(value: str, name: str = COOKIE) -> dict[str, str]:
    return {"Cookie": f"{name}={value}", "Accept": "text/html"}


async def test_a_page_asks_who_it_is_and_then_shows_what_was_wanted() -> None:
    door = Door()
    write = make_write(url=None)
    token = door.tokens.make("lawyers", ASK, READ, groups=frozenset({"legal"}))
    ask = FakeAsk(uk_answer(write))
    async with serving(door.parts(ask=ask, store=FakePolicyStore([write]))) as site:
        status, body = await site.page("/?q=alcohol+in+the+UK")
        page = LexborHTMLParser(body)
        assert status == 401
        form = page.css_first("form[action='/sign-in'][method='post']")
        assert form is not None
        assert form.css_first("input[name=token][type=password]") is not None
        wanted = form.css_first("input[name=next]")
        assert wanted is not None
        assert wanted.attributes["value"] == "/?q=alcohol+in+the+UK"
        assert not page.css("script")
        status, headers, value = await signed_in(site, token, str(wanted.attributes["value"]))
        assert (status, headers["Location"]) == (303, "/?q=alcohol+in+the+UK")
        status, body = await site.get(headers["Location"], **with_cookie(value))
        assert status == 200
        assert "United Kingdom" in body
        assert LexborHTMLParser(body).css_first("form[action='/sign-out'][method='post']") is not None
        status, _ = await site.get(f"/sources/{write.version.doc_id}", **with_cookie(value))
        assert status == 200
    (asked,) = ask.asked
    assert (asked.actor.platform, asked.actor.person, asked.groups) == ("web", "token:id-lawyers", LEGAL)


async def test_the_cookie_is_for_this_host_for_no_script_and_for_a_while() -> None:
    door = Door()
    token = door.tokens.make("a", READ)
    form = {"token": token, "next": "/"}
    async with (
        serving(door.parts()) as site,
        site.session.post("/sign-in", data=form, headers=OURS, allow_redirects=False) as response,
    ):
        cookie = cookie_of(response)
    assert cookie is not None
    assert (cookie.key, cookie["path"], cookie["samesite"], cookie["domain"]) == (COOKIE, "/", "Lax", "")
    assert cookie["secure"]
    assert cookie["httponly"]
    assert int(cookie["max-age"]) == 12 * 3600
    assert token not in cookie.value
    assert len(cookie.value) >= 43
    assert cookie.value not in door.tokens.sessions  # only its hash is kept


async def test_without_https_the_cookie_has_a_plain_name() -> None:
    door = Door()
    token = door.tokens.make("a", READ)
    async with serving(door.parts(public_url="")) as site:
        async with site.session.post(
            "/sign-in", data={"token": token}, headers=OURS, allow_redirects=False
        ) as response:
            cookie = cookie_of(response)
        assert cookie is not None
        assert (cookie.key, bool(cookie["secure"])) == ("adpolicy", False)
        assert (await site.get("/api/v1/documents", **with_cookie(cookie.value, "adpolicy")))[0] == 200
        assert (await site.get("/api/v1/documents", **with_cookie(cookie.value)))[0] == 401


async def test_it_ends_when_it_is_over_with_its_token_and_at_sign_out() -> None:
    door = Door()
    one, two = door.tokens.make("one", READ), door.tokens.make("two", READ)
    async with serving(door.parts()) as site:
        first, second, third = [(await signed_in(site, each))[2] for each in (one, one, two)]
        path = "/api/v1/documents"
        assert [(await site.get(path, **with_cookie(each)))[0] for each in (first, second, third)] == [200] * 3
        headers = OURS | with_cookie(first)
        async with site.session.post("/sign-out", headers=headers, allow_redirects=False) as response:
            assert (response.status, response.headers["Location"]) == (303, "/")
            cookie = cookie_of(response)
            assert cookie is not None
            assert (cookie.key, cookie.value, cookie["max-age"]) == (COOKIE, "", "0")
        assert (await site.get(path, **with_cookie(first)))[0] == 401  # at once, whoever still has it
        assert (await site.get(path, **with_cookie(second)))[0] == 200
        door.tokens.revoke(two)
        door.seconds += 5
        assert (await site.get(path, **with_cookie(third)))[0] == 401
        door.now = NOON + timedelta(hours=12)
        door.seconds += 5
        assert (await site.get(path, **with_cookie(second)))[0] == 401


async def test_nobody_stays_longer_than_his_token() -> None:
    door = Door()
    token = door.tokens.make("short", READ, days=1)
    door.now = NOON + timedelta(hours=23)
    form = {"token": token}
    async with (
        serving(door.parts()) as site,
        site.session.post("/sign-in", data=form, headers=OURS, allow_redirects=False) as response,
    ):
        cookie = cookie_of(response)
    assert cookie is not None
    assert int(cookie["max-age"]) == 3600


async def test_signing_in_again_makes_a_new_session_and_ends_the_old_one() -> None:
    door = Door()
    token = door.tokens.make("a", READ)
    async with serving(door.parts()) as site:
        _, _, first = await signed_in(site, token)
        _, _, second = await signed_in(site, token, **(OURS | with_cookie(first)))
        assert first != second
        assert len(door.tokens.sessions) == 1
        _, _, third = await signed_in(site, token, **(OURS | with_cookie("chosen by somebody else")))
        assert third not in ("chosen by somebody else", "")


@pytest.mark.parametrize("wrong", ["", "adpolicy_x", new_token(), "<script>", "é", "a" * 200])
async def test_a_wrong_token_is_not_told_from_another(wrong: str) -> None:
    door = Door()
    revoked = door.tokens.make("revoked", READ)
    door.tokens.revoke(revoked)
    async with serving(door.parts()) as site:
        pages = []
        for each in (wrong, revoked):
            form = {"token": each, "next": "/?q=x"}
            async with site.session.post("/sign-in", data=form, headers=OURS) as response:
                assert response.status == 401
                assert "Set-Cookie" not in response.headers
                assert response.headers["WWW-Authenticate"].startswith("Bearer ")
                pages.append(await response.text())
    assert pages[0] == pages[1]
    assert 'role="alert"' in pages[0]
    assert revoked not in pages[1]
    assert 'value="/?q=x"' in pages[0]


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://policies.example"}, False),
        ({"Origin": "https://policies.example", "Host": "policies.example"}, True),
        ({"Origin": "http://policies.example", "Host": "policies.example"}, False),
        ({"Origin": "https://evil.example", "Host": "policies.example"}, False),
        ({"Origin": "http://localhost:8080", "Host": "localhost:8080"}, True),
        ({"Origin": "http://localhost:9999", "Host": "localhost:8080"}, False),
        ({"Origin": "null"}, False),
        ({"Accept": "text/html"}, False),
    ],
)
async def test_no_other_site_signs_anybody_in_or_out(headers: dict[str, str], taken: bool) -> None:
    door = Door()
    token = door.tokens.make("a", READ)
    async with serving(door.parts()) as site:
        _, _, value = await signed_in(site, token)
        status, _, mine = await signed_in(site, token, **headers)
        assert (status == 303, bool(mine)) == (taken, taken)
        given = headers | {"Cookie": f"{COOKIE}={value}"}
        async with site.session.post("/sign-out", headers=given, allow_redirects=False) as response:
            assert (response.status == 303) is taken
        assert (await site.get("/api/v1/documents", **with_cookie(value)))[0] == (401 if taken else 200)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({}, 401),
        ({"Origin": "https://evil.example"}, 403),
    ],
)
async def test_a_cookie_does_nothing_that_a_page_of_ours_did_not_want(headers: dict[str, str], status: int) -> None:
    door = Door()
    token = door.tokens.make("a", ASK)
    ask = FakeAsk(uk_answer(make_write(url=None)))
    async with serving(door.parts(ask=ask)) as site:
        _, _, value = await signed_in(site, token)
        given = headers | {"Cookie": f"{COOKIE}={value}"}
        async with site.session.post("/api/v1/ask", json={"question": "alcohol"}, headers=given) as response:
            assert response.status == status
    assert len(ask.asked) == (1 if status == 200 else 0)


async def test_a_link_from_elsewhere_finds_who_is_signed_in_and_an_image_does_not() -> None:
    door = Door()
    token = door.tokens.make("a", ASK, READ)
    async with serving(door.parts()) as site:
        _, _, value = await signed_in(site, token)
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"} | with_cookie(value)
        assert (await site.get("/", **link))[0] == 200
        for where in ("cross-site", "same-site"):
            image = {"Sec-Fetch-Site": where, "Sec-Fetch-Dest": "image"} | with_cookie(value)
            assert (await site.get("/?q=alcohol", **image))[0] == 403


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/.//evil.example",
        "/a/..//evil.example",
        "/../evil",
        "/\t/evil.example",
        "/ /evil.example",
        "/\r\nSet-Cookie: a=b",
        "/?q=a\r\nX: y",
        "javascript:alert(1)",
        "data:text/html,x",
        "evil.example",
        "",
        "/%0d%0a" + "a" * 9_000,
        "/sign-out",
        "/sign-in?next=/",
        "/?q=\\",
        "/é",
    ],
)
async def test_signing_in_leads_nowhere_else(address: str) -> None:
    door = Door()
    token = door.tokens.make("a", READ)
    assert safe_return(address) == "/"
    async with serving(door.parts()) as site:
        status, headers, _ = await signed_in(site, token, address)
        assert (status, headers["Location"]) == (303, "/")
        _, page = await site.page(f"/sign-in?next={quote(address)}")
        wanted = LexborHTMLParser(page).css_first("input[name=next]")
        assert wanted is not None
        assert wanted.attributes["value"] == "/"


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?q=alcohol%20in%20the%20UK&region=uk",
        "/sources/google_alcohol_2025-12-22.2?from=1&to=20",
        "/sources/a?chunk=b-c",
    ],
)
def test_pages_here_are_come_back_to(address: str) -> None:
    assert safe_return(address) == address


async def test_forms_of_another_kind_are_refused() -> None:
    async with serving(Door().parts()) as site:
        for sent in ({"json": {"token": "x"}}, {"data": b"token=%ff%fe&token=" + bytes([255])}):
            async with site.session.post("/sign-in", headers=OURS, **sent) as response:
                assert response.status == 415
        many = "&".join(f"a{n}=1" for n in range(50))
        form = OURS | {"Content-Type": "application/x-www-form-urlencoded"}
        for body, status in ((many, 400), ("é=1", 400), ("token=" + "a" * 17_000, 413), ("", 401)):
            async with site.session.post("/sign-in", headers=form, data=body.encode()) as response:
                assert response.status == status


async def test_guessing_is_slowed_down_here_too() -> None:
    door = Door()
    token = door.tokens.make("a", READ)
    async with serving(door.parts()) as site:
        for _ in range(5):
            assert (await signed_in(site, new_token()))[0] == 401
        status, headers, _ = await signed_in(site, token)
        assert (status, headers["Retry-After"]) == (429, "60")


async def test_while_nobody_can_tell_nobody_signs_in() -> None:
    door = Door()
    token = door.tokens.make("a", READ)
    door.tokens.down = True
    async with serving(door.parts()) as site:
        status, headers, value = await signed_in(site, token)
    assert (status, value) == (503, "")
    assert "Retry-After" in headers


async def test_a_cookie_that_is_none_is_no_reason_for_an_error() -> None:
    door = Door()
    async with serving(door.parts()) as site:
        for value in ("x", "a" * 12_000, "adpolicy_x", '"quoted"', "%00"):
            status, body = await site.get("/", **with_cookie(value))
            assert status == 401
            assert 'action="/sign-in"' in body
            assert 'role="alert"' not in body


async def sent(site: Site, request: bytes) -> bytes:
    """The first line of what is answered to bytes that no client of ours would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(request)
    line = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return line


@pytest.mark.parametrize(("line", "status"), [(b"GET /api/v1/documents", b"401"), (b"POST /sign-out", b"303")])
async def test_a_cookie_that_is_no_text_is_no_reason_for_an_error(line: bytes, status: bytes) -> None:
    head = b" HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n"
    async with serving(Door().parts()) as site:
        answered = await sent(site, line + head + f"Cookie: {COOKIE}=a".encode() + b"\xff\xfe\r\n\r\n")
    assert answered.split()[1] == status


async def test_forms_send_where_they_come_from_and_nothing_else_learns_it() -> None:
    async with serving(Door().parts()) as site, site.session.get("/sign-in") as response:
        assert response.headers["Referrer-Policy"] == "same-origin"
        assert "form-action 'self'" in response.headers["Content-Security-Policy"]
        assert response.headers["Cache-Control"] == "no-store"


async def test_for_programs_there_is_no_page() -> None:
    programs = {"Accept": "text/html"}
    async with serving(Door().parts()) as site, site.session.get("/api/v1/documents", headers=programs) as response:
        assert (response.status, response.content_type) == (401, "application/problem+json")
