"""Slack's mrkdwn as safe HTML: everything is escaped first, then known marks become elements. And Markdown."""

import html
import re
from collections.abc import Mapping

from markdown_it import MarkdownIt
from markupsafe import Markup

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_ANGLED = re.compile(r"<([^<>]*)>")
_PLACE = re.compile("\ue000(\\d+)\ue001")  # where a link stood: private characters that nobody types
_MARKS = (
    (re.compile(r"```(.+?)```", re.DOTALL), r"<pre>\1</pre>"),
    (re.compile(r"`([^`\n]+)`"), r"<code>\1</code>"),
    (re.compile(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w_])_([^_\n]+)_(?![\w_])"), r"<em>\1</em>"),
    (re.compile(r"(?<![\w~])~([^~\n]+)~(?![\w~])"), r"<s>\1</s>"),
    (re.compile(r"^&gt; ?(.*)\n?", re.MULTILINE), r"<blockquote>\1</blockquote>"),
)
_EMOJI = {
    "white_check_mark": "✅", "heavy_check_mark": "✔️", "no_entry": "⛔", "warning": "⚠️", "x": "❌", "mag": "🔍",
    "information_source": "ℹ️", "bell": "🔔", "calendar": "📅", "thumbsup": "👍", "thumbsdown": "👎", "wave": "👋",
}  # fmt: skip
_CODE = re.compile(r":([a-z0-9_+-]+):")


def text_html(text: str, names: Mapping[str, str] | None = None) -> Markup:
    """mrkdwn: links and mentions stand in angle brackets, `&amp; &lt; &gt;` are the only entities.

    `names`: what people see in place of an id in a mention.
    """
    angled: list[str] = []

    def keep(found: re.Match[str]) -> str:
        angled.append(_angled(found[1], names or {}))
        return f"\ue000{len(angled) - 1}\ue001"

    marked = _marked(_ANGLED.sub(keep, _PLACE.sub("", text)))
    return Markup(_PLACE.sub(lambda found: angled[int(found[1])], marked))  # noqa: S704 - escaped below


def markdown_html(text: str) -> Markup:
    return Markup(_MARKDOWN.render(text))  # noqa: S704 - HTML in it is escaped by the renderer


def plain_html(text: str) -> Markup:
    return Markup(html.escape(_with_emoji(text)))  # noqa: S704 - escaped


def _with_emoji(text: str) -> str:
    return _CODE.sub(lambda found: _EMOJI.get(found[1], found[0]), text)


def _marked(text: str) -> str:
    shown = _escaped(_with_emoji(text))
    for pattern, element in _MARKS:
        shown = pattern.sub(element, shown)
    return shown


def _angled(inside: str, names: Mapping[str, str]) -> str:
    target, _, label = inside.partition("|")
    if target.startswith(("https://", "http://", "mailto:")):
        address = f'href="{_escaped(target)}" rel="noreferrer noopener" target="_blank"'
        return f"<a {address}>{_escaped(label or target)}</a>"
    known = names.get(target.lstrip("@#!"), "")
    return f'<span class="mention">{_escaped(label or known or target)}</span>'


def _escaped(text: str) -> str:
    """Slack's three entities are undone once; whatever else looks like mark-up is shown as typed."""
    raw = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return html.escape(raw, quote=True)
