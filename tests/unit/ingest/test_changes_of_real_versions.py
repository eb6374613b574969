"""The real dated versions, from their files to what `changes` says of them.

Labelled by reading: between which days nothing but the form changed, and a few rules that did, by short anchors.
"""

import io
from datetime import date
from pathlib import Path

import pytest

from ingest.cli import changes_command, parse
from ingest.sources.folder import sources_in
from rag_core.changes import ChangeKind, ChangesWanted, Direction, PolicyChange, RuleChangeKind
from tests.fakes.workshop import Workshop

FORM_ONLY = [
    ("taboola", date(2025, 11, 21)),
    ("taboola", date(2026, 4, 20)),
    ("taboola", date(2026, 8, 20)),
]
"""Lists laid out anew, and links at the end of the page that came and went."""

RULES = [
    # source, day, kind, words before, words after
    ("taboola", date(2025, 3, 4), RuleChangeKind.CHANGED, "Taboola", "Realize"),
    ("reddit", date(2026, 2, 27), RuleChangeKind.REMOVED, "embargoes", ""),
    ("reddit", date(2026, 4, 16), RuleChangeKind.ADDED, "", "subliminal"),
    ("reddit", date(2026, 5, 3), RuleChangeKind.CHANGED, "vaporizers", "vapes"),
    ("reddit", date(2026, 6, 29), RuleChangeKind.CHANGED, "zip", "postal"),
    ("telegram", date(2026, 7, 28), RuleChangeKind.ADDED, "", "keywords"),
    ("telegram", date(2026, 7, 28), RuleChangeKind.CHANGED, "must be the same", "should match"),
    ("pinterest", date(2026, 3, 17), RuleChangeKind.ADDED, "", "Infant formula"),
]


@pytest.fixture
async def changes(workshop: Workshop, shared_data: Path) -> list[PolicyChange]:
    sources = [
        each
        for name in sorted((shared_data / "ad-policies" / "versions").iterdir())
        for each in sources_in(name, name.name.lower(), name.name)
    ]
    report = await workshop.run(*sources)
    assert report.failed == []
    return await workshop.changes.changes(ChangesWanted(), frozenset())


def of(changes: list[PolicyChange], source: str, day: date) -> PolicyChange:
    (found,) = (each for each in changes if (each.policy_source, each.changed_on) == (source, day))
    return found


async def test_what_is_told_of_real_versions(changes: list[PolicyChange], workshop: Workshop) -> None:
    assert len(changes) == 19
    for source, day in FORM_ONLY:
        change = of(changes, source, day)
        assert change.kind is ChangeKind.FORMATTING, (source, day)
        assert not any(section.rules for section in change.sections)
    for source, day, kind, before, after in RULES:
        rules = [rule for section in of(changes, source, day).sections for rule in section.rules]
        assert any(each.kind is kind and before in each.before and after in each.after for each in rules), (day, after)
    assert not any(
        rule.direction is Direction.LOOSER
        for change in changes
        for section in change.sections
        for rule in section.rules
    ), "nothing there says in so many words that it is looser"
    out = io.StringIO()
    args = parse(["changes", "--since", "2026-06-01", "--until", "2026-06-30", "--source", "reddit"])
    assert await changes_command(args, workshop.changes, out) == 0
    said = out.getvalue()
    assert said.startswith("2026-06-29")
    assert "[-Zip-] {+Postal+} Code" in said
