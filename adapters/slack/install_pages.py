"""The pages of an installation: HTML of our own, without a script and without anything of others."""

from collections.abc import Iterable
from html import escape

from aiohttp import web

from bot.wording.slack import PageText

INSTALL_PATH = "/slack/install"
STYLE_PATH = "/slack/install.css"

_STYLE = """\
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem;
  color: #1d1d1f; background: #fff; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; }
.action { display: inline-block; padding: .6rem 1.2rem; border-radius: .4rem; background: #1d3557; color: #fff;
  text-decoration: none; }
.action:focus-visible { outline: 3px solid #e07a00; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { color: #f2f2f2; background: #16181c; }
  .action { background: #a8c8f0; color: #10151c; }
}
"""


def page(text: PageText, *, to: str = INSTALL_PATH, status: int = 200, listed: Iterable[str] = ()) -> web.Response:
    """`to`: where the link leads; `listed`: HTML that stands before it."""
    title = escape(text.title)
    paragraphs = "".join(f"<p>{escape(each)}</p>" for each in text.paragraphs)
    link = f'<p><a class="action" href="{escape(to)}">{escape(text.action)}</a></p>' if text.action else ""
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="{STYLE_PATH}"></head>'
        f"<body><main><h1>{title}</h1>{paragraphs}{''.join(listed)}{link}</main></body></html>"
    )
    return web.Response(text=html, content_type="text/html", status=status)


def definitions(heading: str, entries: Iterable[tuple[str, str]]) -> str:
    """A list of words with what they mean."""
    rows = "".join(f"<li><code>{escape(word)}</code>: {escape(means)}</li>" for word, means in entries)
    return f"<h2>{escape(heading)}</h2><ul>{rows}</ul>"


async def style(_: web.Request) -> web.Response:
    return web.Response(text=_STYLE, content_type="text/css", headers={"Cache-Control": "max-age=3600"})
