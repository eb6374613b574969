"""The real dated versions, from their files to what `changes` says of them.

Labelled by reading: every rule change of three publishers by short anchors (`says`: rule, or wording: words differ but
no rule does), for the fourth, with its hundreds, how many there are in a dozen sections.
"""

import io
import json
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ingest.cli import changes_command, parse
from ingest.sources.folder import sources_in
from rag_core.changes import ChangeKind, ChangesWanted, Direction, PolicyChange, RuleChange, SectionChange, headline
from tests.fakes.workshop import Workshop

LABELS = Path(__file__).resolve().parents[2] / "golden" / "changes_of_real_versions.jsonl"

FORM_ONLY = [
    ("taboola", date(2025, 11, 21)),
    ("taboola", date(2026, 4, 20)),
    ("taboola", date(2026, 8, 20)),
]
"""Lists laid out anew, and links at the end of the page that came and went."""

MARCH, AUGUST = date(2026, 3, 17), date(2026, 8, 22)
COUNTED = {
    (MARCH, "Albania"): 17,
    (MARCH, "Honduras"): 17,
    (MARCH, "Armenia"): 11,
    (MARCH, "France"): 3,
    (AUGUST, "Albania"): 18,
    (AUGUST, "Armenia"): 11,
    (AUGUST, "France"): 3,
    (AUGUST, "Honduras"): 24,
    (AUGUST, "Hong Kong"): 3,
    (AUGUST, "Mongolia"): 23,
}

HEADLINES = {
    ("reddit", date(2026, 6, 29)): "zip -> postal (~3)",
    ("reddit", date(2026, 4, 16)): "+ Unidentifiable or disguised advertising (+2)",
    ("telegram", date(2026, 7, 28)): "must be the same... -> should match",
    ("pinterest", AUGUST): "we don't allow: + ",
}


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


def rules_of(changes: Iterable[PolicyChange]) -> list[tuple[PolicyChange, SectionChange, RuleChange]]:
    return [(change, section, rule) for change in changes for section in change.sections for rule in section.rules]


def is_labelled(label: dict[str, Any], section: SectionChange, rule: RuleChange) -> bool:
    told = (rule.kind.value, section.path[-1].startswith(label["section"]))
    return told == (label["kind"], True) and label["before"] in rule.before and label["after"] in rule.after


async def test_what_is_told_of_real_versions(changes: list[PolicyChange], workshop: Workshop) -> None:
    assert len(changes) == 19
    for source, day in FORM_ONLY:
        change = of(changes, source, day)
        assert change.kind is ChangeKind.FORMATTING, (source, day)
        assert rules_of([change]) == []
    for (source, day), said in HEADLINES.items():
        assert said in headline(of(changes, source, day).sections), (source, day)
    _as_labelled(changes)
    _as_counted(changes)
    _with_directions(changes)
    await _in_words(workshop)


def _as_labelled(changes: list[PolicyChange]) -> None:
    """Each label is told once and nothing is told besides: no change of form as one of rules, none missed."""
    labels = [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()]
    told = rules_of(each for each in changes if each.policy_source != "pinterest")
    for label in labels:
        mine = [
            at
            for at, (change, section, rule) in enumerate(told)
            if (change.policy_source, change.changed_on.isoformat()) == (label["source"], label["day"])
            and is_labelled(label, section, rule)
        ]
        assert mine, label
        told.pop(mine[0])
    assert [(change.doc_id, rule.before, rule.after) for change, _, rule in told] == []


def _as_counted(changes: list[PolicyChange]) -> None:
    counts = Counter(
        (change.changed_on, section.path[-1])
        for change, section, _ in rules_of(each for each in changes if each.policy_source == "pinterest")
    )
    assert {place: counts[place] for place in COUNTED} == COUNTED
    assert sum(counts.values()) == 274 + 349


def _with_directions(changes: list[PolicyChange]) -> None:
    """Stricter are what was put into lists of what is not allowed; that a thing may be advertised now, where it was not
    before, nothing there says in so many words."""
    turned = [(section, rule) for _, section, rule in rules_of(changes) if rule.direction is not None]
    assert len(turned) > 50
    assert {rule.direction for _, rule in turned} == {Direction.STRICTER}
    assert all("allow:" in rule.lead_in and "n’t" in rule.lead_in.replace("'", "’") for _, rule in turned)
    assert not any(section.path[-1] == "Mongolia" for section, _ in turned), "a narrower ban in place of a wider one"


async def _in_words(workshop: Workshop) -> None:
    out = io.StringIO()
    args = parse(["changes", "--since", "2026-06-01", "--until", "2026-06-30", "--source", "reddit"])
    assert await changes_command(args, workshop.changes, out) == 0
    said = out.getvalue()
    assert said.startswith("2026-06-29")
    assert "[-Zip-] {+Postal+} Code" in said
    assert "07-01" not in said
