"""What Slack accepts as a message: the limits of Block Kit, with Slack's error codes.

Limits from Slack's reference of blocks; the sum over a message (`msg_blocks_too_long`) is not documented there and
was seen between 12,000 and 13,000 characters, so the lower one is held.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ops.sandbox.slack.block_elements import (
    ACCESSORIES,
    CONTEXT,
    CONTEXT_ACTIONS,
    IMAGE_KEYS,
    INTERACTIVE,
    Check,
    element_of,
    image,
)
from ops.sandbox.slack.block_text import Found, complaint, items, only, optional, plain, string, text_object

MOST_BLOCKS = 50
LONGEST_TEXT = 40_000
LONGEST_BLOCKS = 12_000
LONGEST_MARKDOWN = 12_000

Block = dict[str, object]


@dataclass(frozen=True, slots=True)
class Refused:
    """Slack's error code and what it says about each place."""

    code: str
    messages: tuple[str, ...] = ()


def check_message(message: Mapping[str, object]) -> Refused | None:
    """Why Slack would refuse `message` (`text`, `blocks` as a list or as JSON); None if it is fine."""
    text, blocks = message.get("text") or "", blocks_of(message)
    if blocks is None:
        return Refused("invalid_blocks_format")
    if not isinstance(text, str) or not (text or blocks):
        return Refused("no_text")
    if len(text) > LONGEST_TEXT:
        return Refused("msg_too_long")
    complaints = tuple(f"[ERROR] {each}" for each in check_blocks(blocks))
    if complaints:
        return Refused("invalid_blocks", complaints)
    return Refused("msg_blocks_too_long") if _length(blocks) > LONGEST_BLOCKS else None


def blocks_of(message: Mapping[str, object]) -> list[object] | None:
    """The blocks of a message (none: an empty list); None if they are no list."""
    blocks = message.get("blocks") or []
    if isinstance(blocks, str):
        try:
            blocks = json.loads(blocks)
        except ValueError:
            return None
    return blocks if isinstance(blocks, list) else None


def check_blocks(blocks: list[object]) -> Found:
    """Every complaint about `blocks`, in order."""
    if len(blocks) > MOST_BLOCKS:
        yield complaint(f"no more than {MOST_BLOCKS} items allowed", "/blocks")
    for place, block in enumerate(blocks):
        yield from _block(block, f"/blocks/{place}")
    names = Counter(block.get("block_id") for block in blocks if isinstance(block, dict))
    for name, times in names.items():
        if name is not None and times > 1:
            yield complaint(f"block_id {name!r} is used {times} times", "/blocks")


def _block(block: object, where: str) -> Found:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or kind not in _BLOCKS:
        yield complaint(f"unsupported type: {kind}", where)
        return
    yield from optional(block, "block_id", where, 255)
    yield from _BLOCKS[kind]({name: each for name, each in block.items() if name != "block_id"}, where)


def _header(block: Block, where: str) -> Found:
    yield from only(block, ("text",), where)
    yield from plain(block.get("text"), f"{where}/text", 150)


def _divider(block: Block, where: str) -> Found:
    yield from only(block, (), where)


def _markdown(block: Block, where: str) -> Found:
    yield from only(block, ("text",), where)
    yield from string(block.get("text"), f"{where}/text", LONGEST_MARKDOWN)


def _image(block: Block, where: str) -> Found:
    yield from only(block, (*IMAGE_KEYS, "title"), where)
    yield from image({name: each for name, each in block.items() if name != "title"}, where)
    if "title" in block:
        yield from plain(block["title"], f"{where}/title", 2000)


def _section(block: Block, where: str) -> Found:
    yield from only(block, ("text", "fields", "accessory", "expand"), where)
    if "text" not in block and "fields" not in block:
        yield complaint("must define either text or fields", where)
    if "text" in block:
        yield from text_object(block["text"], f"{where}/text", 3000)
    if "fields" in block:
        found = items(block["fields"], f"{where}/fields", 10)
        yield from [found] if isinstance(found, str) else _field_texts(found)
    if "accessory" in block:
        yield from element_of(ACCESSORIES, block["accessory"], f"{where}/accessory")


def _field_texts(fields: list[tuple[str, dict[str, object]]]) -> Found:
    for place, each in fields:
        yield from text_object(each, place, 2000)


def _elements(known: dict[object, Check], most: int) -> Check:
    """A block that is a list of elements, of which each `action_id` may be there once."""

    def check(block: Block, where: str) -> Found:
        yield from only(block, ("elements",), where)
        found = items(block.get("elements"), f"{where}/elements", most)
        if isinstance(found, str):
            yield found
            return
        for place, element in found:
            yield from element_of(known, element, place)
        for name, times in Counter(element.get("action_id") for _, element in found).items():
            if name is not None and times > 1:
                yield complaint(f"action_id {name!r} is used {times} times", where)

    return check


def _rich_text(block: Block, where: str) -> Found:
    yield from only(block, ("elements",), where)
    found = items(block.get("elements"), f"{where}/elements", 100)
    if isinstance(found, str):
        yield found
        return
    kinds = ("rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote")
    for place, element in found:
        if element.get("type") not in kinds:
            yield complaint(f"unsupported type: {element.get('type')}", place)
        if not isinstance(element.get("elements"), list):
            yield complaint("must be a list of objects", f"{place}/elements")


_BLOCKS: dict[object, Callable[[Block, str], Found]] = {
    "header": _header,
    "divider": _divider,
    "markdown": _markdown,
    "image": _image,
    "section": _section,
    "context": _elements(CONTEXT, 10),
    "actions": _elements(INTERACTIVE, 25),
    "context_actions": _elements(CONTEXT_ACTIONS, 5),
    "rich_text": _rich_text,
}


def _length(blocks: list[object]) -> int:
    return sum(len(text) for text in _texts(blocks))


def _texts(value: object) -> Iterator[str]:
    """Every text a reader sees, however deep."""
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name == "text" and isinstance(each, str):
                yield each
            else:
                yield from _texts(each)
