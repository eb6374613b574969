"""A version that was held for review, made the one that holds."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ingest.planner.bounds import settle, update_of
from ingest.planner.history import by_document, is_in_force, link_elsewhere, stated_ends
from ingest.planner.shapes import Entry
from ingest.ports import VersionUpdate
from rag_core.documents import DocumentVersion, VersionStatus


def released(history: Sequence[DocumentVersion], doc_id: str, today: date) -> tuple[VersionUpdate, ...]:
    """What to change in `history`, all versions of one document, so that the held `doc_id` holds.

    It holds from its own day if that is later than the day of the version in force, else from `today`. Its doc_id
    stays. None where it is not held.
    """
    held = next((each for each in history if each.doc_id == doc_id and each.status is VersionStatus.HELD), None)
    if held is None:
        return ()
    ordered = next(iter(by_document(history).values()))
    live = next((each for each in reversed(ordered) if is_in_force(each)), None)
    is_later = live is None or held.effective_from > live.effective_from
    day = held.effective_from if is_later else today
    ends = stated_ends(ordered)
    own = {each.doc_id for each in ordered}
    entries = [
        Entry(
            replace(each, effective_from=day, status=VersionStatus.LIVE) if each is held else each,
            replaced=each is not held and each.status is VersionStatus.LIVE and each.effective_from >= day,
            ends=ends.get(each.doc_id),
            link=link_elsewhere(each, own),
        )
        for each in ordered
    ]
    before = {each.doc_id: each for each in history}
    return tuple(
        update_of(before[after.doc_id], after)
        for after in (entry.version for entry in settle(entries))
        if after != before[after.doc_id]
    )
