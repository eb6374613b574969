"""What the pages of all stand-ins keep to: nothing of other sites is shown or taken."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from multidict import MultiDictProxy

from ops.sandbox import wording

LOOPBACK = "127.0.0.1"
Form = MultiDictProxy[str | bytes | bytearray | web.FileField]

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action 'self'{}"
)
_HOSTS = (LOOPBACK, "localhost")
_KINDS = {".css": "text/css", ".js": "text/javascript"}


def check_host(request: web.Request) -> None:
    """Raises 403. A name that somebody points to 127.0.0.1 would let their page read this one."""
    if urlsplit(f"//{request.host}").hostname not in _HOSTS:
        raise web.HTTPForbidden(text=wording.REFUSED_ORIGIN)


def check_origin(request: web.Request) -> None:
    """Raises 403. Another site open in the same browser could post here too."""
    own = {f"http://{host}:{request.url.port}" for host in _HOSTS}
    if request.headers.get("Origin") not in own:
        raise web.HTTPForbidden(text=wording.REFUSED_ORIGIN)


async def own_form(request: web.Request) -> Form:
    """Raises 403 for one that another site sends."""
    check_origin(request)
    return await request.post()


def html(text: str, further_form_target: str = "") -> web.Response:
    policy = _POLICY.format(further_form_target)
    headers = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
    return web.Response(text=text, content_type="text/html", headers=headers)


def static(folder: Path) -> web.RouteDef:
    """Styles and scripts in this folder and below, by their names alone."""
    files: Mapping[str, Path] = {each.name: each for each in folder.rglob("*") if each.suffix in _KINDS}

    async def give(request: web.Request) -> web.Response:
        found = files.get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        headers = {"X-Content-Type-Options": "nosniff"}
        return web.Response(text=found.read_text("utf-8"), content_type=_KINDS[found.suffix], headers=headers)

    return web.get("/static/{name}", give)


class Server:
    """Listens on loopback. `start` raises OSError where it cannot."""

    def __init__(self, most_bytes: int) -> None:
        self.app = web.Application(client_max_size=most_bytes)
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=0.2)

    async def start(self, port: int) -> str:
        """Its address; port 0 takes a free one."""
        await self._runner.setup()
        await web.TCPSite(self._runner, LOOPBACK, port).start()
        return f"http://{LOOPBACK}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        await self._runner.cleanup()
