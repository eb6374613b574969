"""What Slack accepts as a message or a view: the limits of Block Kit (`block_kit.yaml`), with Slack's error codes.

The sum over a message (`msg_blocks_too_long`) is not documented and was seen between 12,000 and 13,000 characters,
so the lower one is held. Metadata: `event_type` and `event_payload`; its size is documented as limited, not how far,
so 8,000 characters are held.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from ops.sandbox.schema import Found, Rule, Schema

LONGEST_TEXT = 40_000
LONGEST_MARKDOWN = 12_000
LONGEST_BLOCKS = 12_000
LONGEST_METADATA = 8_000
LARGEST_VIEW = 250_000
ONE = "initial_option"


class Surface(StrEnum):
    MESSAGE = "message"
    MODAL = "modal"
    HOME = "home"


@dataclass(frozen=True, slots=True)
class Refused:
    """Slack's error code and what it says about each place."""

    code: str
    messages: tuple[str, ...] = ()


_NOTATION: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("block_kit.yaml").read_text("utf-8"))


def _kinds(words: Sequence[str]) -> Iterator[str]:
    for each in words:
        yield from _kinds(_NOTATION[each[1:]].split()[2:]) if each.startswith("+") else (each,)


def _sized(words: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """Least, most, and the words behind: a single number is the most."""
    numbers = [int(each) for each in words[:2] if each.isdigit()]
    return (numbers[0] if len(numbers) > 1 else 1), numbers[-1], words[len(numbers) :]


def _string(words: Sequence[str]) -> Rule:
    least, most, _ = _sized(words)
    return {"type": "string", "minLength": least, "maxLength": most}


def _list(words: Sequence[str]) -> Rule:
    least, most, each = _sized(words)
    return {"type": "array", "minItems": least, "maxItems": most, "items": _rule(" ".join(each))}


def _text(longest: str, *kinds: str) -> Rule:
    return {"allOf": [{"kinds": kinds}, {"properties": {"text": {"maxLength": int(longest)}}}]}


_RULES: Mapping[str, Callable[[Sequence[str]], Rule]] = {
    "string": _string,
    "list": _list,
    "plain": lambda words: _text(words[0], "plain_text"),
    "text": lambda words: _text(words[0], "plain_text", "mrkdwn"),
    "number": lambda words: {"type": "integer", "minimum": int(words[0]), "maximum": int(words[1])},
    "boolean": lambda _: {"type": "boolean"},
    "one": lambda words: {"enum": words[1:]},
    "matches": lambda words: {"type": "string", "pattern": f"^{words[0]}$"},
    "nullable": lambda words: {"anyOf": [{"type": "null"}, _rule(" ".join(words))]},
    "kind": lambda words: {"kinds": [*_kinds(words[1:])]},
}


def _rule(notation: str) -> Rule:
    """JSON schema of one rule, as the head of the file describes them."""
    word, *words = notation.split()
    return _RULES[word](words) if word in _RULES else {"$ref": f"#/definitions/{word}"}


def _definition(notation: str | Mapping[str, str]) -> Rule:
    if isinstance(notation, str):
        return _rule(notation)
    asked = {name: notation[name].split() for name in ("exactly", "either") if name in notation}
    fields = {name: rule for name, rule in notation.items() if name not in asked}
    return {
        "type": "object",
        "properties": {"type": {}, **{name.rstrip("!"): _rule(rule) for name, rule in fields.items()}},
        "required": [name.rstrip("!") for name in fields if name.endswith("!")],
        "additionalProperties": False,
        "exactlyOne": asked.get("exactly"),
        "someOf": asked.get("either"),
    }


_SCHEMA = Schema({name: _definition(each) for name, each in _NOTATION.items()})
_MESSAGE = {"$ref": "#/definitions/message"}


def check_message(message: Mapping[str, object], longest_text: int = LONGEST_TEXT) -> Refused | None:
    """Why Slack would refuse `message` (`text`, `blocks` as a list or as JSON); None if it is fine."""
    text, blocks = message.get("text") or "", blocks_of(message)
    if blocks is None:
        return Refused("invalid_blocks_format")
    if not isinstance(text, str) or not (text or blocks):
        return Refused("no_text")
    if len(text) > longest_text:
        return Refused("msg_too_long")
    found = [*_SCHEMA.problems({"blocks": blocks}, _MESSAGE), *_further(blocks, Surface.MESSAGE)]
    if found:
        return Refused("invalid_blocks", _said(found))
    if sum(isinstance(each, dict) and each.get("type") == "table" for each in blocks) > 1:
        return Refused("invalid_attachments", ("[ERROR] only_one_table_allowed",))
    return Refused("msg_blocks_too_long") if sum(map(len, _texts(blocks))) > LONGEST_BLOCKS else None


def check_view(view: object, surface: Surface) -> Refused | None:
    """Why Slack would refuse `view` on this surface; None if it is fine."""
    if len(json.dumps(view)) > LARGEST_VIEW:
        return Refused("view_too_large")
    found = [*_SCHEMA.problems(view, {"kinds": [surface]}, "/view")]
    if not found and isinstance(view, dict):
        found += [(f"/view{at}", what) for at, what in _further(view["blocks"], surface)]
        asks = any(each["type"] == "input" for each in view["blocks"])
        if surface is Surface.MODAL and asks and "submit" not in view:
            found.append(("/view", "missing required field: submit"))
    return Refused("invalid_arguments", _said(found)) if found else None


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


def blocks_of(message: Mapping[str, object]) -> list[object] | None:
    """The blocks of a message (none: an empty list); None if they are no list."""
    blocks = parsed(message.get("blocks")) or []
    return blocks if isinstance(blocks, list) else None


def parsed(value: object) -> object:
    """Slack takes structures as JSON in a string too; what is no JSON stays a string."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def elements_of(blocks: Sequence[object]) -> list[tuple[Mapping[str, object], dict[str, object]]]:
    """(block, interactive element) for each element that stands in `blocks`, in order."""
    found: list[tuple[Mapping[str, object], dict[str, object]]] = []
    for block in blocks:
        if isinstance(block, dict):
            listed = block.get("elements")
            inside = listed if isinstance(listed, list) and block.get("type") != "rich_text" else []
            found += [
                (block, each)
                for each in [block.get("accessory"), block.get("element"), *inside]
                if isinstance(each, dict) and each.get("type") not in ("image", "mrkdwn", "plain_text")
            ]
    return found


def options_of(element: Mapping[str, object]) -> list[dict[str, object]]:
    """Every option of a menu, with those of its groups."""
    groups = element.get("option_groups")
    lists = [each.get("options") for each in groups if isinstance(each, dict)] if isinstance(groups, list) else []
    found = [each for listed in [element.get("options"), *lists] if isinstance(listed, list) for each in listed]
    return [each for each in found if isinstance(each, dict)]


def _said(found: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"[ERROR] {what} [json-pointer:{at}]" for at, what in found))


def _further(blocks: Sequence[object], surface: Surface) -> Found:
    """What the shape of single values does not say."""
    known = [each for each in blocks if isinstance(each, dict)]
    if _repeat([each.get("block_id") for each in known]):
        yield "/blocks", "each block_id may be used once"
    for place, block in enumerate(blocks):
        inside = elements_of([block])
        at, rows = f"/blocks/{place}", block.get("rows") if isinstance(block, dict) else None
        if _repeat([element.get("action_id") for _, element in inside]):
            yield at, "each action_id may be used once"
        if isinstance(rows, list) and len({len(each) for each in rows if isinstance(each, list)}) > 1:
            yield f"{at}/rows", "all rows must have the same number of cells"
        for _, element in inside:
            yield from _chosen(element, at)
    if surface is not Surface.MESSAGE and sum(_focuses(each) for each in known) > 1:
        yield "/blocks", "only one element may have focus_on_load"


def _chosen(element: Mapping[str, object], at: str) -> Found:
    """What is chosen at first is offered, and every choice is another one."""
    offered, several = options_of(element), element.get("initial_options")
    chosen = [*(several if isinstance(several, list) else []), *([element[ONE]] if ONE in element else [])]
    if any(each not in offered for each in chosen):
        yield at, "initial option must match one of the options"
    if element.get("type") in ("checkboxes", "radio_buttons") and _repeat([each.get("value") for each in offered]):
        yield at, "options must have different values"
    least, most = element.get("min_length"), element.get("max_length")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield at, "min_length must not be greater than max_length"


def _focuses(block: Mapping[str, object]) -> bool:
    element = block.get("element")
    return isinstance(element, dict) and element.get("focus_on_load") is True


def _repeat(names: Sequence[object]) -> bool:
    given = [each for each in names if isinstance(each, str)]
    return len(set(given)) < len(given)


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
