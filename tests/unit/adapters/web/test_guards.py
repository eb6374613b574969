"""Who may speak to the web listener: hosts, peers, forwarded headers, other sites."""

import asyncio
from dataclasses import replace

import pytest
from aiohttp.test_utils import TestServer, make_mocked_request
from multidict import CIMultiDict

from adapters.web.app import web_app
from adapters.web.guards import host_name, is_loopback, web_guard
from adapters.web.problems import Problem, attempt
from bot.model.links import Links
from tests.fakes.web import make_parts, serving


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "LOCALHOST", "localhost.", "[::1]:8080", "policies.example:443"],
)
async def test_own_host_names_are_served(host: str) -> None:
    async with serving(make_parts()) as site:
        status, _ = await site.get("/healthz", Host=host)
    assert status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "policies.example.evil",
        "10.0.0.1",
        "[::2]",
        "user@localhost",
        "2130706433",
    ],
)
async def test_another_name_for_this_machine_is_refused(host: str) -> None:
    """A page of another site can make its own name point here (DNS rebinding): then the Host header betrays it."""
    async with serving(make_parts()) as site:
        status, body = await site.get("/healthz", Host=host)
    assert status == 421
    assert "host_unknown" in body


async def test_without_a_public_address_only_this_machine_has_a_name() -> None:
    async with serving(make_parts(links=Links(""))) as site:
        assert (await site.get("/healthz", Host="policies.example"))[0] == 421
        assert (await site.get("/healthz", Host="localhost"))[0] == 200


@pytest.mark.parametrize(
    ("version", "head"), [("1.0", ""), ("1.1", ""), ("1.1", "Host: localhost\r\nHost: localhost\r\n")]
)
async def test_exactly_one_host_header(version: str, head: str) -> None:
    server = TestServer(web_app(make_parts()))
    await server.start_server()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET /healthz HTTP/{version}\r\n{head}Connection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    finally:
        await server.close()
    assert answer.split(b" ", 2)[1] == b"400"
    assert b"Traceback" not in answer


@pytest.mark.parametrize("target", ["http://evil.example/", "http://u:p@localhost/", "ftp://evil.example/", "http:///"])
async def test_the_host_in_a_whole_address_is_checked_as_well(target: str) -> None:
    """It counts before the Host header (RFC 9112), so a server in front may have gone by it."""
    async with serving(make_parts()) as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
    assert answer.split(b" ", 2)[1] in (b"400", b"421")
    assert b"evil" not in answer


async def test_a_whole_address_of_our_own_is_served() -> None:
    async with serving(make_parts()) as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
    assert answer.split(b" ", 2)[1] == b"200"


async def test_of_two_origins_neither_counts() -> None:
    async with serving(make_parts()) as site:
        own = ("Origin", f"http://127.0.0.1:{site.port}")
        for given in ([own, ("Origin", "https://evil.example")], [("Origin", "https://evil.example"), own]):
            async with site.session.post("/api/v1/ask", headers=CIMultiDict(given)) as response:
                assert response.status == 403


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"])
async def test_a_forwarded_header_needs_a_named_proxy(name: str) -> None:
    async with serving(make_parts()) as site:
        status, body = await site.get("/healthz", **{name: "203.0.113.9"})
        assert (status, "forwarded_header" in body) == (400, True)
    async with serving(make_parts(proxies=frozenset({"127.0.0.1"}))) as site:
        status, _ = await site.get("/healthz", **{name: "203.0.113.9"})
        assert status == 200


class Peer(asyncio.Transport):
    """The other end of a connection, at `address`."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 5555)})


async def reached(address: str, **changes: object) -> bool:
    parts = replace(make_parts(), **changes)  # type: ignore[arg-type]
    request = make_mocked_request("GET", "/healthz", {"Host": "localhost"}, transport=Peer(address))

    async def served(_: object) -> object:
        return True

    outcome = await attempt(web_guard(parts)(request, served))  # type: ignore[arg-type]
    return not (isinstance(outcome, Problem) and outcome.status == 403)


@pytest.mark.parametrize(
    ("address", "changes", "expected"),
    [
        ("127.0.0.1", {}, True),
        ("127.8.8.8", {}, True),
        ("::1", {}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("192.168.1.7", {}, False),
        ("2001:db8::7", {}, False),
        ("192.168.1.7", {"loopback_only": False}, True),
        ("192.168.1.7", {"proxies": frozenset({"192.168.1.7"})}, True),
    ],
)
async def test_only_this_machine_without_tokens(address: str, changes: dict[str, object], expected: bool) -> None:
    assert await reached(address, **changes) is expected


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, 200),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}, 403),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}, 403),
        ("GET", {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "empty"}, 200),
        ("POST", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, 403),
        ("POST", {"Origin": "https://evil.example"}, 403),
        ("POST", {"Origin": "null"}, 403),
        ("POST", {"Origin": ""}, 403),
        ("GET", {"Origin": "https://evil.example"}, 403),
        ("GET", {"Origin": "null"}, 403),
        ("GET", {"Origin": "http://{host}"}, 200),
        ("GET", {"Origin": "HTTPS://{host}"}, 200),
        ("GET", {"Origin": "http://{host}.evil.example"}, 403),
        ("POST", {"Origin": "https://evil.example", "Sec-Fetch-Site": "CROSS-SITE"}, 403),
        ("POST", {"Origin": "https://evil.example", "Sec-Fetch-Site": ""}, 403),
    ],
)
async def test_another_site_may_link_but_not_ask(method: str, headers: dict[str, str], expected: int) -> None:
    async with serving(make_parts()) as site:
        given = {name: value.replace("{host}", f"127.0.0.1:{site.port}") for name, value in headers.items()}
        path = "/?q=alcohol" if method == "GET" else "/api/v1/ask"
        async with site.session.request(method, path, headers=given) as response:
            assert response.status == expected


async def test_every_answer_forbids_framing_scripts_and_sniffing() -> None:
    async with serving(make_parts()) as site:
        for path in ("/", "/api/v1/documents", "/nothing", "/static/style.css", "/api/v1/ask"):
            async with site.session.get(path) as response:
                policy = response.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy
                assert "frame-ancestors 'none'" in policy
                assert "script-src" not in policy
                assert "unsafe" not in policy
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                assert response.headers["Referrer-Policy"] == "no-referrer"
                assert response.headers["Server"] == "adpolicy"
                assert "Access-Control-Allow-Origin" not in response.headers


async def test_no_other_origin_is_let_in() -> None:
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    async with serving(make_parts()) as site, site.session.options("/api/v1/ask", headers=preflight) as response:
        assert response.status == 403
        assert not [name for name in response.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("a.example:1", "a.example"),
        ("[::1]", "::1"),
        ("", None),
        ("a b", None),
        ("a:b", None),
        ("a:1:2", None),
        ("a:\u0661", None),
    ],
)
def test_host_name(authority: str, name: str | None) -> None:
    assert host_name(authority) == name


def test_a_name_is_not_a_loopback_address() -> None:
    assert not is_loopback("localhost")
