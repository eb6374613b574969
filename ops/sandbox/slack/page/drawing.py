"""Blocks as safe HTML."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markupsafe import Markup

from ops.sandbox.slack.forms import Values
from ops.sandbox.slack.mrkdwn import plain_html, text_html
from ops.sandbox.slack.page import fields
from ops.sandbox.slack.page.fields import Surroundings

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@dataclass(frozen=True, slots=True)
class Drawing:
    """Draws the blocks of one message or view; `values` are what is chosen in it."""

    around: Surroundings
    values: Values

    def blocks(self, blocks: Sequence[dict[str, object]]) -> list[Markup]:
        return [self.block(each) for each in blocks]

    def block(self, block: dict[str, object]) -> Markup:
        """One block. Kinds that are not drawn are shown as their JSON."""
        draw = _BLOCKS.get(str(block.get("type")))
        return draw(self, block) if draw else as_json(block)

    def text(self, item: object) -> Markup:
        """A text object, or an image beside text."""
        if isinstance(item, dict) and item.get("type") == "mrkdwn":
            return text_html(str(item.get("text")), self.around.names)
        if isinstance(item, dict) and item.get("type") == "plain_text":
            return plain_html(str(item.get("text")))
        if isinstance(item, dict) and item.get("type") == "image":
            return Markup('<span class="image" role="img" aria-label="{0}">{0}</span>').format(
                str(item.get("alt_text"))
            )
        return as_json(item)

    def element(self, block: Mapping[str, object], element: object) -> Markup:
        """Something to click, choose or look at."""
        if not isinstance(element, dict):
            return as_json(element)
        if element.get("type") in ("mrkdwn", "plain_text", "image"):
            return self.text(element)
        place = str(block.get("block_id"))
        state = self.values.get(place, {}).get(str(element.get("action_id")))
        return fields.clickable(self.around, place, element, state)


def as_json(item: object) -> Markup:
    return Markup("<pre>{}</pre>").format(json.dumps(item, indent=1))


def markdown(text: str) -> Markup:
    return Markup(_MARKDOWN.render(text))  # noqa: S704 - HTML in it is escaped by the renderer


def _header(draw: Drawing, block: dict[str, object]) -> Markup:
    return Markup('<h2 class="header">{}</h2>').format(draw.text(block.get("text")))


def _section(draw: Drawing, block: dict[str, object]) -> Markup:
    listed = block.get("fields")
    texts = Markup("").join(
        Markup('<div class="field">{}</div>').format(draw.text(each))
        for each in (listed if isinstance(listed, list) else [])
    )
    text = Markup("<div>{}</div>").format(draw.text(block["text"])) if "text" in block else Markup("")
    beside = draw.element(block, block["accessory"]) if "accessory" in block else Markup("")
    grid = Markup('<div class="fields">{}</div>').format(texts) if texts else Markup("")
    return Markup('<div class="section"><div class="grow">{}{}</div>{}</div>').format(text, grid, beside)


def _elements(draw: Drawing, block: dict[str, object]) -> Markup:
    listed = block.get("elements")
    inside = [draw.element(block, each) for each in listed] if isinstance(listed, list) else []
    return Markup('<div class="{}">{}</div>').format(str(block["type"]).replace("_", "-"), Markup(" ").join(inside))


def _context(draw: Drawing, block: dict[str, object]) -> Markup:
    listed = block.get("elements")
    inside = [draw.text(each) for each in listed] if isinstance(listed, list) else []
    each = Markup("").join(Markup("<span>{}</span>").format(one) for one in inside)
    return Markup('<div class="context">{}</div>').format(each)


def _image(draw: Drawing, block: dict[str, object]) -> Markup:
    return Markup("<div>{}</div>").format(draw.text(block))


def _input(draw: Drawing, block: dict[str, object]) -> Markup:
    return fields.input_block(draw.around, block, draw.values)


def _rich_text(draw: Drawing, block: dict[str, object]) -> Markup:
    listed = block.get("elements")
    return (
        Markup("").join(_rich_part(draw, each) for each in listed if isinstance(each, dict))
        if isinstance(listed, list)
        else Markup("")
    )


_RICH_TAGS = {"rich_text_section": "div", "rich_text_quote": "blockquote", "rich_text_preformatted": "pre"}


def _rich_part(draw: Drawing, part: dict[str, object]) -> Markup:
    listed = part.get("elements")
    inside = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    if part.get("type") == "rich_text_list":
        tag = "ol" if part.get("style") == "ordered" else "ul"
        rows = Markup("").join(Markup("<li>{}</li>").format(_rich_part(draw, each)) for each in inside)
        return Markup("<{0}>{1}</{0}>").format(tag, rows)
    tag = _RICH_TAGS.get(str(part.get("type")), "div")
    return Markup("<{0}>{1}</{0}>").format(tag, Markup("").join(_rich_leaf(draw, each) for each in inside))


def _rich_leaf(draw: Drawing, leaf: dict[str, object]) -> Markup:
    kind = leaf.get("type")
    if kind == "link":
        return text_html(f"<{leaf.get('url')}|{leaf.get('text') or leaf.get('url')}>")
    if kind in ("user", "channel", "usergroup", "broadcast"):
        target = leaf.get("user_id") or leaf.get("channel_id") or leaf.get("usergroup_id") or leaf.get("range")
        return text_html(f"<@{target}>", draw.around.names)
    if kind == "emoji":
        return plain_html(f":{leaf.get('name')}:")
    shown = plain_html(str(leaf.get("text") or leaf.get("fallback") or leaf.get("value") or ""))
    style = leaf.get("style")
    for name, tag in (("bold", "strong"), ("italic", "em"), ("strike", "s"), ("code", "code")):
        if isinstance(style, dict) and style.get(name) is True:
            shown = Markup("<{0}>{1}</{0}>").format(tag, shown)
    return shown


def _table(draw: Drawing, block: dict[str, object]) -> Markup:
    listed = block.get("rows")
    rows = [each for each in listed if isinstance(each, list)] if isinstance(listed, list) else []
    drawn = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(_cell(draw, each, "td" if place else "th") for each in row))
        for place, row in enumerate(rows)
    )
    return Markup("<table>{}</table>").format(drawn)


def _cell(draw: Drawing, cell: object, tag: str) -> Markup:
    inside = cell if isinstance(cell, dict) else {}
    shown = draw.block(inside) if inside.get("type") == "rich_text" else plain_html(str(inside.get("text") or ""))
    return Markup("<{0}>{1}</{0}>").format(tag, shown)


_BLOCKS: dict[str, Callable[[Drawing, dict[str, object]], Markup]] = {
    "header": _header,
    "divider": lambda _draw, _block: Markup("<hr>"),
    "section": _section,
    "context": _context,
    "actions": _elements,
    "context_actions": _elements,
    "image": _image,
    "markdown": lambda _draw, block: Markup('<div class="markdown">{}</div>').format(markdown(str(block.get("text")))),
    "rich_text": _rich_text,
    "table": _table,
    "input": _input,
}
