"""Whether what an approved answer cites still holds, as it was when it was approved."""

from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum

from rag_core.curated.kept import CuratedAnswer, CuratedCitation
from rag_core.documents import Passage, VersionStatus


class Fallen(StrEnum):
    """Why a citation does not hold any more. MISSING: the chunk is not there. CHANGED: it says something else.
    WITHDRAWN: its version is not live. SUPERSEDED: another version holds today. NOT_YET: it holds from a later day."""

    MISSING = "missing"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    NOT_YET = "not_yet"


def fallen(answer: CuratedAnswer, passages: Mapping[str, Passage], today: date) -> dict[str, str]:
    """What holds no longer, by the number of the citation; empty: everything stands. `passages`: all that is stored of
    the cited chunks, whoever may see them."""
    told = {str(number): _fallen(each, passages, today) for number, each in enumerate(answer.citations, start=1)}
    return {number: why.value for number, why in told.items() if why is not None}


def stands_on(answer: CuratedAnswer, visible: Sequence[Passage], today: date) -> dict[str, Passage] | None:
    """The cited chunks, by id, if all of them are among what the audience may see and each stands; None otherwise.

    An answer without citations stands on nothing.
    """
    found = {each.chunk.chunk_id: each for each in visible}
    return None if not answer.citations or fallen(answer, found, today) else found


def _fallen(citation: CuratedCitation, passages: Mapping[str, Passage], today: date) -> Fallen | None:
    passage = passages.get(citation.chunk_id)
    if passage is None:
        return Fallen.MISSING
    chunk, version = passage.chunk, passage.version
    if not passage.is_intact or chunk.content_hash != citation.content_hash or citation.quote not in chunk.chunk_text:
        return Fallen.CHANGED
    if version.status is not VersionStatus.LIVE:
        return Fallen.WITHDRAWN
    if version.effective_from > today or chunk.effective_from > today:
        return Fallen.NOT_YET
    ended = chunk.effective_to is not None and chunk.effective_to <= today
    return Fallen.SUPERSEDED if ended or not version.holds_on(today) else None
