"""A message as a whole: text, blocks and metadata.

The sum over a message (`msg_blocks_too_long`) is not documented and was seen between 12,000 and 13,000 characters,
so the lower one is held. Metadata: `event_type` and `event_payload`; its size is documented as limited, not how far,
so 8,000 characters are held.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ops.sandbox.slack.block_kit.blocks import check_blocks

LONGEST_TEXT = 40_000
LONGEST_BLOCKS = 12_000
LONGEST_METADATA = 8_000


@dataclass(frozen=True, slots=True)
class Refused:
    """Slack's error code and what it says about each place."""

    code: str
    messages: tuple[str, ...] = ()


def check_message(message: Mapping[str, object], longest_text: int = LONGEST_TEXT) -> Refused | None:
    """Why Slack would refuse `message` (`text`, `blocks` as a list or as JSON); None if it is fine."""
    text, blocks = message.get("text") or "", blocks_of(message)
    if blocks is None:
        return Refused("invalid_blocks_format")
    if not isinstance(text, str) or not (text or blocks):
        return Refused("no_text")
    if len(text) > longest_text:
        return Refused("msg_too_long")
    complaints = tuple(f"[ERROR] {each}" for each in check_blocks(blocks))
    if complaints:
        return Refused("invalid_blocks", complaints)
    if sum(isinstance(each, dict) and each.get("type") == "table" for each in blocks) > 1:
        return Refused("invalid_attachments", ("[ERROR] only_one_table_allowed",))
    return Refused("msg_blocks_too_long") if _length(blocks) > LONGEST_BLOCKS else None


def blocks_of(message: Mapping[str, object]) -> list[object] | None:
    """The blocks of a message (none: an empty list); None if they are no list."""
    blocks = parsed(message.get("blocks")) or []
    return blocks if isinstance(blocks, list) else None


def check_metadata(message: Mapping[str, object]) -> Refused | None:
    """Why Slack would refuse the `metadata` of a message; None if it is fine or not there."""
    if not message.get("metadata"):
        return None
    found = parsed(message["metadata"])
    if not isinstance(found, dict):
        return Refused("invalid_metadata_format")
    kind, payload = found.get("event_type"), found.get("event_payload")
    if not isinstance(kind, str) or not kind or not isinstance(payload, dict):
        return Refused("invalid_metadata_schema")
    return Refused("metadata_too_large") if len(json.dumps(found)) > LONGEST_METADATA else None


def parsed(value: object) -> object:
    """Slack takes structures as JSON in a string too; what is no JSON stays a string."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


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
