"""Slack's limits on a message, as measured and documented: what breaks one is refused, or shows what it should not."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_ALLOWED_BLOCKS = {"header", "section", "context", "divider", "actions", "context_actions"}
_TOKEN = re.compile(r"<([^<>]*)>")


def violations(message: Mapping[str, Any], our_prefixes: tuple[str, ...]) -> list[str]:
    """Everything in `message` that Slack would refuse, or that would link, mention or format unasked."""
    return [*_whole(message), *_blocks(message["blocks"], our_prefixes), *_text(message["text"], "text", ())]


def mrkdwn_texts(message: Mapping[str, Any]) -> list[str]:
    """Every mrkdwn text of the blocks, in order."""
    return [each["text"] for block in message["blocks"] for each in _objects(block) if each["type"] == "mrkdwn"]


def links(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(address, label) of every link in the blocks, as Slack reads them."""
    tokens = [token for text in mrkdwn_texts(message) for token in _TOKEN.findall(text)]
    return [(_unescape(address), label) for address, _, label in (token.partition("|") for token in tokens)]


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _whole(message: Mapping[str, Any]) -> Iterator[str]:
    size = len(json.dumps(message, ensure_ascii=False))
    if size > 10_000:
        yield f"msg_blocks_too_long: {size}"
    if not 1 <= len(message["blocks"]) <= 50:
        yield f"blocks: {len(message['blocks'])}"
    if message["unfurl_links"] is not False or message["unfurl_media"] is not False:
        yield "unfurls"
    if not message["text"].strip():
        yield "no text"
    json.dumps(message, ensure_ascii=False).encode()


def _blocks(found: list[dict[str, Any]], our_prefixes: tuple[str, ...]) -> Iterator[str]:
    for block in found:
        if block["type"] not in _ALLOWED_BLOCKS:
            yield f"block type {block['type']}"
        if block["type"] == "header" and not 1 <= len(block["text"]["text"]) <= 150:
            yield f"header: {len(block['text']['text'])}"
        if block["type"] == "header" and block["text"].get("emoji") is not False:
            yield "header makes emoji"
        if block["type"] == "context" and not 1 <= len(block["elements"]) <= 10:
            yield f"context: {len(block['elements'])}"
        if "fields" in block and not 1 <= len(block["fields"]) <= 10:
            yield f"fields: {len(block['fields'])}"
        if any(not 1 <= len(each["text"]) <= 2000 for each in block.get("fields", [])):
            yield f"field: {max(len(each['text']) for each in block['fields'])}"
        for each in _objects(block):
            yield from _object(each, our_prefixes)


def _objects(block: dict[str, Any]) -> list[dict[str, Any]]:
    return [*([block["text"]] if "text" in block else []), *block.get("fields", []), *block.get("elements", [])]


def _object(found: dict[str, Any], our_prefixes: tuple[str, ...]) -> Iterator[str]:
    if found["type"] != "mrkdwn":
        return
    if not 1 <= len(found["text"]) <= 3000:
        yield f"text: {len(found['text'])}"
    if found.get("verbatim") is not True:
        yield "addresses in a text become links"
    yield from _text(found["text"], "mrkdwn", our_prefixes)


def _text(text: str, where: str, our_prefixes: tuple[str, ...]) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        address = _unescape(token.partition("|")[0])
        if not address.startswith(our_prefixes) or not our_prefixes:
            yield f"{where}: not our link: {token}"
    rest = _TOKEN.sub("", text)
    if "<" in rest or ">" in rest.replace("\n> ", "\n").removeprefix("> "):
        yield f"{where}: bare angle bracket in {rest!r}"
    if re.search(r"&(?!amp;|lt;|gt;)", text):
        yield f"{where}: bare ampersand"
    if re.search(r"@(?:channel|here|everyone)\b", rest, re.IGNORECASE):
        yield f"{where}: broadcast"
    if re.search(r"(?m)^\s*&gt;", rest):
        yield f"{where}: quote block"
    if re.search(r":[a-z0-9_+'-]+:", rest):
        yield f"{where}: emoji code"
    if re.search(r"[`~]", rest):
        yield f"{where}: formatting in {rest!r}"
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text):
        yield f"{where}: control character"
