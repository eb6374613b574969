"""The groups that a catalogue declares: all that finding an audience needs of it, without sources and parsers."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.declared import Location, catalogue_content, invalid
from ingest.group_members import GROUP_NAME, group_member

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
