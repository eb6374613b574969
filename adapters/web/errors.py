"""Every error of a listener ends here: as problem details for programs, as a page for people."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from adapters.web.pages import render
from adapters.web.parts import PARTS
from adapters.web.problems import Problem, attempt
from adapters.web.sign_in import sign_in_page

UNAUTHORIZED = 401
Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def errors_as_problems(request: web.Request, handler: Serve) -> web.StreamResponse:
    outcome = await attempt(handler(request))
    return outcome.as_response() if isinstance(outcome, Problem) else outcome


@web.middleware
async def errors_for_readers(request: web.Request, handler: Serve) -> web.StreamResponse:
    """A page where somebody reads pages, problem details under `/api` and for the probes."""
    outcome = await attempt(handler(request))
    if not isinstance(outcome, Problem):
        return outcome
    if not _is_read_by_people(request):
        return outcome.as_response()
    if outcome.status == UNAUTHORIZED and request.app[PARTS].sign_in is not None:
        return _asked_to_sign_in(request, outcome)
    page = render(request, "error.html", {"problem": outcome}, status=outcome.status)
    page.headers.update(outcome.headers)
    return page


def _asked_to_sign_in(request: web.Request, problem: Problem) -> web.Response:
    """What was wanted is shown after that; what was to be done is to be done again."""
    return sign_in_page(request, request.path_qs if request.method == "GET" else "/", problem)


def _is_read_by_people(request: web.Request) -> bool:
    if request.path.startswith("/api/") or request.path in ("/api", "/healthz", "/readyz", "/metrics"):
        return False
    return "text/html" in request.headers.get("Accept", "")
