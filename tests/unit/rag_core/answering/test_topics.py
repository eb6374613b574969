"""Whether a question is about policies at all."""

from dataclasses import replace

import pytest

from rag_core.answering.topics import is_change_elsewhere, is_elsewhere, is_surely_elsewhere
from rag_core.questions import Intent, Question
from rag_core.rules.reader import Topic
from tests.fakes.kites import NO
from tests.fakes.rules import passage, question, target

POLICY, DOUBTED, SURELY_NOT = ({Topic.PERMISSION: share, Topic.OFF_TOPIC: 1 - share} for share in (0.9, 0.2, 0.05))
CHAT = {Topic.PERMISSION: 0.05, Topic.SMALL_TALK: 0.95}
KITES = passage(NO, "Toys")


def named(text: str) -> bool:
    """Whether a bare name, which the reader knows nothing of, is taken for something else."""
    return is_elsewhere(question(text), SURELY_NOT, [target(text, None, KITES)])


def asked(text: str, **changes: object) -> Question:
    return replace(question("kites"), text=text, **changes)  # type: ignore[arg-type]


def test_only_chat_is_not_looked_for() -> None:
    chat = asked("do kites fly higher than planes")
    assert is_surely_elsewhere(chat, CHAT)
    assert not is_surely_elsewhere(chat, SURELY_NOT)
    assert not is_surely_elsewhere(replace(chat, rule_number="4.2"), CHAT)
    assert not any(is_surely_elsewhere(asked(name), CHAT) for name in ("kites", "kites in Peru"))


def test_a_question_that_a_rule_decides_is_on_policies_whatever_it_sounds_like() -> None:
    flying = asked("do kites fly higher than planes")
    assert not is_elsewhere(flying, SURELY_NOT, [target("kites", None, KITES)])
    assert is_elsewhere(flying, SURELY_NOT, [target("zeppelins", None, KITES)])


def test_a_name_alone_is_about_policies_where_they_name_it() -> None:
    assert not named("kites")
    assert named("zeppelins")


@pytest.mark.parametrize(("speaks_of_rules", "expected"), [(True, False), (False, True)])
def test_who_said_something_of_a_rule_is_asked_of_policies(speaks_of_rules: bool, expected: bool) -> None:
    who = asked("who said kites are banned", intent=Intent.ATTRIBUTION, speaks_of_rules=speaks_of_rules)
    found = target("kites", None, KITES)
    unsure = replace(found, rules=tuple(replace(each, decides=0.3) for each in found.rules))
    assert is_elsewhere(who, SURELY_NOT, [unsure]) is expected


def test_a_doubted_question_is_about_something_else_only_where_nothing_decides() -> None:
    doubted = asked("do kites fly higher than planes")
    deciding, near = target("kites", None, KITES), target("zeppelins", None, KITES)
    assert not is_elsewhere(doubted, DOUBTED, [deciding])
    assert is_elsewhere(doubted, DOUBTED, [near])
    assert not is_elsewhere(doubted, POLICY, [near])
    assert not is_elsewhere(doubted, {}, [near]), "no reader says otherwise"


def test_a_broad_question_is_about_policies() -> None:
    broad = replace(question("rules"), is_broad=True)
    assert not is_elsewhere(broad, DOUBTED, [])
    assert not is_surely_elsewhere(broad, SURELY_NOT)
    assert is_surely_elsewhere(broad, CHAT)


@pytest.mark.parametrize(
    ("changed", "is_recorded", "expected"),
    [
        (question("kites"), True, False),
        (question("kites"), False, True),
        (question("kites", policy_sources=("acme",), inferred=("policy_sources",)), False, False),
        (replace(question("kites"), terms=()), False, False),
    ],
)
def test_a_question_for_changes_is_about_policies_where_one_is_on_record(
    changed: Question, is_recorded: bool, expected: bool
) -> None:
    assert is_change_elsewhere(changed, SURELY_NOT, is_recorded=is_recorded) is expected
    assert not is_change_elsewhere(changed, DOUBTED, is_recorded=is_recorded)
