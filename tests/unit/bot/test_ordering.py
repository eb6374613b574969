"""Turns: one at a time in a conversation, and nobody waits in line."""

from bot.ordering import Turns


def test_the_first_begins_and_the_others_follow_in_their_order() -> None:
    turns: Turns[str] = Turns()
    assert turns.begin("c1", "first")
    assert not turns.begin("c1", "second")
    assert not turns.begin("c1", "third")
    assert turns.waiting == 2
    assert [turns.following("c1") for _ in range(3)] == ["second", "third", None]


def test_conversations_do_not_wait_for_each_other() -> None:
    turns: Turns[str] = Turns()
    assert turns.begin("c1", "first")
    assert turns.begin("c2", "elsewhere")
    assert turns.following("c2") is None
    assert turns.waiting == 0


def test_after_its_end_a_conversation_begins_anew() -> None:
    turns: Turns[str] = Turns()
    assert turns.begin("c1", "first")
    assert turns.following("c1") is None
    assert turns.begin("c1", "later")


def test_what_joins_during_the_last_piece_of_work_is_not_forgotten() -> None:
    turns: Turns[str] = Turns()
    turns.begin("c1", "first")
    turns.begin("c1", "second")
    assert turns.following("c1") == "second"
    turns.begin("c1", "third")
    assert turns.following("c1") == "third"
