"""What changed, as people and programs read it."""

import io
import json
from collections.abc import Sequence
from datetime import date

import pytest

from ingest.change_report import change_report
from ingest.cli import changes_command, parse
from rag_core.changes import ChangeKind, ChangesWanted, PolicyChange, diff, kind_of

BEFORE = """## Kites

Kites may only be shown to users 18 years or older.

Not allowed:

- Paper
"""
AFTER = """## Kites

Kites may only be shown to users 21 years or older.

Not allowed:

- Lead
  - Painted *lead* <b>
- Paper

See also our *rules*.
"""
MARCH, APRIL = date(2026, 3, 1), date(2026, 4, 1)


def change(day: date, before: str = BEFORE, after: str = AFTER, title: str = "Kites & Co") -> PolicyChange:
    sections = diff(before, after)
    return PolicyChange(kind_of(sections), "acme_kites", "acme", f"acme_kites_{day}", "old", day, sections, title, 1)


def came(day: date, kind: ChangeKind) -> PolicyChange:
    return PolicyChange(kind, "acme_new", "acme", f"acme_new_{day}", None, day, (), "New", 2)


class Feed:
    """Has `known`; keeps what was asked for."""

    def __init__(self, known: Sequence[PolicyChange]) -> None:
        self._known = known
        self.asked: list[tuple[ChangesWanted, frozenset[str]]] = []

    async def changes(
        self, wanted: ChangesWanted, groups: frozenset[str], limit: int | None = None
    ) -> list[PolicyChange]:
        self.asked.append((wanted, groups))
        return list(self._known[:limit])


def test_text_reads_like_release_notes() -> None:
    assert change_report([came(MARCH, ChangeKind.ADDED), change(APRIL)], "text").splitlines() == [
        "2026-04-01",
        "",
        "  Kites & Co (acme_kites_2026-04-01): Kites: users 18 -> users 21 (+3, ~1)",
        "",
        "    Kites",
        "      ~ Changed (now stricter): Kites may only be shown to users [-18-] {+21+} years or older.",
        "      Under “Not allowed:”",
        "        + Added (now stricter): Lead",
        "          + Added: Painted *lead* <b>",
        "      + Added: See also our *rules*.",
        "",
        "2026-03-01",
        "",
        "  New (acme_new_2026-03-01): new document",
    ]


def test_markdown_escapes_what_documents_say_and_keeps_its_own_marks() -> None:
    lines = change_report([change(APRIL)], "markdown").splitlines()
    assert "## 2026-04-01" in lines
    assert (
        "### Kites \\& Co (acme\\_kites\\_2026\\-04\\-01): Kites\\: users 18 \\-\\> users 21 \\(\\+3, \\~1\\)" in lines
    )
    assert "- \\~ Changed (now stricter): Kites may only be shown to users ~~18~~ **21** years or older." in lines
    assert "    - \\+ Added: Painted \\*lead\\* \\<b\\>" in lines


def test_json_is_what_rest_gives() -> None:
    found = json.loads(change_report([came(MARCH, ChangeKind.REMOVED), change(APRIL)], "json"))["changes"]
    assert [(each["kind"], each["changed_on"]) for each in found] == [
        ("changed", "2026-04-01"),
        ("removed", "2026-03-01"),
    ]
    assert found[0]["sections"][0]["rules"][0]["direction"] == "stricter"


def test_changes_of_form_are_one_line() -> None:
    said = change_report([change(MARCH, BEFORE, BEFORE.replace("Paper", "PAPER"))], "text")
    assert "no rule changed, only the form" in said
    assert "Only the form differs in 1 place" in said
    assert "PAPER" not in said


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_what_was_withdrawn_and_nothing_at_all_are_said(form: str) -> None:
    assert "withdrawn" in change_report([came(MARCH, ChangeKind.REMOVED)], form)
    assert "Widen --since" in change_report([], form)


def test_a_document_cannot_steer_the_terminal() -> None:
    said = change_report([change(MARCH, "Kites.", "Kites\x1b[2J\x9b1m are\u202e red.")], "text")
    assert all(each.isprintable() or each == "\n" for each in said)


def test_words_taken_out_stay_apart_from_those_that_stay() -> None:
    said = change_report([change(MARCH, "Red kites, and some other toys", "Red kites")], "text")
    assert "Red kites [-and some other toys-]" in said


async def test_the_command_asks_for_days_sources_and_groups() -> None:
    feed, out = Feed([change(APRIL)]), io.StringIO()
    argv = ["changes", "--since", "2026-03-01", "--until", "2026-04-30", "--source", "ACME", "--group", "Legal"]
    assert await changes_command(parse([*argv, "--format", "markdown"]), feed, out) == 0
    assert out.getvalue().startswith("## 2026-04-01")
    wanted = ChangesWanted(MARCH, date(2026, 4, 30), policy_sources=frozenset({"acme"}))
    assert feed.asked == [(wanted, frozenset({"legal"}))]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--since", "soon"], "no day"),
        (["--since", "2026-02-30"], "no day"),
        (["--since", "2026-04-01", "--until", "2026-03-01"], "earlier day"),
        (["--format", "pdf"], "invalid choice"),
    ],
)
def test_wrong_arguments_are_named(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["changes", *argv])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


NESTED = """# Policy

## Spain

We allow, with conditions:

- Beer
  - Adults of 18 only
- Wine
  - Adults of 18 only

## Malta

Kites are nice.
"""


def test_lists_are_shown_with_what_leads_to_them_once() -> None:
    after = NESTED.replace("- Wine\n  - Adults of 18", "- Wine\n  - Adults of 21").replace("nice", "lovely")
    after = after.replace("- Beer\n", "- Beer\n  - With a warning\n").replace("- Wine\n", "- Cider\n- Wine\n")
    assert change_report([change(APRIL, NESTED, after, "P")], "text").splitlines()[2:] == [
        "  P (acme_kites_2026-04-01), in 2 sections: Policy > Spain: of 18 -> of 21 (+2, ~2)",
        "",
        "    Policy > Spain",
        "      Under “We allow, with conditions:”",
        "        Under “Beer”",
        "          + Added: With a warning",
        "        + Added: Cider",
        "        Under “Wine”",
        "          ~ Changed: Adults of [-18-] {+21+} only",
        "",
        "    Policy > Malta",
        "      ~ Changed: Kites are [-nice-] {+lovely+}.",
    ]


def test_where_a_rule_stood_before_is_said_without_what_both_places_share() -> None:
    said = "Kites must carry the name of their owner."
    before = f"# Policy\n\n## Paper\n\nPaper burns.\n\n{said}\n\n## Silk\n\nSilk tears.\n"
    after = f"# Policy\n\n## Paper\n\nPaper burns.\n\n## Silk\n\nSilk tears.\n\n{said}\n"
    assert f"~ Moved, before under “Paper”: {said}" in change_report([change(APRIL, before, after)], "text")
