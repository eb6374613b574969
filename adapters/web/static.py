"""The style sheet and the icon: read once, served from memory, checked by ETag."""

import hashlib
import mimetypes
from pathlib import Path

from aiohttp import web

_FOLDER = Path(__file__).parent / "static"


def static_routes() -> list[web.RouteDef]:
    """One route a file of the folder `static`."""
    return [_route(path) for path in sorted(_FOLDER.iterdir()) if path.is_file()]


def _route(path: Path) -> web.RouteDef:
    content = path.read_bytes()
    etag = hashlib.sha256(content).hexdigest()[:16]
    content_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"

    async def serve(request: web.Request) -> web.Response:
        headers = {"Cache-Control": "no-cache"}  # kept, but asked for again: a new release shows at once
        known = any(each.value in (etag, "*") for each in request.if_none_match or ())
        if known:
            response = web.Response(status=304, headers=headers)
        else:
            response = web.Response(
                body=content, content_type=content_type, charset=_charset(content_type), headers=headers
            )
        response.etag = etag
        return response

    return web.get(f"/static/{path.name}", serve)


def _charset(content_type: str) -> str | None:
    return "utf-8" if content_type.startswith("text/") else None
