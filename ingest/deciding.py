"""What to do with what was found: compared with what is stored, planned, and said where a person should know it."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime

from ingest.looking import Found
from ingest.planner import Arrival, Plan, plan, profiles_wanted
from ingest.ports import Source, VersionStore
from ingest.report import Failure, IngestReport, Note
from ingest.suspicion import Profile, profile_of
from rag_core.documents import DocumentVersion


async def decide(
    source: Source,
    stored: Sequence[DocumentVersion],
    found: Found,
    versions: VersionStore,
    now: datetime,
    forced: AbstractSet[str],
) -> Plan:
    """`ingest.planner.plan` of what was found at a source. Raises Unavailable."""
    profiles = await _profiles_of_stored(stored, found, versions)
    return plan(
        stored,
        found.unchanged,
        await asyncio.to_thread(_arrivals, found, profiles),
        found.unreadable,
        now.date(),
        ends=found.ends,
        forced=forced,
        profiles=profiles,
        shrink=source.defaults.suspicious_shrink,
    )


def tell(source_id: str, planned: Plan, found: Found, report: IngestReport) -> None:
    """What was refused, and what a person should know: of what is new, and of what waits for a decision."""
    for each in planned.refused:
        details = {"doc_id": each.doc_id, "document_id": each.document_id}
        report.failed.append(Failure(source_id, each.origin, "doc_id_taken", details))
    report.notes += [Note(source_id, each.origin, each.code, each.details) for each in planned.remarks]
    for origin in dict.fromkeys(version.origin for document in planned.documents for version in document.new):
        warnings = found.readings[origin].warnings
        report.notes += [Note(source_id, origin, each.code, each.details) for each in warnings]


async def _profiles_of_stored(
    stored: Sequence[DocumentVersion], found: Found, versions: VersionStore
) -> dict[str, Profile]:
    """By doc_id, of `profiles_wanted`."""
    wanted = profiles_wanted(stored, (reading.arrival for reading in found.readings.values()))
    titles = {version.doc_id: version.title for version in stored}
    profiles: dict[str, Profile] = {}
    for doc_id in sorted(wanted):
        if (text := await versions.text(doc_id)) is not None:
            profiles[doc_id] = await asyncio.to_thread(profile_of, titles[doc_id], text)
    return profiles


def _arrivals(found: Found, profiles: Mapping[str, Profile]) -> list[Arrival]:
    """What was read; with profiles where a document was there before, or comes with several versions."""
    documents = Counter(reading.arrival.version.document_id for reading in found.readings.values())
    known = {version.document_id for version in found.stored if version.doc_id in profiles}
    arrivals = []
    for reading in found.readings.values():
        arrival = reading.arrival
        if arrival.version.document_id in known or documents[arrival.version.document_id] > 1:
            arrival = replace(arrival, profile=profile_of(arrival.version.title, reading.text))
        arrivals.append(arrival)
    return arrivals
