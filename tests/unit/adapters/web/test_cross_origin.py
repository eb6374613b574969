"""Pages of other origins call the REST API only where the operator named them, and never with a browser's cookie."""

import pytest

from bot.access.tokens import Permission
from tests.fakes.tokens import Door
from tests.fakes.web import serving

FRIEND, EVIL = "https://dash.example:8443", "https://evil.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
FROM = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"}


def crossing(headers: object) -> dict[str, str]:
    return {name: str(value) for name, value in dict(headers).items() if name.startswith("Access-Control")}  # type: ignore[call-overload]


@pytest.mark.parametrize("origin", [FRIEND, EVIL, "null", "*"])
@pytest.mark.parametrize("path", ["/api/v1/ask", "/", "/nothing", "/static/style.css", "/healthz"])
async def test_by_default_no_origin_is_allowed_anything(origin: str, path: str) -> None:
    door = Door()
    token = door.tokens.make("a", Permission.ASK, Permission.READ)
    given = {"Origin": origin, "Authorization": f"Bearer {token}"}
    async with serving(door.parts()) as site:
        for method, more in (("OPTIONS", PREFLIGHT), ("GET", {}), ("POST", {})):
            async with site.session.request(method, path, headers=given | more) as response:
                assert (response.status, crossing(response.headers)) == (403, {})


async def test_a_named_origin_may_call_the_api_with_a_token_of_its_own() -> None:
    door = Door()
    token = door.tokens.make("a", Permission.READ)
    async with serving(door.parts(origins=frozenset({FRIEND}))) as site:
        async with site.session.options("/api/v1/ask", headers={"Origin": FRIEND} | PREFLIGHT | FROM) as response:
            assert response.status == 204
            assert crossing(response.headers) == {
                "Access-Control-Allow-Origin": FRIEND,
                "Access-Control-Allow-Methods": "GET, POST",
                "Access-Control-Allow-Headers": "Authorization, Content-Type",
                "Access-Control-Max-Age": "600",
                "Access-Control-Expose-Headers": "Retry-After, WWW-Authenticate",
            }
            assert response.headers["Vary"] == "Origin"
        given = {"Origin": FRIEND, "Authorization": f"Bearer {token}"} | FROM
        for headers, status in ((given, 200), ({"Origin": FRIEND} | FROM, 401)):
            async with site.session.get("/api/v1/documents", headers=headers) as response:
                assert response.status == status
                assert response.headers["Access-Control-Allow-Origin"] == FRIEND
                assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize(
    "origin",
    [EVIL, "https://dash.example", "http://dash.example:8443", f"{FRIEND}.evil.example", "null", FRIEND.upper()],
)
async def test_an_origin_that_only_looks_like_it_is_none(origin: str) -> None:
    async with serving(Door().parts(origins=frozenset({FRIEND}))) as site:
        async with site.session.options("/api/v1/ask", headers={"Origin": origin} | PREFLIGHT) as response:
            assert (response.status, crossing(response.headers)) == (403, {})
            assert response.headers["Vary"] == "Origin"
        async with site.session.options("/api/v1/ask", headers={"Origin": origin} | PREFLIGHT | FROM) as response:
            assert (response.status, crossing(response.headers)) == (403, {})


async def test_pages_are_for_nobody_elses_script() -> None:
    async with serving(Door().parts(origins=frozenset({FRIEND}))) as site:
        for path in ("/", "/sign-in", "/metrics", "/readyz"):
            async with site.session.get(path, headers={"Origin": FRIEND}) as response:
                assert crossing(response.headers) == {}


async def test_a_cookie_is_no_credential_of_another_origin() -> None:
    """A named origin on the same site would have the browser's cookie sent along: the API does not take it to change
    anything."""
    door = Door()
    token = door.tokens.make("a", Permission.ASK)
    ours = {"Sec-Fetch-Site": "same-origin"}
    async with serving(door.parts(origins=frozenset({FRIEND}))) as site:
        async with site.session.post(
            "/sign-in", data={"token": token}, headers=ours, allow_redirects=False
        ) as response:
            cookie = response.headers["Set-Cookie"].partition(";")[0]
        given = {"Origin": FRIEND, "Cookie": cookie, "Sec-Fetch-Site": "same-site"}
        async with site.session.post("/api/v1/ask", json={"question": "alcohol"}, headers=given) as response:
            assert response.status == 401
