"""Files of the pages: templates that always escape, style sheet and icon."""

import hashlib
import mimetypes
from pathlib import Path

import aiohttp_jinja2
import jinja2
from aiohttp import web
from markupsafe import Markup

from adapters.web.callers import SIGNED_IN
from bot import wording
from bot.model.visible import clean
from bot.wording import web_pages

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


_HERE = Path(__file__).parent


def set_up_templates(app: web.Application) -> None:
    """Gives `app` its template environment, strict about names; wordings are `say` (pages) and `words` (answers)."""
    environment = aiohttp_jinja2.setup(
        app,
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(say=web_pages, words=wording)
    for name in environment.list_templates():
        environment.get_template(name)


def _readable(value: object) -> object:
    """What a template puts out: text without the characters that a screen obeys instead of showing (bidi, controls)."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(request: web.Request, template: str, context: dict[str, object], status: int = 200) -> web.Response:
    """The page `template` with `context`."""
    shown = {"signed_in": request.get(SIGNED_IN, False), **context}
    return aiohttp_jinja2.render_template(template, request, shown, status=status)
