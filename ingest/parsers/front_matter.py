"""The block between two `---` lines at the top of a Markdown file: what the document says about itself."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

from ingest.parsers.parsed import ParseWarning
from rag_core.errors import Rejected

_BLOCK = re.compile(r"---[ \t]*\r?\n(.*?)(?:^|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^([A-Za-z_][\w-]*)\s*:", re.MULTILINE)
_LOOKS_LIKE_KEY = re.compile(r"---[ \t]*\r?\n[A-Za-z_][\w-]*:")

_OPENS_STRUCTURE = ("[", "{", "&", "*", "|", ">", "!", "%", "@", "`", '"', "'")
"""What a value begins with that is more than text: broken, it cannot be guessed at."""

_MOST_LEVELS = 20
_HEADER_LINE = re.compile(r"( *)[*_]{0,2}([A-Za-z][\w/ -]{0,40}?)[*_]{0,2}\s*:[*_]{0,2}\s+\S")
_ABOVE_HEADER = re.compile(
    r"(?P<title>\s*(?:#[^\n]*\n|[^\n]+\n(?:={3,}|-{3,})[ \t]*\n)?)(?:[ \t]*\n)*(?:```\w*[ \t]*\n|<pre>[ \t]*\n?)?"
)
_FENCES = ("```", "</pre>")
_HEADER_NAMES = frozenset({"status", "stage", "author", "authors", "type", "created"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`values` as written, `lines` where each key stands in the file (from 1), `body` what follows.

    `warnings`: "front_matter_not_yaml" with line and problem, where it was read line by line.
    """

    body: str
    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[ParseWarning, ...] = ()


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
    warnings: tuple[ParseWarning, ...] = ()
    try:
        values = _load(block)
    except yaml.YAMLError as error:
        refused = _refused(error)
        values = _by_line(block, refused)
        warnings = (ParseWarning("front_matter_not_yaml", refused.details),)
    lines = {key[1]: block.count("\n", 0, key.start()) + 2 for key in _KEY.finditer(block)}
    return FrontMatter(text[match.end() :], values, lines, warnings)


def _load(block: str) -> Mapping[str, object]:
    """Raises Rejected, yaml.YAMLError."""
    try:
        _refuse_traps(block)
        values = yaml.safe_load(block)
    except (ValueError, OverflowError) as error:  # a date such as 2025-13-45
        raise Rejected("front_matter_invalid", line=_wrong_date(block), problem=str(error)) from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise Rejected("front_matter_invalid", line=2, problem="no keys")
    return {str(key): value for key, value in values.items()}


def _refused(error: yaml.YAMLError) -> Rejected:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "not YAML"
    return Rejected("front_matter_invalid", line=mark.line + 2 if mark else 1, problem=problem)


def _by_line(block: str, refused: Rejected) -> Mapping[str, object]:
    """`key: value` line by line, each key with the indented lines and list entries below it; a value that is no YAML is
    text (`title: Foo: bar`). Raises `refused` for what is neither: a rule about who may see it might be lost."""
    parts: list[str] = []
    for line in block.split("\n"):
        if _KEY.match(line):
            parts.append(line)
        elif parts and (not line.strip() or line[0] in " \t" or (line[0] == "-" and _opens_list(parts[-1]))):
            parts[-1] += f"\n{line}"
        elif line.strip() and not line.startswith("#"):
            raise refused
    values: dict[str, object] = {}
    for part in parts:
        try:
            values.update(_load(part))
        except yaml.YAMLError:
            key, _, value = part.partition(":")
            if not value.strip() or value.strip().startswith(_OPENS_STRUCTURE):
                raise refused from None
            values[key.strip()] = " ".join(value.split())
    return values


def _opens_list(part: str) -> bool:
    return part.partition("\n")[0].rstrip().endswith(":")


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
        except (ValueError, OverflowError):
            return number
    return 1


def with_header_lines_apart(text: str) -> str:
    """`text`, where it begins with lines `Key: Value` as RFCs and proposals do, with each of them a paragraph of its
    own: Markdown would make one of them all. Lines further right go on with the line above; a title may stand first."""
    above = _ABOVE_HEADER.match(text)
    start = above.end() if above is not None else 0
    header: list[str] = []
    names: list[str] = []
    indented = 0
    lines = text[start:].split("\n")
    taken = 0
    for line in lines:
        match = _HEADER_LINE.match(line)
        if match and (not header or len(match[1]) <= indented):
            header.append(line.strip())
            names.append(match[2].lower())
            indented = len(match[1])
        elif header and line[:1] in (" ", "\t") and line.strip():
            header[-1] += f" {line.strip()}"
        else:
            break
        taken += 1
    if len(names) < 2 or not _HEADER_NAMES & set(names):
        return text
    rest = lines[taken:]
    rest = rest[1:] if rest and rest[0].strip() in _FENCES else rest
    return "\n\n".join([above["title"].rstrip() if above else "", *header, "\n".join(rest)])
