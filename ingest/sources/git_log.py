"""What `git log --raw -z` says, read newest first, to the dated versions of each document. Pure."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import PurePosixPath

from ingest.dates.file_names import date_in_name, stem_of, version_in_name, without_version
from ingest.model.names import document_names, slug

LOG_OPTIONS = ("--raw", "-z", "-m", "--first-parent", "--no-abbrev", "-M70%", "-l500", "--format=%H %at %ct")
"""The branch as its readers saw it: what a merge brought counts from the day of the merge. Below 70% alike, two
policies of one publisher pass for a rename of each other."""
_LONGEST_NAME = 100
_FILE_MODE = re.compile(r"100\d{3}")


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to one path. `blob` is None where no regular file is there afterwards.

    `old_path`: where it was before, for a rename.
    """

    path: str
    blob: str | None
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """`day`, UTC: when its author wrote it, or when it was committed where that is earlier."""

    commit_id: str
    day: date
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class FileVersion:
    """What a document said from `day` on, as `path` held it after `commit_id`. `name`: the document's, over renames
    and for good. `ended`: the day on which it was removed without anything in its place."""

    name: str
    path: str
    commit_id: str
    blob: str
    day: date
    ended: date | None = None

    @property
    def origin(self) -> str:
        return f"{self.path}@{self.commit_id}"


def commits_of(tokens: Iterable[str]) -> Iterator[Commit]:
    """`tokens`: the output of `git log` with LOG_OPTIONS, parted at its NUL bytes. Raises ValueError."""
    stream = iter(tokens)
    commit: Commit | None = None
    changes: list[Change] = []
    for token in stream:
        word = token.removeprefix("\n")
        if word.startswith(":"):
            changes.append(_change(word, stream))
        elif word:
            if commit is not None:
                yield replace(commit, changes=tuple(changes))
            commit, changes = _commit(word), []
    if commit is not None:
        yield replace(commit, changes=tuple(changes))


def _commit(word: str) -> Commit:
    """Of a commit whose time is none, the day is the first of all: that of the version before it counts then."""
    commit_id, authored, committed = word.split(" ")
    try:
        day = datetime.fromtimestamp(min(int(authored), int(committed)), UTC).date()
    except (ValueError, OverflowError, OSError):
        day = date.min
    return Commit(commit_id, day)


def _change(word: str, stream: Iterator[str]) -> Change:
    """`:mode mode blob blob status`, and the paths that follow it."""
    _, mode, _, blob, status = word[1:].split(" ")
    held = blob if _FILE_MODE.fullmatch(mode) else None
    first = next(stream, "")
    return Change(next(stream, ""), held, first) if status.startswith("R") else Change(first, held)


@dataclass(frozen=True, slots=True)
class _Event:
    """`blob` None: removed. `number`: how many commits later there are."""

    number: int
    commit_id: str
    day: date
    path: str
    blob: str | None


@dataclass(slots=True)
class _Lineages:
    """One document file each, over its renames, walked from the newest commit to the oldest."""

    is_wanted: Callable[[str], bool]
    followed: dict[str, list[_Event]] = field(default_factory=dict)
    """By the path it had at this point of the walk."""
    found: list[list[_Event]] = field(default_factory=list)

    def walk(self, commits: Iterable[Commit]) -> None:
        for number, commit in enumerate(commits):
            changes = list(self._plain(commit.changes))
            for change in changes:
                if (events := self._events(change.path)) is not None:
                    events.append(_Event(number, commit.commit_id, commit.day, change.path, change.blob))
            moves = [change for change in changes if change.old_path is not None and change.path in self.followed]
            moved = [(str(change.old_path), self.followed.pop(change.path)) for change in moves]
            self.followed.update(moved)

    def _plain(self, changes: tuple[Change, ...]) -> Iterator[Change]:
        """The changes; a rename that is none, or could be another one's, as the removal and the addition that it is."""
        moved_away = {change.path for change in changes if change.old_path is not None}
        alike = Counter(change.blob for change in changes if change.old_path is not None)
        for change in changes:
            old = change.old_path
            if old is None:
                yield change
                continue
            lived_on = old in self.followed and old not in moved_away
            if self._keeps(change.path) and change.blob and not lived_on and alike[change.blob] == 1:
                yield change
            else:
                yield Change(old, None)
                yield replace(change, old_path=None)

    def _keeps(self, path: str) -> bool:
        return path in self.followed or self.is_wanted(path)

    def _events(self, path: str) -> list[_Event] | None:
        if not self._keeps(path):
            return None
        if path not in self.followed:
            self.followed[path] = []
            self.found.append(self.followed[path])
        return self.followed[path]


def versions_of(commits: Iterable[Commit], is_wanted: Callable[[str], bool], since: date | None) -> list[FileVersion]:
    """Every version of the documents whose paths are wanted, from the oldest to the newest.

    `commits`: newest first. What a document said again unchanged is no version. With `since`, versions that had ended
    by then are left out. Days never run backwards within a file: a commit dated before the one that it follows counts
    from that one's day.
    """
    lineages = _Lineages(is_wanted)
    lineages.walk(commits)
    histories = sorted((list(reversed(events)) for events in lineages.found), key=lambda events: -events[0].number)
    named = _named([events[0].path for events in histories])
    numbered = [each for name, events in zip(named, histories, strict=True) for each in _versions(name, events)]
    numbered.sort(key=lambda each: -each[0])
    return list(_since([version for _, version in numbered], since))


def _versions(name: str, events: list[_Event]) -> Iterator[tuple[int, FileVersion]]:
    """The versions of one file, each with its event's number."""
    open_: tuple[int, FileVersion] | None = None
    day = date.min
    for event in events:
        day = max(day, event.day)
        if open_ is not None and open_[1].blob == event.blob:
            continue
        if open_ is not None:
            yield open_[0], replace(open_[1], ended=day) if event.blob is None else open_[1]
        held_from = date_in_name(event.path) or day
        open_ = None
        if event.blob is not None:
            open_ = event.number, FileVersion(name, event.path, event.commit_id, event.blob, held_from)
    if open_ is not None:
        yield open_


def _since(versions: list[FileVersion], since: date | None) -> Iterator[FileVersion]:
    """Without those that no longer held on the day `since`."""
    begins = since or date.min
    last_before: dict[str, date] = {}
    for version in versions:
        if version.day <= begins:
            last_before[version.name] = max(version.day, last_before.get(version.name, date.min))
    for version in versions:
        over = version.ended is not None and version.ended <= begins
        if version.day >= last_before.get(version.name, date.min) and not (over and since):
            yield version


def _named(paths: list[str]) -> list[str]:
    """A name for the document that began at each path, oldest first: `naming.document_names`, but a name once given
    stays; a later file of the same name gets its folder's name in front. Files with a date in their names share one,
    and so do those of one folder that a version mark tells apart."""
    taken: dict[str, tuple[bool, PurePosixPath]] = {}
    names: list[str] = []
    for path in paths:
        dated, folder = date_in_name(path) is not None, PurePosixPath(path).parent
        is_version = version_in_name(path) is not None and not dated
        long = slug(f"{folder} {without_version(stem_of(path))}")
        for name in (document_names([path])[path], long, f"{long}_{_digest(path)}"):
            known_dated, known_folder = taken.get(name, (dated, folder))
            joins = (dated and known_dated) or (is_version and not known_dated and folder == known_folder)
            if name not in taken or joins:
                break
        taken[name] = dated, folder
        names.append(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}_{_digest(path)}")
    return names


def _digest(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:8]
