"""YAML with the line of every key, so that a mistake can be pointed at."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

Lines = Mapping[tuple[str | int, ...], int]
_MOST_VALUES = 100_000
"""With what is repeated by `*name`, which makes gigabytes out of a line."""


class NotYaml(Exception):
    """The text is no YAML; `line` where that is known."""

    def __init__(self, line: int | None, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(problem)


def content_and_lines(text: str) -> tuple[object, Lines]:
    """The content, and the line of each key and list entry in it. Raises NotYaml; a key that stands twice is an
    error too: YAML would silently keep the last one."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is not None and _values(node, {}) > _MOST_VALUES:
            raise NotYaml(None, f"more than {_MOST_VALUES} values, with those that are repeated by *name")
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        raise NotYaml(mark.line + 1 if mark else None, problem) from error
    except (ValueError, RecursionError) as error:
        raise NotYaml(None, str(error)) from error
    lines: dict[tuple[str | int, ...], int] = {}
    if node is not None:
        _note_lines(node, (), lines, set())
    return content, lines


def _values(node: yaml.Node, known: dict[yaml.Node, int]) -> int:
    """How many values there are in `node`, repeated ones as often as they are repeated."""
    if node not in known:
        known[node] = 1  # it may hold itself
        if isinstance(node, yaml.MappingNode):
            known[node] += sum(_values(key, known) + _values(value, known) for key, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            known[node] += sum(_values(value, known) for value in node.value)
    return known[node]


def _note_lines(
    node: yaml.Node, where: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int], known: set[yaml.Node]
) -> None:
    """What is repeated by `*name` is gone into once: it may hold itself."""
    lines.setdefault(where, node.start_mark.line + 1)
    if node in known:
        return
    known.add(node)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if str(key.value) in seen:
                raise NotYaml(line, f"{key.value} stands twice here")
            seen.add(str(key.value))
            lines[(*where, str(key.value))] = line
            _note_lines(value, (*where, str(key.value)), lines, known)
    elif isinstance(node, yaml.SequenceNode):
        for at, value in enumerate(node.value):
            _note_lines(value, (*where, at), lines, known)


def line_of(location: Sequence[Any], lines: Lines) -> int | None:
    """The line of the innermost part of `location` that stands in the file."""
    for length in range(len(location), -1, -1):
        if (line := lines.get(tuple(location[:length]))) is not None:
            return line
    return None
