"""The sentences of `watch`, `remove`, `held` and `release`: what happened, and what to do next."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime

from ingest import wording_sources
from ingest.ports import Removal, RemovalKind
from ingest.run.removal import Removable

Details = Mapping[str, object]

_MOST_TITLES = 20


def help_texts() -> dict[str, str]:
    """The texts of `--help`, beside those of `ingest.wording`."""
    return {
        "watch": (
            "Look at every source of the catalogue when its schedule says so, until it is stopped. Of several "
            "processes one looks, and another takes over when it ends. It works beside `python -m bot serve`, which "
            "does not look at sources by itself: start both, each as a service of its own, with the same settings. A "
            "catalogue that changes is read again."
        ),
        "remove": (
            "Take a document, or everything of a source, out of all answers from today on. It is recorded, nothing is "
            "deleted, and later runs leave it out although the source still has it, until that is undone."
        ),
        "target": "the document_id or the id of the source, as the catalogue names it",
        "remove_source": "a source by its id",
        "remove_document": "a document by its document_id",
        "reason": "why, for the record",
        "yes": "do not ask",
        "all_days": "also for the days before today, for what should never have been read",
        "undo": "undo the removal with this number: the next run reads what it left out",
        "list": "show the removals that are in force",
        "held": "List what was held for review: versions that lost most of their text, or turned into another page.",
        "release": "Make a version live that was held for review.",
        "doc_id": "the version's doc_id, as `held` lists it",
        "force": (
            "store what this document says now, although a version for the same day is stored: that one is retired, "
            "not overwritten (all: every document); may be given several times"
        ),
        "report_format": "text, or json: the whole report on standard output and nothing else (default: text)",
        "preview_format": "text or json (default: text)",
        "chunker": "cut it with this chunker (default: its source's in the catalogue, else sections)",
        "region": "where it holds unless it says otherwise (default: its source's in the catalogue, else global)",
    }


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(names)


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"


def leading(sources: int, unscheduled: Sequence[str]) -> str:
    """What a watch begins with."""
    said = f"Watching {_count(sources, 'source')}. Times are UTC. Stop it with Ctrl-C."
    if unscheduled:
        said += (
            f"\nWithout a schedule, so read once and then only by `python -m ingest run`: {_names(unscheduled)}. Give "
            "them a schedule in the catalogue (every 6h, daily 03:00)."
        )
    return said


STANDING_BY = "Another process watches the sources already. This one takes over when that one ends."


def looked(source_id: str, at: datetime, outcome: str, retry_at: datetime | None) -> str:
    """One look, in one line."""
    again = f" Tried again at {moment(retry_at)}." if retry_at else ""
    return f"{moment(at)} {source_id}: {outcome}{again}"


WAITS_FOR_INDEX = "Stored, but the search index does not answer: it learns of it as soon as it does."
INDEX_BACK = "The search index answers again and has what it missed."


def store_down(code: str) -> str:
    return (
        f"The store does not answer ({code.replace('_', ' ')}). Nothing is lost; it is asked again until it answers. "
        "`python -m ops doctor` says more."
    )


STORE_BACK = "The store answers again."


def catalogue_kept(problem: str) -> str:
    return f"{problem} Until then, the catalogue as it was before stays in force."


def catalogue_read(added: Sequence[str], changed: Sequence[str], gone: Sequence[str]) -> str:
    """A catalogue read again."""
    parts = [f"{what}: {_names(names)}" for what, names in (("new", added), ("changed", changed)) if names]
    if gone:
        parts.append(f"no longer watched: {_names(gone)} (their documents stay; `remove` takes them out)")
    return f"The catalogue was read again{': ' + '; '.join(parts) if parts else ', its sources are the same'}."


STOPPED = "Stopped. What is stored stays; the next run goes on from there."


def will_remove(found: Removable, *, all_days: bool) -> str:
    """What `remove` is about to do."""
    versions = sum(each.versions for each in found.documents)
    chunks = sum(each.chunks for each in found.documents)
    what = "document" if found.kind is RemovalKind.DOCUMENT else "source"
    days = "no day at all" if all_days else "the days before today only"
    lines = [
        f"The {what} {found.target}: {_count(len(found.documents), 'document')}, {_count(versions, 'version')}, "
        f"{_count(chunks, 'chunk')}.",
        *(
            f"  {each.title} ({each.document_id}): {_count(each.versions, 'version')}, {_count(each.chunks, 'chunk')}"
            for each in found.documents[:_MOST_TITLES]
        ),
    ]
    if (more := len(found.documents) - _MOST_TITLES) > 0:
        lines.append(f"  and {more} more")
    lines.append(f"They will answer for {days}. Nothing is deleted; later runs leave them out until it is undone.")
    return "\n".join(lines)


ASK_YES = "Type yes to remove: "
NEEDS_YES = "Nothing was removed: nobody can be asked here. Add --yes."
NOT_REMOVED = "Nothing was removed."


def removed(target: str, removal_id: int) -> str:
    return (
        f"Removed {target}. This is removal {removal_id}; undo it with `python -m ingest remove --undo {removal_id}`."
    )


def undone(removal: Removal) -> str:
    return f"Removal {removal.removal_id} ({removal.target}) is undone. The next run reads it again."


def listed(removal: Removal) -> str:
    """One removal in force, in one line."""
    why = f": {removal.reason}" if removal.reason else ""
    days = ", for all days" if removal.all_days else ""
    return f"{removal.removal_id}. {removal.kind} {removal.target}, {moment(removal.at)} by {removal.person}{days}{why}"


NONE_REMOVED = "No removal is in force."
REMOVE_WHAT = "Name one thing: a document or a source, --document, --source, --undo or --list."


def only_when_removing(option: str) -> str:
    return f"{option} goes with a document or a source to remove."


def held_version(doc_id: str, title: str, since: datetime, why: str, was: int | None, now: int | None) -> str:
    """A version that waits for review, in one line. `was` and `now`: characters of the text."""
    clause = wording_sources.suspicion({"why": why, "was": was, "now": now})
    return f"{doc_id} ({title}), since {moment(since)}: {clause}."


NOTHING_HELD = "Nothing is held for review."


def released(doc_id: str, title: str, day: date) -> str:
    return f"{doc_id} ({title}) is live and holds from {day.isoformat()}."


def more_of_it(source_id: str, count: int, code: str) -> str:
    """Instead of many lines of one kind."""
    return f"{source_id}: and {count} more of this kind ({code.replace('_', ' ')}). `--format json` lists all."


def _who(details: Details) -> str:
    return f"{details.get('person')} on {details.get('day')}, removal {details.get('removal_id')}"


def _near(details: Details) -> str:
    near = details.get("near")
    return f" Did you mean {' or '.join(near)}?" if isinstance(near, list) and near else ""


def _kind(details: Details) -> str:
    return str(details.get("kind") or "document or source")


SENTENCES: dict[str, Callable[[Details], str]] = {
    "document_removed": lambda d: (
        f"{d.get('target')} was removed by {_who(d)}, so it is left out. Undo it with `python -m ingest remove --undo "
        f"{d.get('removal_id')}`, or take it out of the source."
    ),
    "source_removed": lambda d: (
        f"it was removed by {_who(d)}, so it is not read. Undo it with `python -m ingest remove --undo "
        f"{d.get('removal_id')}`, or take it out of the catalogue."
    ),
    "nothing_to_remove": lambda d: f"there is no {_kind(d)} {d.get('name')}.{_near(d) or ' Check the name.'}",
    "removal_ambiguous": lambda d: (
        f"{d.get('name')} is the id of a document and of a source. Say which: --document {d.get('name')}, or --source "
        f"{d.get('name')}."
    ),
    "unknown_removal": lambda d: (
        f"there is no removal {d.get('removal_id')} in force. `python -m ingest remove --list` shows those there are."
    ),
    "version_not_held": lambda d: (
        f"no version {d.get('doc_id')} is held for review. `python -m ingest held` lists what is."
    ),
}
