"""Words and phrases as data: files of text beside this one, read once. Lines that begin with "# " are comments."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_REFERENCE = re.compile(r"<<(\w+)>>")


@cache
def lines_of(name: str) -> tuple[str, ...]:
    """The lines of `name`.txt that are no comments."""
    text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("# "))


@cache
def table_of(name: str) -> Mapping[str, str]:
    """Lines "key: value"; of a key that comes twice the values, with a space between them."""
    found: dict[str, str] = {}
    for line in lines_of(name):
        key, _, value = line.partition(": ")
        found[key] = f"{found[key]} {value}" if key in found else value
    return found


@cache
def _sections(name: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in lines_of(name):
        if line.startswith("== "):
            lines = found[line.removeprefix("== ")] = []
        else:
            lines.append(line)
    return {title: tuple(lines) for title, lines in found.items()}


@cache
def alternatives(name: str, section: str) -> tuple[str, ...]:
    """The lines of a section ("== title" above them), "<<other>>" in them replaced by the section of that title."""
    lines = _sections(name)[section]
    return tuple(_REFERENCE.sub(lambda match: regex(name, match[1]), line) for line in lines)


def regex(name: str, section: str) -> str:
    """The lines of a section as one regular expression."""
    return "".join(alternatives(name, section))


def pattern(name: str, section: str) -> re.Pattern[str]:
    """The same, in which case does not matter."""
    return re.compile(regex(name, section), re.IGNORECASE)


def words(name: str, section: str) -> frozenset[str]:
    """The words of a section."""
    return frozenset(" ".join(_sections(name)[section]).split())
