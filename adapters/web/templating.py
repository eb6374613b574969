"""The pages' templates: escaped always, loaded once when the listener is built, never while a request waits."""

from pathlib import Path

import aiohttp_jinja2
import jinja2
from aiohttp import web
from markupsafe import Markup

from adapters.web.callers import SIGNED_IN
from bot import wording
from bot.model.visible import clean
from bot.wording import web_pages

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
