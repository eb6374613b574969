"""Whatever a source shows, run after run: each day has one version, and looking once more plans nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.planner import Arrival, Plan, plan, profiles_wanted, stated_ends_of, up_to_date
from ingest.planner.suspicion import Profile
from rag_core.documents import SHOWN_STATUSES, DocumentVersion, VersionStatus
from tests.fakes.documents import make_version
from tests.fakes.planning import stored_after

FIRST = date(2026, 1, 1)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMES = ("beer.md", "beer_v1.md", "beer_v2.md", "beer.2026-01-10.md", "ale.md", "ale_v3.md")
WORDS = frozenset(f"wordword{number}" for number in range(40))
PROFILES = {
    "a": Profile(1000, "beer", frozenset({"rules"}), WORDS),
    "b": Profile(1100, "beer", frozenset({"rules"}), WORDS),
    "short": Profile(100, "beer", frozenset({"rules"}), WORDS),
    "other": Profile(900, "cookies", frozenset({"consent"}), frozenset(f"consent{n}" for n in range(40))),
}


@dataclass(frozen=True)
class File:
    """`ends` is what the source knows of it, all else stands in the document."""

    text: str
    day: date | None
    is_soft: bool
    ends: date | None
    supersedes: tuple[str, ...]

    def arrival(self, name: str, at: datetime) -> Arrival:
        document = f"acme_{name.partition('.')[0].partition('_')[0]}"
        version = make_version(
            document, date.min, doc_id="", sha256=self.content, origin=name, pipeline="p", seen_at=at, checked_at=at
        )
        profile = PROFILES[self.text]
        return Arrival(version, self.day, self.is_soft and self.day is not None, self.ends, self.supersedes, profile)

    @property
    def content(self) -> str:
        return f"{self.text} {self.day} {self.is_soft} {self.supersedes}"


DAYS = st.integers(0, 120).map(lambda number: FIRST + timedelta(days=number))
FILES = st.builds(
    File,
    st.sampled_from(sorted(PROFILES)),
    st.none() | DAYS,
    st.booleans(),
    st.none() | DAYS,
    st.sampled_from([(), (), ("acme_ale",), ("acme_wine", "acme_ale"), ("acme_ale_2026-03-01",)]),
)
RUNS = st.lists(st.dictionaries(st.sampled_from(NAMES), FILES), min_size=1, max_size=5)


def look(stored: Sequence[DocumentVersion], files: Mapping[str, File], at: datetime, forced: frozenset[str]) -> Plan:
    """As `ingest.run.discovery` and `ingest.run.pipeline` do it."""
    settled, known = up_to_date(stored), stated_ends_of(stored)
    unchanged, arrivals = [], []
    ends: dict[str, date | None] = {}
    for name, file in sorted(files.items()):
        version = settled.get(name)
        if version is None or version.sha256 != file.content:
            arrivals.append(file.arrival(name, at))
            continue
        unchanged.append(version)
        said, end = file.ends, known.get(version.doc_id)
        explained = end if said is None else version.effective_to
        if version.status is VersionStatus.LIVE and said not in (explained, end):
            ends[version.doc_id] = said
    texts = {version.doc_id: version.sha256.partition(" ")[0] for version in stored}
    profiles = {doc_id: PROFILES[texts[doc_id]] for doc_id in profiles_wanted(stored, arrivals)}
    nothing: frozenset[str] = frozenset()
    return plan(stored, unchanged, arrivals, nothing, at.date(), ends=ends, forced=forced, profiles=profiles)


def check_bounds(stored: Sequence[DocumentVersion]) -> None:
    histories: dict[str, list[DocumentVersion]] = {}
    for version in stored:
        assert version.effective_to is None or version.effective_to >= version.effective_from
        if version.status in SHOWN_STATUSES and version.effective_to != version.effective_from:
            histories.setdefault(version.document_id, []).append(version)
    for history in histories.values():
        for before, after in pairwise(sorted(history, key=lambda version: version.effective_from)):
            assert before.effective_to is not None
            assert before.effective_to <= after.effective_from


@settings(max_examples=300, deadline=None)
@given(RUNS, st.sampled_from([frozenset[str](), frozenset({"all"}), frozenset({"acme_beer"})]))
def test_each_day_has_one_version_and_the_same_input_plans_nothing(
    runs: list[dict[str, File]], forced: frozenset[str]
) -> None:
    stored: list[DocumentVersion] = []
    for number, files in enumerate(runs):
        at = NOW + timedelta(days=number)
        for _ in range(3):
            made = look(stored, files, at, forced)
            stored = stored_after(made, stored=tuple(stored))
            check_bounds(stored)
        assert look(stored, files, at + timedelta(days=1), forced).documents == ()
