"""What the pages of all stand-ins keep to: nothing of other sites is shown or taken."""

from urllib.parse import urlsplit

from aiohttp import web
from multidict import MultiDictProxy

from ops.sandbox import wording

Form = MultiDictProxy[str | bytes | bytearray | web.FileField]

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action 'self'{}"
)
_HOSTS = ("127.0.0.1", "localhost")


def check_host(request: web.Request) -> None:
    """Raises 403. A name that somebody points to 127.0.0.1 would let their page read this one."""
    if urlsplit(f"//{request.host}").hostname not in _HOSTS:
        raise web.HTTPForbidden(text=wording.refused_origin())


def check_origin(request: web.Request) -> None:
    """Raises 403. Another site open in the same browser could post here too."""
    own = {f"http://{host}:{request.url.port}" for host in _HOSTS}
    if request.headers.get("Origin") not in own:
        raise web.HTTPForbidden(text=wording.refused_origin())


async def own_form(request: web.Request) -> Form:
    """Raises 403 for one that another site sends."""
    check_origin(request)
    return await request.post()


def html(text: str, further_form_target: str = "") -> web.Response:
    policy = _POLICY.format(further_form_target)
    headers = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
    return web.Response(text=text, content_type="text/html", headers=headers)
