"""The block between two `---` lines at the top of a Markdown file: what the document says about itself."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

from rag_core.errors import Rejected

_BLOCK = re.compile(r"---[ \t]*\r?\n(.*?)(?:^|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^([A-Za-z_][\w-]*)\s*:", re.MULTILINE)
_LOOKS_LIKE_KEY = re.compile(r"---[ \t]*\r?\n[A-Za-z_][\w-]*:")

_MOST_LEVELS = 20


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`values` as written, `lines` where each key stands in the file (from 1), `body` what follows."""

    body: str
    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)


def split(text: str) -> FrontMatter:
    """`text` taken apart. Raises Rejected("front_matter_invalid", line=..., problem=...)."""
    match = _BLOCK.match(text)
    if match is None:
        if _LOOKS_LIKE_KEY.match(text):
            raise Rejected("front_matter_invalid", line=1, problem="unclosed")
        return FrontMatter(text)
    block = match[1]
    if not _KEY.search(block):  # a document that merely begins with a line across the page
        return FrontMatter(text)
    values = _load(block)
    lines = {key[1]: block.count("\n", 0, key.start()) + 2 for key in _KEY.finditer(block)}
    return FrontMatter(text[match.end() :], values, lines)


def _load(block: str) -> Mapping[str, object]:
    try:
        _refuse_traps(block)
        values = yaml.safe_load(block)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        raise Rejected("front_matter_invalid", line=mark.line + 2 if mark else 1, problem=problem) from error
    except ValueError as error:  # a date such as 2025-13-45
        raise Rejected("front_matter_invalid", line=_wrong_date(block), problem=str(error)) from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise Rejected("front_matter_invalid", line=2, problem="no keys")
    return {str(key): value for key, value in values.items()}


def _refuse_traps(block: str) -> None:
    """Values that repeat others by `*name` make gigabytes out of a line, and brackets within brackets take time by
    the square of their number. Raises Rejected, yaml.YAMLError."""
    levels = 0
    for event in yaml.parse(block, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 2 if event.start_mark is not None else 1
        if isinstance(event, yaml.AliasEvent):
            problem = f"it repeats a value by *{event.anchor}; write the value out"
            raise Rejected("front_matter_invalid", line=line, problem=problem)
        levels += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if levels > _MOST_LEVELS:
            raise Rejected("front_matter_invalid", line=line, problem="nested too deeply")


def _wrong_date(block: str) -> int:
    for number, line in enumerate(block.split("\n"), start=2):
        try:
            yaml.safe_load(line)
        except yaml.YAMLError:
            continue
        except ValueError:
            return number
    return 1
