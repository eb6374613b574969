"""Which of the documents read become new versions, and from which day on."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date

from ingest.model.names import oldest_first, version_id
from ingest.planner.history import Histories, holds, is_in_force, is_outnumbered, order, read_last
from ingest.planner.judging import Standard, judged
from ingest.planner.shapes import Arrival, Entry, Refused
from rag_core.documents import DocumentVersion, VersionStatus

ALL = "all"
"""Among the documents to force: every one."""


@dataclass(slots=True)
class Sifted:
    """`fresh`: by document, what may become a version. `checked`: what is stored already under whatever address."""

    checked: set[str]
    fresh: dict[str, list[Arrival]] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)


def sift(histories: Histories, arrivals: Sequence[Arrival], checked: Iterable[str], forced: AbstractSet[str]) -> Sifted:
    """Known content, twins, and content that would take the place of what is stored, set apart."""
    found = Sifted(set(checked))
    read = {arrival.version.origin for arrival in arrivals}
    for arrival in _in_turn(arrivals):
        document = arrival.version.document_id
        history = histories.get(document, ())
        known = _is_back(history, arrival) or _known_elsewhere(history, arrival, found.checked, read)
        taken = None if forced & {ALL, document} else _taken(history, arrival)
        if known is not None:
            found.checked.add(known.doc_id)
        elif taken is not None:
            found.refused.append(Refused(arrival.version.origin, document, taken.doc_id))
        elif not any(_is_twin(arrival, each) for each in found.fresh.get(document, ())):
            found.fresh.setdefault(document, []).append(arrival)
    return found


def join(entries: Sequence[Entry], arrivals: Sequence[Arrival], today: date, standard: Standard) -> list[Entry]:
    """`entries`, which are stored, with `arrivals` of the same document; not settled yet."""
    history = [entry.version for entry in entries]
    before = read_last(each for each in history if each.status is not VersionStatus.HELD)
    taken = {version.doc_id for version in history}
    new: list[Entry] = []
    for arrival in arrivals:
        origin = arrival.version.origin
        later = _later_number(arrival, [*history, *(entry.version for entry in new)])
        day = later.effective_from if later is not None else _day(arrival, before.get(origin), today)
        doc_id = _free_id(arrival.version.document_id, day, taken)
        taken.add(doc_id)
        version = replace(arrival.version, doc_id=doc_id, effective_from=day, effective_to=None)
        version = replace(version, status=VersionStatus.LIVE, date_stated=day == arrival.stated)
        new.append(Entry(version, arrival, replaced=later is not None, ends=arrival.ends))
    new = judged(new, standard)
    return [*(_after(entry, new) for entry in entries), *new]


def _in_turn(arrivals: Sequence[Arrival]) -> list[Arrival]:
    """As read; but what states no day comes last, by the version in its file's name."""
    dated = [each for each in arrivals if each.stated is not None]
    undated = [each for each in arrivals if each.stated is None]
    turns = oldest_first(list(dict.fromkeys(each.version.origin for each in undated)))
    places = {origin: at for at, origin in enumerate(turns)}
    return [*dated, *sorted(undated, key=lambda each: places[each.version.origin])]


def _same_content(one: DocumentVersion, other: DocumentVersion) -> bool:
    return (one.document_id, one.sha256, one.pipeline) == (other.document_id, other.sha256, other.pipeline)


def _is_twin(one: Arrival, other: Arrival) -> bool:
    """The same bytes for the same day at two addresses: stored once."""
    return one.stated == other.stated and _same_content(one.version, other.version)


def _is_back(history: Sequence[DocumentVersion], arrival: Arrival) -> DocumentVersion | None:
    """The version that holds, where the source shows it again after another that is held for review."""
    own = [each for each in history if each.origin == arrival.version.origin]
    live = read_last(each for each in own if each.status is not VersionStatus.HELD).get(arrival.version.origin)
    is_held = any(each.status is VersionStatus.HELD for each in own)
    if live is None or not is_held or not is_in_force(live) or not _same_content(live, arrival.version):
        return None
    return live if arrival.firm in (None, live.effective_from) else None


def _known_elsewhere(
    history: Sequence[DocumentVersion], arrival: Arrival, checked: AbstractSet[str], read: AbstractSet[str]
) -> DocumentVersion | None:
    """A stored version with the same bytes under another origin: a second address, or a file that moved.

    `read`: the origins that hold something else now; what is stored under them has not moved.
    """
    for version in history:
        other = version.origin != arrival.version.origin and _same_content(version, arrival.version)
        if not other or arrival.firm not in (None, version.effective_from):
            continue
        is_last = not any(holds(each) for each in history if order(each) > order(version))
        moved = version.origin not in read and version.status is VersionStatus.LIVE
        if (moved and (is_last or arrival.firm is not None)) or version.doc_id in checked:
            return version
    return None


def _taken(history: Sequence[DocumentVersion], arrival: Arrival) -> DocumentVersion | None:
    """The version of the same file whose day this other content states to have."""
    mine = [
        each
        for each in history
        if each.origin == arrival.version.origin
        and each.effective_from == arrival.firm
        and each.status in (VersionStatus.LIVE, VersionStatus.RETIRED)
        and (holds(each) or each.status is VersionStatus.LIVE)
    ]
    return mine[-1] if mine and mine[-1].sha256 != arrival.version.sha256 else None


def _day(arrival: Arrival, before: DocumentVersion | None, today: date) -> date:
    """`before`: what the same file held last. Its day stays, where it merely has to be read again."""
    if arrival.firm is not None:
        return arrival.firm
    is_live = before is not None and before.status is VersionStatus.LIVE
    if before is not None and is_live and before.sha256 == arrival.version.sha256:
        return before.effective_from
    if arrival.stated is None:
        return min(today, arrival.ends or today)
    if before is not None and is_live and arrival.stated <= before.effective_from:
        return max(today, arrival.stated)  # the day in the text was left as it was
    return arrival.stated


def _later_number(arrival: Arrival, versions: Sequence[DocumentVersion]) -> DocumentVersion | None:
    """What holds already and is by its file's name a later version than this one, which states no day."""
    if arrival.stated is not None:
        return None
    later = [each for each in versions if is_in_force(each) and is_outnumbered(arrival.version, each)]
    return max(later, key=order, default=None)


def _free_id(document: str, day: date, taken: AbstractSet[str]) -> str:
    """After the last number of that day, whatever became of it."""
    number = 1
    while (doc_id := version_id(document, day, number)) in taken:
        number += 1
    return doc_id


def _after(entry: Entry, new: Sequence[Entry]) -> Entry:
    """What the same file said for the same or a later day is withdrawn: its effective date was corrected."""
    mine = [each for each in new if each.version.origin == entry.version.origin]
    counting = [each for each in mine if each.version.status is not VersionStatus.HELD and not each.replaced]
    corrected = any(entry.version.effective_from >= each.version.effective_from for each in counting)
    return replace(entry, replaced=entry.replaced or corrected)


def withdrawn(entry: Entry) -> Entry:
    """Held for review no more, and never shown."""
    version = replace(entry.version, status=VersionStatus.RETIRED, effective_to=entry.version.effective_from)
    return replace(entry, version=version)
