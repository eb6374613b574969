"""Slack's mrkdwn and blocks as safe HTML: everything is escaped first, then known marks become elements."""

import html
import json
import re

from markupsafe import Markup

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


def text_html(text: str) -> Markup:
    """mrkdwn: links and mentions stand in angle brackets, `&amp; &lt; &gt;` are the only entities."""
    angled: list[str] = []

    def keep(found: re.Match[str]) -> str:
        angled.append(_angled(found[1]))
        return f"\ue000{len(angled) - 1}\ue001"

    marked = _marked(_ANGLED.sub(keep, _PLACE.sub("", text)))
    return Markup(_PLACE.sub(lambda found: angled[int(found[1])], marked))  # noqa: S704 - escaped below


def plain_html(text: str) -> Markup:
    return Markup(html.escape(text))  # noqa: S704 - escaped


def block_html(block: dict[str, object]) -> Markup:
    """One block. Kinds that this page does not draw are shown as their JSON."""
    kind = block.get("type")
    if kind == "divider":
        return Markup("<hr>")
    if kind == "header":
        return Markup("<h3>{}</h3>").format(_text(block.get("text")))
    if kind == "section":
        fields = block.get("fields")
        texts = [block.get("text"), *(fields if isinstance(fields, list) else []), block.get("accessory")]
        return Markup("<div>{}</div>").format(Markup("<br>").join(_text(each) for each in texts if each))
    if kind in ("context", "actions", "context_actions"):
        elements = block.get("elements")
        shown = [_text(each) for each in elements] if isinstance(elements, list) else []
        return Markup('<div class="{}">{}</div>').format(kind, Markup(" ").join(shown))
    if kind == "markdown":
        return Markup("<div>{}</div>").format(text_html(str(block.get("text"))))
    return _json(block)


def _text(item: object) -> Markup:
    """A text object, or an element with a text of its own."""
    if not isinstance(item, dict):
        return _json(item)
    text = item.get("text")
    if item.get("type") == "mrkdwn":
        return text_html(str(text))
    if item.get("type") == "plain_text":
        return plain_html(str(text))
    if item.get("type") == "button":
        return Markup("<button disabled>{}</button>").format(_text(text))
    return _json(item)


def _json(item: object) -> Markup:
    return Markup("<pre>{}</pre>").format(json.dumps(item, indent=1))


def _marked(text: str) -> str:
    shown = _escaped(text)
    for pattern, element in _MARKS:
        shown = pattern.sub(element, shown)
    return shown


def _angled(inside: str) -> str:
    target, _, label = inside.partition("|")
    if target.startswith(("https://", "http://", "mailto:")):
        address = f'href="{_escaped(target)}" rel="noreferrer noopener" target="_blank"'
        return f"<a {address}>{_escaped(label or target)}</a>"
    return f'<span class="mention">{_escaped(label or target)}</span>'


def _escaped(text: str) -> str:
    """Slack's three entities are undone once; whatever else looks like mark-up is shown as typed."""
    raw = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return html.escape(raw, quote=True)
