"""Labels and groups as a catalogue declares them, read without importing the rest of it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ingest.model.yaml_lines import Lines, NotYaml, content_and_lines, line_of
from rag_core.errors import Misconfigured
from rag_core.questions import DeclaredLabel

_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class LabelWords:
    """Variants that are never mixed: `words` by value of the label `key`, in small letters.

    `default`: the value of a document that states none, and of a question that names none; None: neither has one.
    """

    key: str
    words: Mapping[str, tuple[str, ...]]
    default: str | None = None


def read_label_words(key: str, declared: Mapping[object, object]) -> LabelWords:
    """`{indoor: [indoor, inside], outdoor: [...], default: outdoor}`. Raises ValueError."""
    values = {label_word(value): words for value, words in declared.items()}
    default = values.pop(_DEFAULT, None)
    words = {value: _words(value, given) for value, given in values.items()}
    if len(words) < 2:
        raise ValueError(f"{key} needs at least two values, each with the words that name it")
    owner: dict[str, str] = {}
    for value, named in words.items():
        for word in named:
            if owner.setdefault(word, value) != value:
                raise ValueError(f"the word {word!r} names both {owner[word]} and {value}")
    if default is not None and label_word(default) not in words:
        raise ValueError(f"the default {default!r} is none of the values: {', '.join(words)}")
    return LabelWords(key, words, None if default is None else label_word(default))


def _words(value: str, given: object) -> tuple[str, ...]:
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    words = tuple(dict.fromkeys(label_word(each) for each in listed if each is not None))
    if not words:
        raise ValueError(f"{value} needs words that name it; list them: {value}: [{value}, ...]")
    return words


def label_word(value: object) -> str:
    """A name, value or word as it is compared. Raises ValueError for what is no text or number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or not str(value).strip():
        raise ValueError(f"{value!r} is no word; put it in quotation marks")
    return " ".join(str(value).lower().split())


GROUP_NAME = r"^[a-z0-9][a-z0-9_-]*$"

_MEMBER = re.compile(
    r"(?:slack:[A-Z0-9]+/(?:usergroup|channel|user)/[A-Z0-9]+|entra:[\w.-]+/[0-9a-fA-F-]{36}|oidc:\S+)"
)


def group_member(value: str) -> str:
    """The id of a platform's group, channel or person. Raises ValueError for anything else."""
    if _MEMBER.fullmatch(value) is None:
        raise ValueError(
            f"{value!r} is no group of a platform; write slack:TEAM/usergroup/ID, slack:TEAM/channel/ID, "
            "entra:TENANT/GUID or oidc:NAME"
        )
    return value


Location = tuple[str | int, ...]


def catalogue_content(path: Path) -> tuple[object, Lines]:
    """Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" for a file that is no YAML."""
    try:
        return content_and_lines(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise Misconfigured("catalogue_missing", path=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured("catalogue_invalid", path=str(path), line=None, key="", problem=str(error)) from error
    except NotYaml as error:
        problem = error.problem
        raise Misconfigured("catalogue_invalid", path=str(path), line=error.line, key="", problem=problem) from error


def invalid(path: Path, lines: Lines, location: Location, problem: str) -> Misconfigured:
    """What is wrong at a place of the catalogue."""
    key = ".".join(str(each) for each in location)
    return Misconfigured("catalogue_invalid", path=str(path), line=line_of(location, lines), key=key, problem=problem)


_NAME = re.compile(GROUP_NAME)


def declared_groups(path: Path) -> Mapping[str, frozenset[str]]:
    """Group -> the ids of its members, of the catalogue `path`. A group without members has nobody in it.

    Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" for a file that is no YAML or groups that cannot be
    read: rather no start than an audience that nobody meant. What else stands in the catalogue is ingest's to check.
    """
    content, lines = catalogue_content(path)
    declared = content.get("groups", {}) if isinstance(content, Mapping) else {}
    if not isinstance(declared, Mapping):
        raise invalid(path, lines, ("groups",), "write each group with the list of its members: {legal: [oidc:legal]}")
    for location, problem in _faults(declared):
        raise invalid(path, lines, location, problem)
    return {str(name): frozenset(str(each) for each in members) for name, members in declared.items()}


def _faults(declared: Mapping[object, object]) -> Iterator[tuple[Location, str]]:
    """(where, what) of every fault."""
    for name, members in declared.items():
        where: Location = ("groups", str(name))
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            yield where, "the name of a group has small letters, digits, - and _ only"
        elif not isinstance(members, list):
            yield where, f"write the members of {name} as a list: [oidc:{name}]"
        else:
            yield from _member_faults(where, members)


def _member_faults(where: Location, members: list[object]) -> Iterator[tuple[Location, str]]:
    for at, member in enumerate(members):
        try:
            group_member(str(member))
        except ValueError as error:
            yield (*where, at), str(error)


def declared_labels(path: Path) -> tuple[DeclaredLabel, ...]:
    """Every label with variants in the catalogue `path`, by name; those of the sources among them.

    Raises Misconfigured: "catalogue_missing"; "catalogue_invalid" for a file that is no YAML or labels that cannot be
    read: rather no start than variants that are mixed. What else stands in the catalogue is ingest's to check.
    """
    content, lines = catalogue_content(path)
    found: dict[str, LabelWords] = {}
    for location, given in _labels_in(content):
        try:
            key = label_word(location[-1])
            words = read_label_words(key, given)
        except ValueError as error:
            raise invalid(path, lines, location, str(error)) from error
        if found.setdefault(key, words) != words:
            raise invalid(path, lines, location, f"{key} is declared elsewhere with other values or words")
    return tuple(DeclaredLabel(key, found[key].words, found[key].default) for key in sorted(found))


def _labels_in(content: object) -> Iterator[tuple[Location, Mapping[object, object]]]:
    """Where each label with variants stands, and what is said of it. A plain value of a source declares nothing."""
    if not isinstance(content, Mapping):
        return
    places: list[tuple[Location, object]] = [(("labels",), content.get("labels"))]
    sources = content.get("sources")
    for at, source in enumerate(sources if isinstance(sources, list) else ()):
        if isinstance(source, Mapping):
            places.append((("sources", at, "labels"), source.get("labels")))
    for where, labels in places:
        if isinstance(labels, Mapping):
            yield from (((*where, key), given) for key, given in labels.items() if isinstance(given, Mapping))
