"""Which of all changes a question is about."""

from datetime import date
from typing import Any

import pytest

from ingest.ports import VersionWrite
from rag_core.answering.changing import Changed, about_changes, asks_for_changes, changed_rules, nearest_to, read_in
from rag_core.changes import ChangeKind, PolicyChange, diff
from rag_core.questions import Intent, Question
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.rules import question

MARCH, MAY = date(2026, 3, 1), date(2026, 5, 1)


def change(before: str, after: str, title: str = "Toys", day: date = MAY, change_id: int = 1) -> PolicyChange:
    return PolicyChange(
        ChangeKind.CHANGED, title, "acme", f"{title}_2", f"{title}_1", day, diff(before, after), title, change_id
    )


def asked(text: str, *places: str, since: date | None = MARCH) -> Question:
    return about_changes(question(text, *places, since=since))


def told(asked: Question, *changes: PolicyChange) -> list[str]:
    found = [each for change in changes for each in changed_rules(change, asked)]
    return [_said(each) for each in nearest_to(asked, found)]


def _said(changed: Changed) -> str:
    return (
        changed.rule.after or changed.rule.before if changed.rule else f"{changed.change.title} {changed.change.kind}"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("what changed for kites since March 2026", ["kites"]),
        ("latest updates to kites", ["kites"]),
        ("what is new", []),
        ("renewable kites", ["renewable", "kites"]),
    ],
)
def test_words_of_asking_for_changes_are_no_topic(text: str, left: list[str]) -> None:
    assert [term.text for term in asked(text).terms] == left


@pytest.mark.parametrize(
    ("text", "scope", "expected"),
    [
        ("kites", {"intent": Intent.WHAT_CHANGED}, True),
        ("which kites were added in May?", {"inferred": ("as_of",)}, True),
        ("kites, what is different since March", {"since": MARCH}, True),
        ("kites: difference between March and today", {"since": MARCH}, True),
        ("which kites were added?", {}, False),
        ("can I advertise kites in May?", {"inferred": ("as_of",)}, False),
        ("can I add a kite in May?", {"inferred": ("as_of",)}, False),
        (
            "difference between Acme and Brim in May",
            {"inferred": ("as_of",), "policy_sources": ("acme", "brim")},
            False,
        ),
    ],
)
def test_what_is_taken_for_a_question_for_changes(text: str, scope: dict[str, Any], expected: bool) -> None:
    assert asks_for_changes(question(text, **scope)) is expected


KITES = change(
    "## Kites\n\nKites may fly over 18.\n\n## Darts\n\nDarts must be red.\n",
    "## Kites\n\nKites may fly over 21.\n\n## Darts\n\nDarts must be blue.\n",
)


def test_only_rules_on_what_was_asked() -> None:
    assert told(asked("what changed for kites"), KITES) == ["Kites may fly over 21."]
    assert told(asked("what changed for zeppelins"), KITES) == []


def test_a_document_on_it_is_about_it_whatever_its_rules_say_but_they_come_first() -> None:
    on_it = change("Wings are red.\n\nNo strings of kites.\n", "Wings are blue.\n\nStrings of kites.\n", "Kites")
    assert told(asked("kites"), on_it) == ["Strings of kites.", "Wings are blue."]


_IN_PLACES = "## Kites\n\nKites need {} string.\n\n### Belgium\n\nUp to {}.\n\n### France\n\nNo more than {}.\n"
PLACES = change(_IN_PLACES.format(1, 2, 3), _IN_PLACES.format(4, 5, 6))


def test_the_rules_of_the_place_asked_then_general_ones_never_anothers() -> None:
    assert told(asked("kites", "fr"), PLACES) == ["No more than 6.", "Kites need 4 string."]
    assert told(asked("kites", "uk"), PLACES) == ["Kites need 4 string."]
    assert len(told(asked("kites"), PLACES)) == 3


def test_a_rule_that_names_places_is_theirs() -> None:
    rows = change("Kites in India need 1 string.\n", "Kites in India need 2 strings.\n")
    assert told(asked("kites", "in"), rows) == ["Kites in India need 2 strings."]
    assert told(asked("kites", "uk"), rows) == []
    states = change("Kites may fly in Ohio.\n", "Kites may fly in Ohio and Utah.\n")
    assert len(told(asked("kites", "us"), states)) == 1, "a country is told of its states"


def test_newest_first_and_without_a_first_day_the_latest_of_each_document() -> None:
    older = change("Kites need 1 string.\n", "Kites need 2 strings.\n", day=MARCH, change_id=1)
    newer = change("Kites need 2 strings.\n", "Kites need 3 strings.\n", day=MAY, change_id=2)
    other = change("Kites fill 1 page.\n", "Kites fill 2 pages.\n", "Books", day=MARCH, change_id=3)
    assert told(asked("kites"), older, newer) == ["Kites need 3 strings.", "Kites need 2 strings."]
    assert told(asked("kites", since=None), older, newer, other) == ["Kites need 3 strings.", "Kites fill 2 pages."]


def test_without_a_topic_every_document_has_its_turn() -> None:
    other = change("Books are red.\n", "Books are blue.\n", "Books", change_id=2)
    assert told(asked("what changed"), KITES, other) == [
        "Kites may fly over 21.",
        "Books are blue.",
        "Darts must be blue.",
    ]


def test_a_change_of_form_is_none() -> None:
    assert told(asked("kites"), change("Kites must be blue.\n", "kites must be “blue”\n")) == []


def new(title: str, *sections: Section) -> tuple[PolicyChange, VersionWrite]:
    write = make_write(make_version("acme_new", MAY, title=title), sections)
    return PolicyChange(ChangeKind.ADDED, "acme_new", "acme", write.version.doc_id, None, MAY, (), title, 1), write


def test_a_new_document_is_about_what_its_headings_say() -> None:
    sections = (Section("Kites", "Strings."), Section("Books", "Zeppelins are read of."))
    added, write = new("Restricted things", *sections)
    (document,) = changed_rules(added, asked("kites"))
    assert [term.text for term in document.missing] == ["kites"]
    read = read_in(document, passages_of(write), asked("kites"))
    unread = read_in(document, passages_of(write), asked("zeppelins"))
    assert read is not None
    assert unread is not None
    assert (read.missing, len(unread.missing)) == ((), 1)


def test_a_new_document_of_another_place_is_not_told() -> None:
    added, write = new("Kites", Section("Belgium", "Kites need 2 strings.", ("be",)))
    (document,) = changed_rules(added, asked("kites", "uk"))
    assert read_in(document, passages_of(write), asked("kites", "uk")) is None
