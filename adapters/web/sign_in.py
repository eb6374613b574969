"""People sign in to the pages with a token, and out again; works without any script."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs

from aiohttp import web

from adapters.web.api.input import read_form
from adapters.web.credentials import MISSING, SIGN_IN, SIGN_OUT, FailedAttempts, SignedIn, TokenHolders, unauthorized
from adapters.web.origins import is_of_our_page
from adapters.web.pages import render
from adapters.web.parts import PARTS, WebParts
from adapters.web.peers import peer_of
from adapters.web.problems import Problem, RequestRefused
from bot.access.tokens import hash_of
from rag_core.errors import Unavailable

routes = web.RouteTableDef()

_LONGEST_RETURN = 8_000
_SEGMENT = r"[A-Za-z0-9_~%:@-][A-Za-z0-9._~%:@-]*"
_RETURN = re.compile(rf"/(?:{_SEGMENT}(?:/{_SEGMENT})*)?(?:\?[!-\[\]-~]*)?")
"""A path of this server: no second slash, backslash or dot at its beginning, no white space anywhere."""


@dataclass(frozen=True, slots=True)
class _Form:
    """`return_to` is safe."""

    token: str
    return_to: str


@routes.get(SIGN_IN)
async def form(request: web.Request) -> web.Response:
    return sign_in_page(request, request.query.get("next", "/"))


@routes.post(SIGN_IN)
async def sign_in(request: web.Request) -> web.Response:
    """Sets the cookie and goes on to where somebody wanted to be; each time with a secret that was never seen."""
    parts, holders, attempts = _parts(request)
    _check_ours(request, parts)
    given = await _read(request)
    peer = peer_of(request, parts.proxies)
    attempts.check(peer, hash_of(given.token))
    try:
        signed_in = await holders.sign_in(given.token)
        if signed_in is not None:
            await _forget(request, parts, holders)
    except Unavailable as exc:
        raise Unavailable("callers_unknown") from exc
    if signed_in is None:
        attempts.failed(peer)
        return sign_in_page(request, given.return_to, unauthorized("token_refused").problem)
    attempts.succeeded(hash_of(given.token))
    return _kept(_redirect(given.return_to), parts, signed_in)


@routes.post(SIGN_OUT)
async def sign_out(request: web.Request) -> web.Response:
    parts, holders, _ = _parts(request)
    _check_ours(request, parts)
    try:
        await _forget(request, parts, holders)
    except Unavailable as exc:
        raise Unavailable("callers_unknown") from exc
    response = _redirect("/")
    response.del_cookie(parts.cookie, path="/", secure=parts.is_https, httponly=True, samesite="Lax")
    return response


def sign_in_page(request: web.Request, return_to: str, problem: Problem | None = None) -> web.Response:
    """Asks for a token; `problem` says why the last one was not taken, or that none came."""
    wrong = problem if problem is not None and problem.code != MISSING else None
    context: dict[str, object] = {"return_to": safe_return(return_to), "problem": wrong}
    page = render(request, "sign_in.html", context, status=problem.status if problem else 200)
    page.headers.update(problem.headers if problem else {})
    return page


def safe_return(address: str) -> str:
    """`address` if it leads to a page here, else the start page: a link must not send anybody elsewhere."""
    is_safe = len(address) <= _LONGEST_RETURN and _RETURN.fullmatch(address) is not None
    return address if is_safe and not address.startswith("/sign-") else "/"


def _parts(request: web.Request) -> tuple[WebParts, TokenHolders, FailedAttempts]:
    parts = request.app[PARTS]
    if parts.sign_in is None:
        raise RequestRefused(404, "not_found")
    return parts, parts.sign_in.holders, parts.sign_in.attempts


def _check_ours(request: web.Request, parts: WebParts) -> None:
    """Another site must not sign anybody in, as somebody else, or out."""
    if not is_of_our_page(request, parts.links.public_url):
        raise RequestRefused(403, "cross_site")


async def _read(request: web.Request) -> _Form:
    try:
        fields = parse_qs((await read_form(request)).decode("ascii"), max_num_fields=10)
    except ValueError as exc:
        raise RequestRefused(400, "broken_body") from exc
    return _Form(fields.get("token", [""])[0].strip(), safe_return(fields.get("next", ["/"])[0]))


async def _forget(request: web.Request, parts: WebParts, holders: TokenHolders) -> None:
    if secret := request.cookies.get(parts.cookie, ""):
        await holders.sign_out(secret)


def _redirect(address: str) -> web.Response:
    return web.Response(status=303, headers={"Location": address})


def _kept(response: web.Response, parts: WebParts, signed_in: SignedIn) -> web.Response:
    """Lax, not Strict: whoever follows a link in Slack is to be known here; and a link changes nothing."""
    response.set_cookie(
        parts.cookie,
        signed_in.secret,
        max_age=signed_in.seconds,
        path="/",
        secure=parts.is_https,
        httponly=True,
        samesite="Lax",
    )
    return response
