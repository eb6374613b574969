"""The same page under two addresses of a site, which do not say of each other that they are the same."""

from ingest.looking import Found
from ingest.report import IngestReport, Note


def drop_same_pages(source_id: str, found: Found, report: IngestReport) -> None:
    """Takes documents out of `found` whose bytes another document of the source has: the one that was stored before,
    else the first one. What was stored under the other address is closed, as if that were gone."""
    kept = {version.sha256: version for version in found.unchanged}
    for origin, reading in list(found.readings.items()):
        version = reading.arrival.version
        first = kept.setdefault(version.sha256, version)
        if first.document_id != version.document_id:
            del found.readings[origin]
            report.notes.append(Note(source_id, origin, "document_duplicate", {"of": first.origin}))
