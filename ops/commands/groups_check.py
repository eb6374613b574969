"""The part of `doctor` that is about groups: whether directories answer, and which groups nobody belongs to."""

import asyncio
from collections.abc import Mapping

from adapters.sql.policies.store import SqlHiddenDocuments
from ingest.model.labels import declared_groups
from ops.backends import open_engine
from ops.config import Config
from ops.directories import PLATFORMS, open_directories
from ops.wording import access as wording_access
from ops.wording import general as wording
from rag_core.errors import Misconfigured, Unavailable

_Members = Mapping[str, frozenset[str]]


async def check_groups(config: Config, named: frozenset[str] = frozenset()) -> int:
    """Say it; 1 if a directory that the catalogue names does not answer, or the groups cannot be read. `named`: the
    groups that documents name. A group without anybody is no fault: it may be meant so."""
    try:
        members = await asyncio.to_thread(declared_groups, config.catalogue)
        nobody, silent = await _looked_up(config, members)
    except Misconfigured as exc:
        print(wording.doctor_line("groups", ok=False, facts=wording_access.groups_unusable(wording.explain(exc))))
        return 1
    empty = sorted(group for group, ids in members.items() if ids <= nobody and not ids & silent)
    undeclared = sorted(named - members.keys())
    if empty or undeclared:
        print(wording_access.groups_note(wording_access.nobody_in(empty, undeclared)))
    elif not silent:
        print(wording.doctor_line("groups", ok=True, facts=wording_access.group_count(len(members))))
    return 1 if silent else 0


async def _looked_up(config: Config, members: _Members) -> tuple[frozenset[str], frozenset[str]]:
    """The ids to which nobody belongs, and those that nobody could be asked about."""
    nobody: set[str] = set()
    silent: set[str] = set()
    async with open_directories(config, members) as directories:
        for kind in sorted(PLATFORMS):
            ids = frozenset(each for listed in members.values() for each in listed if each.startswith(f"{kind}:"))
            directory = directories.get(kind)
            name = wording_access.directory_name(kind)
            if ids and directory is None:
                print(wording.doctor_line(name, ok=False, facts=wording_access.not_set_up(kind)))
                silent |= ids
            elif ids and directory is not None:
                try:
                    nobody |= await directory.empty(ids)
                    print(wording.doctor_line(name, ok=True, facts=wording_access.answers(len(ids))))
                except Unavailable as exc:
                    print(wording.doctor_line(name, ok=False, facts=wording_access.silent(wording.explain(exc))))
                    silent |= ids
    return frozenset(nobody), frozenset(silent)


async def named_groups(config: Config) -> frozenset[str]:
    """The groups that documents are restricted to."""
    async with open_engine(config) as engine:
        return await SqlHiddenDocuments(engine).groups()
