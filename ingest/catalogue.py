"""The catalogue: which documents there are to read, in YAML.

sources:
  - id: acme-help                  # stable: documents are remembered under it
    type: folder
    path: policies/acme            # relative to the catalogue's own folder
    policy_source: acme
    display_name: Acme Ads
    aliases: [Acme, AcmeBook]
    region: global                 # where its documents hold unless they say otherwise
    content_type: general
    classification: public         # restricted: only for members of allowed_groups
    allowed_groups: []
    labels: {stage: live}
    default_url: https://ads.acme.example/policies
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from ingest.facts import Groups, Labels, Region, Slug
from ingest.ports import Source, SourceDefaults
from ingest.sources.folder import FolderSource
from rag_core.documents import Classification, ContentType, PolicySource
from rag_core.errors import Misconfigured

Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class SourceEntry(BaseModel):
    """One source of the catalogue."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, frozen=True)

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=100)]
    type: Literal["folder"]
    path: Annotated[str, Field(min_length=1)]
    policy_source: Slug
    display_name: Annotated[str, Field(min_length=1, max_length=100)]
    aliases: Names = ()
    region: Region = "global"
    content_type: ContentType = ContentType.GENERAL
    classification: Classification = Classification.PUBLIC
    allowed_groups: Groups = frozenset()
    labels: Labels = Field(default_factory=dict)
    default_url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None

    def defaults(self) -> SourceDefaults:
        return SourceDefaults(
            PolicySource(self.policy_source, self.display_name, self.aliases),
            self.region,
            self.content_type,
            self.classification,
            self.allowed_groups,
            self.labels,
        )


class Catalogue(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: Annotated[tuple[SourceEntry, ...], Field(min_length=1)]


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue in the file `path`.

    Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" with path, line, key and problem.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise Misconfigured("catalogue_missing", path=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise _invalid(path, None, "", str(error)) from error
    content, lines = _loaded(path, text)
    try:
        catalogue = Catalogue.model_validate(content)
    except ValidationError as error:
        first = min(error.errors(include_url=False, include_context=False), key=_after_typos)
        location = first["loc"]
        raise _invalid(path, _line_of(location, lines), _key(location), _problem(first)) from error
    _check_ids(path, catalogue, lines)
    return catalogue


def open_sources(catalogue: Catalogue, path: Path) -> list[Source]:
    """The sources of the catalogue that was read from `path`."""
    return [
        FolderSource(entry.id, path.parent / entry.path, entry.defaults(), entry.default_url)
        for entry in catalogue.sources
    ]


def _after_typos(error: ErrorDetails) -> bool:
    """An unknown key explains the missing one that it was meant to be."""
    return error["type"] != "extra_forbidden"


def _problem(error: ErrorDetails) -> str:
    if error["type"] != "extra_forbidden":
        return error["msg"].removeprefix("Value error, ")
    known = [*SourceEntry.model_fields, *Catalogue.model_fields]
    near = difflib.get_close_matches(str(error["loc"][-1]), known, n=1)
    return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known: {', '.join(known)}"


def _loaded(path: Path, text: str) -> tuple[object, Mapping[tuple[str | int, ...], int]]:
    """The content, and the line of each key and list entry in it."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        raise _invalid(path, mark.line + 1 if mark else None, "", problem) from error
    except (ValueError, RecursionError) as error:
        raise _invalid(path, None, "", str(error)) from error
    lines: dict[tuple[str | int, ...], int] = {}
    if node is not None:
        _note_lines(node, (), lines)
    return content, lines


def _note_lines(node: yaml.Node, where: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> None:
    lines.setdefault(where, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            lines[(*where, str(key.value))] = key.start_mark.line + 1
            _note_lines(value, (*where, str(key.value)), lines)
    elif isinstance(node, yaml.SequenceNode):
        for at, value in enumerate(node.value):
            _note_lines(value, (*where, at), lines)


def _line_of(location: Sequence[Any], lines: Mapping[tuple[str | int, ...], int]) -> int | None:
    """The line of the innermost part of `location` that stands in the file."""
    for length in range(len(location), -1, -1):
        if (line := lines.get(tuple(location[:length]))) is not None:
            return line
    return None


def _key(location: Sequence[Any]) -> str:
    """("sources", 0, "path") -> "sources[0].path"."""
    return re.sub(r"\.?\[", "[", ".".join(f"[{part}]" if isinstance(part, int) else str(part) for part in location))


def _check_ids(path: Path, catalogue: Catalogue, lines: Mapping[tuple[str | int, ...], int]) -> None:
    seen: set[str] = set()
    for at, entry in enumerate(catalogue.sources):
        if entry.id in seen:
            location = ("sources", at, "id")
            raise _invalid(path, _line_of(location, lines), _key(location), f"the id {entry.id} is used twice")
        seen.add(entry.id)


def _invalid(path: Path, line: int | None, key: str, problem: str) -> Misconfigured:
    return Misconfigured("catalogue_invalid", path=str(path), line=line, key=key, problem=problem)
