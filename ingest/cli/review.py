"""`held` and `release`: versions that wait for a person's decision."""

import argparse
from typing import TextIO

from ingest import wording_running as wording
from ingest.model.operators import utc_now
from ingest.parts import IngestParts
from ingest.planner.history import is_in_force
from ingest.planner.suspicion import Profile, doubt, profile_of
from ingest.run.held import held, release
from rag_core.documents import DocumentVersion

_SHARE = 0.8
"""Of its text that a document may lose unless its source says otherwise. Only for the words: the decision is made."""


async def held_command(parts: IngestParts, out: TextIO) -> int:
    """Always 0; that nothing waits is said. Raises Unavailable."""
    waiting = await held(parts.versions)
    for version in waiting:
        was, now = await _before(version, parts), await _profile(version, parts)
        why = doubt(was, now, _SHARE) if was and now else None
        sizes = (was.size if was else None, now.size if now else None)
        print(wording.held_version(version.doc_id, version.title, version.seen_at, str(why or ""), *sizes), file=out)
    if not waiting:
        print(wording.NOTHING_HELD, file=out)
    return 0


async def release_command(args: argparse.Namespace, parts: IngestParts, out: TextIO) -> int:
    """0. Raises Rejected("version_not_held") and Unavailable."""
    version = await release(parts, args.doc_id, utc_now)
    print(wording.released(version.doc_id, version.title, version.effective_from), file=out)
    return 0


async def _before(version: DocumentVersion, parts: IngestParts) -> Profile | None:
    """Of the version in force, which stayed because of this one."""
    live = [each for each in await parts.versions.history(version.document_id) if is_in_force(each)]
    return await _profile(live[-1], parts) if live else None


async def _profile(version: DocumentVersion, parts: IngestParts) -> Profile | None:
    text = await parts.versions.text(version.doc_id)
    return profile_of(version.title, text) if text is not None else None
