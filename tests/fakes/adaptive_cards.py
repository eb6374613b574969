"""What Teams takes of a message with an Adaptive Card, and what a person reads of it.

A card is read twice: as CommonMark, like desktop and browser do, and for what the parser of phones stumbles over.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft6Validator
from markdown_it import MarkdownIt
from markdown_it.token import Token

Json = Mapping[str, Any]

MOST_BYTES = 80_000
_SCHEMA = Path(__file__).parents[2] / "ops" / "sandbox" / "teams" / "schema" / "adaptive-card-1.5.json"
_VALIDATOR = Draft6Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))
_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_INLINE = {"text", "strong_open", "strong_close", "link_open", "link_close"}
_BLOCKS = {"paragraph_open", "paragraph_close", "inline"}
_TEMPLATE = re.compile(r"\{\{|\$\{")
_BARE = re.compile(r"https?:/|www\.\w|\w@\w|\w\.[^\W\d_]{2}", re.IGNORECASE)
_INVISIBLE = re.compile("[\u2060\u00ad]")


def card_of(activity: Json) -> dict[str, Any]:
    [found] = activity["attachments"]
    assert found["contentType"] == "application/vnd.microsoft.card.adaptive"
    card: dict[str, Any] = found["content"]
    return card


def size(activity: Json) -> int:
    """Bytes as UTF-16, as Teams counts."""
    return len(json.dumps(activity, ensure_ascii=False).encode("utf-16-le"))


def against_schema(card: Json) -> list[str]:
    """What Microsoft's schema has against it. `msteams` is Teams' own and not in it."""
    plain = {name: value for name, value in card.items() if name != "msteams"}
    return [f"{list(each.absolute_path)}: {each.message[:200]}" for each in _VALIDATOR.iter_errors(plain)]


def violations(activity: Json, our_links: Sequence[str]) -> list[str]:
    """Everything in a message that Teams would refuse, or that would link, mention, format or compute unasked."""
    found = [*_message(activity), *_entities(activity)]
    for each in activity["attachments"]:
        found += card_violations(each["content"], our_links)
    return found


def card_violations(card: Json, our_links: Sequence[str]) -> list[str]:
    return [*_card(card), *(problem for text in text_blocks(card) for problem in _text(text, our_links))]


def elements(found: object) -> Iterator[dict[str, Any]]:
    """Every object of a card that has a type, outermost first."""
    if isinstance(found, dict):
        if "type" in found and found["type"] != "task/fetch":
            yield found
        for name, value in found.items():
            if name not in ("data", "msteams"):
                yield from elements(value)
    elif isinstance(found, list):
        for each in found:
            yield from elements(each)


def text_blocks(card: Json) -> list[str]:
    return [each["text"] for each in elements(card) if each["type"] == "TextBlock"]


def actions(card: Json) -> list[dict[str, Any]]:
    return [each for each in elements(card) if each["type"].startswith("Action.")]


def titles(card: Json) -> dict[str, dict[str, Any]]:
    """What can be clicked and is no toggle: title -> data."""
    return {each["title"]: each["data"] for each in actions(card) if "data" in each}


def shown(card: Json) -> str:
    """What is read of it, a line for each text, what is shown by a click included."""
    return "\n".join(read_markdown(each) for each in text_blocks(card))


def read_markdown(text: str) -> str:
    tokens = [each for block in _MARKDOWN.parse(text) for each in block.children or []]
    return _INVISIBLE.sub("", "".join(each.content or ("\n" if "break" in each.type else "") for each in tokens))


def links(card: Json) -> list[tuple[str, str]]:
    """(address, label) of every link."""
    return [each for text in text_blocks(card) for each in _links(_inline(text))]


def _inline(text: str) -> list[Token]:
    return [each for block in _MARKDOWN.parse(text) for each in block.children or []]


def _links(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    for at, each in enumerate(tokens):
        if each.type == "link_open":
            close = next(index for index in range(at, len(tokens)) if tokens[index].type == "link_close")
            yield str(each.attrs["href"]), "".join(inside.content for inside in tokens[at:close])


def _message(activity: Json) -> Iterator[str]:
    if activity["type"] != "message" or activity["textFormat"] != "markdown":
        yield "no message in Markdown"
    if not activity.get("text", "-").strip() or not activity["summary"].strip():
        yield "nothing for a notification"
    if size(activity) > MOST_BYTES:
        yield f"MessageSizeTooBig: {size(activity)}"
    json.dumps(activity, ensure_ascii=False).encode()
    for each in (activity.get("text", ""), activity["summary"]):
        yield from _text(each, ())
    if len(activity.get("suggestedActions", {"actions": []})["actions"]) > 3:
        yield "suggested actions"
    if re.search(r"<\s*at\b", json.dumps(activity, ensure_ascii=False), re.IGNORECASE):
        yield "mention"


def _entities(activity: Json) -> Iterator[str]:
    roots = [each for each in activity.get("entities", []) if each.get("type") == "https://schema.org/Message"]
    if len(roots) != len(activity.get("entities", [])) or len(roots) > 1:
        yield "entities"
    for claim in (each for root in roots for each in root.get("citation", [])):
        about = claim["appearance"]
        if f"[{claim['position']}]" not in activity.get("text", ""):
            yield f"[{claim['position']}] is not in the text"
        for name, most in (("name", 80), ("abstract", 160)):
            if not 0 < _units(about[name]) <= most:
                yield f"{name}: {_units(about[name])}"
        if len(about["keywords"]) > 3 or any(_units(each) > 28 for each in about["keywords"]):
            yield "keywords"
        if "url" in about and not about["url"].startswith(("https://", "http://")):
            yield f"url: {about['url']}"
    said = {int(each) for each in re.findall(r"\[(\d+)\]", activity.get("text", ""))}
    if said != {each["position"] for root in roots for each in root.get("citation", [])}:
        yield f"numbers without a citation: {said}"


def _card(card: Json) -> Iterator[str]:
    if card["version"] != "1.5" or card.get("msteams") != {"width": "Full"}:
        yield "version or width"
    found = list(elements(card))
    ids = [each["id"] for each in found if "id" in each]
    if len(ids) != len(set(ids)):
        yield "an id twice"
    for each in found:
        if each["type"] == "TextBlock" and (each.get("wrap") is not True or not each["text"].strip()):
            yield f"a text that is cut or empty: {each}"
        if each["type"] == "Action.ToggleVisibility" and not set(each["targetElements"]) <= set(ids):
            yield f"nothing to toggle: {each}"
        if each["type"] == "Table" and not _is_table(each):
            yield "table"
        shown_actions = [one for one in each.get("actions", []) if one.get("mode") != "secondary"]
        if len(shown_actions) > 6:
            yield f"actions: {len(shown_actions)}"
        for name in ("title", "tooltip", "label", "placeholder", "fallbackText"):
            if name in each and (_TEMPLATE.search(each[name]) or not each[name].strip()):
                yield f"{name}: {each[name]!r}"


def _is_table(found: Json) -> bool:
    wide = len(found["columns"])
    return (
        found.get("firstRowAsHeaders", True)
        and wide <= 4
        and len(found["rows"]) > 1
        and all(len(row["cells"]) == wide for row in found["rows"])
    )


def _text(text: str, our_links: Sequence[str]) -> Iterator[str]:
    yield from _marked_up(text, may_break=not our_links)
    if _TEMPLATE.search(text):
        yield f"a template in {text!r}"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text):
        yield f"control character in {text!r}"
    for address, label in _links(_inline(text)):
        if not address.startswith(("https://", "http://")) or not _is_ours(address, our_links):
            yield f"not our link: {address}"
        if re.search(r"[()<>]", address) or re.search(r"[()\[\]]", label):
            yield f"a link that phones break: {address} {label}"


def _marked_up(text: str, *, may_break: bool) -> Iterator[str]:
    for block in _MARKDOWN.parse(text):
        if block.type not in _BLOCKS:
            yield f"{block.type} in {text!r}"
        for token in block.children or []:
            if token.type not in _INLINE and not (token.type == "hardbreak" and may_break):
                yield f"{token.type} in {text!r}"
            if token.type == "text" and (_BARE.search(token.content) or re.search(r"[*`~]{2}|`", token.content)):
                yield f"would be linked or formatted elsewhere: {token.content!r}"


def _is_ours(address: str, our_links: Sequence[str]) -> bool:
    return _unquoted(address) in {_unquoted(_MARKDOWN.normalizeLink(each)) for each in our_links}


def _unquoted(address: str) -> str:
    """Addresses are escaped a little more than where they come from."""
    return re.sub(r"%(?:28|29|2A|5F|26|5B|5D|7C)", lambda each: chr(int(each[0][1:], 16)), address)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
