"""Mentions, messages, follow-ups, edits and deletions: signed events in, questions in the inbox."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date

import pytest

from adapters.slack import events
from adapters.slack.addresses import SlackAddress
from bot.model.channels import ChannelPreferences
from bot.model.posted import Posted, Subject
from bot.questions import threads
from rag_core.errors import Unavailable
from tests.fakes.slack_ways import APP, Ways, ways_in


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


async def test_a_mention_is_asked_once_and_answered_in_its_thread(ways: Ways) -> None:
    said = await ways.slack.person().mentions("can I advertise alcohol &lt; 0.5% in the UK?")
    assert len([each for each in ways.slack.attempts if each.delivery.kind == "events_api"]) == 2  # it and its twin
    assert ways.asked == ["can I advertise alcohol &lt; 0.5% in the UK?"]
    assert ways.address == SlackAddress("T1", "C1", "U1", thread=said.ts, asked_in=said.ts)
    assert ways.last.claim_key == f"slack:T1:C1:{said.ts}"
    assert ways.last.conversation.thread == said.ts
    assert not ways.last.private


async def test_without_the_history_scope_the_mention_alone_is_enough() -> None:
    async with ways_in(replace(APP, scopes=APP.scopes - {"channels:history"})) as ways:
        await ways.slack.person().mentions("beer ads?")
        assert ways.asked == ["beer ads?"]


async def test_redelivered_minutes_later_it_is_still_one_question(ways: Ways) -> None:
    await ways.slack.person().mentions("beer ads?")
    for attempt in list(ways.slack.attempts):
        ways.clock.move(minutes=3)
        assert (await ways.slack.redeliver(attempt.delivery, retry=2)).status == 200
    assert len(ways.inbox.accepted) == 1


async def test_events_out_of_order_and_doubled_are_one_question_each(ways: Ways) -> None:
    ways.slack.hold_events()
    ways.slack.disorder.duplicate_every, ways.slack.disorder.duplicates = 1, 2
    person = ways.slack.person()
    await person.mentions("beer ads?")
    await person.mentions("wine ads?")
    ways.slack.release_events(reverse=True)
    await ways.slack.catch_up()
    assert sorted(ways.asked) == ["beer ads?", "wine ads?"]


async def test_a_mention_in_a_thread_is_answered_there(ways: Ways) -> None:
    root = await ways.slack.person("U2").says("what do we know of lotteries?")
    said = await ways.slack.person().mentions("lottery ads in Spain?", thread_ts=root.ts)
    assert (ways.address.thread, ways.address.asked_in) == (root.ts, said.ts)


async def test_everything_in_the_conversation_with_the_bot_is_a_question_and_private(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.writes_to_bot("alcohol in the UK")
    channel = person.direct.channel_id
    assert ways.asked == ["alcohol in the UK"]
    assert ways.address == SlackAddress("T1", channel, "U1", thread=said.ts, asked_in=said.ts)
    assert ways.last.private
    await person.writes_to_bot("and in France", thread_ts=said.ts)
    assert ways.address.thread == said.ts


async def test_a_bare_mention_asks_for_help_once(ways: Ways) -> None:
    await ways.slack.person().mentions("")
    assert ways.asked == ["help"]


@pytest.mark.parametrize(
    ("text", "asked", "day"),
    [
        ("@adpolicy as of 1 March 2025: alcohol", "alcohol", date(2025, 3, 1)),
        ("@adpolicy sources", "Which documents do you have?", None),
        ("hey @adpolicy, is beer *ok* in `France`?", "hey, is beer ok in France?", None),
        ("is beer ok in France @adpolicy?", "is beer ok in France?", None),
    ],
)
async def test_commands_work_behind_a_mention(ways: Ways, text: str, asked: str, day: date | None) -> None:
    await ways.slack.person().says(text)
    assert (ways.asked, ways.last.as_of) == ([asked], day)


async def test_a_private_question_behind_a_mention_is_for_the_asker_alone(ways: Ways) -> None:
    said = await ways.slack.person().mentions("private can we advertise cannabis?")
    assert ways.asked == ["can we advertise cannabis?"]
    assert ways.address.to_asker
    assert ways.last.private
    # others go on in this thread: no question of theirs may be completed from this one
    assert (ways.last.conversation.thread, ways.address.thread) == ("", said.ts)
    await ways.slack.person("U2").says("and in France?", "C1", said.ts)
    assert ways.asked == ["can we advertise cannabis?"]


@pytest.mark.parametrize(
    "text",
    [
        "ask @adpolicy about that",
        "@legal-counsel can you ask @adpolicy?",
        "I asked @adpolicy yesterday and it said no",
        "thanks @adpolicy",
        "@adpolicy thanks!",
        "according to @adpolicy this is banned",
        "@legal-counsel, @adpolicy says that beer is fine",
        "just a sentence",
        "can we advertise beer in France?",
    ],
)
async def test_what_is_said_about_the_bot_or_to_others_is_not_answered(ways: Ways, text: str) -> None:
    await ways.slack.person().says(text)
    assert ways.inbox.calls == 0
    assert ways.slack.bot_messages("C1") == []


async def test_in_a_thread_with_the_bot_a_question_needs_no_mention(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("can I advertise alcohol in the UK?")
    await ways.slack.person("U2").says("and in France?", thread_ts=said.ts)
    assert ways.asked[1:] == ["and in France?"]
    assert (ways.address.thread, ways.address.user) == (said.ts, "U2")


async def test_talk_in_a_thread_with_the_bot_is_left_alone(ways: Ways) -> None:
    said = await ways.slack.person().mentions("can I advertise alcohol in the UK?")
    for text in ("thanks!", "did legal sign off?", "@ad-operations and in France?", "we already run this in France"):
        await ways.slack.person("U2").says(text, thread_ts=said.ts)
    assert len(ways.asked) == 1


async def test_below_an_answer_of_days_ago_a_follow_up_is_answered(ways: Ways) -> None:
    root = await ways.slack.person().says("something")
    await ways.slack.person().says("and in France?", thread_ts=root.ts)
    assert ways.asked == []
    ways.posted.answered(root.ts)
    await ways.slack.person().says("and in Spain?", thread_ts=root.ts)
    assert ways.asked == ["and in Spain?"]


async def test_threads_below_alerts_and_escalations_are_peoples(ways: Ways) -> None:
    root = await ways.slack.person().says("something")
    ways.posted.answered(root.ts, subject=Subject.ALERT)
    ways.posted.answered(root.ts, subject=Subject.ESCALATION)
    await ways.slack.person().says("and in Spain?", thread_ts=root.ts)
    assert ways.asked == []


async def test_follow_ups_are_off_where_the_channel_wants_that_or_nobody_knows(ways: Ways) -> None:
    said = await ways.slack.person().mentions("can I advertise alcohol in the UK?")
    ways.preferences.of_all = ChannelPreferences(follow_ups=False)
    await ways.slack.person().says("and in France?", thread_ts=said.ts)
    assert len(ways.asked) == 1
    await ways.slack.person().mentions("and in France?", thread_ts=said.ts)
    assert len(ways.asked) == 2


async def test_with_the_settings_down_nobody_is_interrupted(ways: Ways) -> None:
    said = await ways.slack.person().mentions("can I advertise alcohol in the UK?")
    ways.preferences.down = ways.posted.down = True
    await ways.slack.person().says("and in France?", thread_ts=said.ts)
    assert len(ways.asked) == 1


async def test_broadcasts_other_bots_and_joins_are_not_answered(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("can I advertise alcohol in the UK?")
    await person.says("and in France?", thread_ts=said.ts, broadcast=True)
    ways.slack.other_bot_says("and in Spain?", thread_ts=said.ts)
    ways.slack.other_bot_says("<@UBOT> can I advertise beer?")
    await ways.slack.person("U2").joins("C1")
    await ways.slack.catch_up()
    assert len(ways.inbox.accepted) == 1


async def test_an_edited_question_is_asked_again_and_replaces_the_answer(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("can I advertise beer in Frnce?")
    ways.inbox.taken.add(ways.last.claim_key)
    ways.clock.move(minutes=9)
    changed = await person.edits(said, "@adpolicy can I advertise beer in France?")
    assert changed.edited is not None
    assert ways.last.text == "can I advertise beer in France?"
    assert ways.last.claim_key == f"slack:T1:C1:{said.ts}:edit:{changed.edited[1]}"
    assert ways.address == SlackAddress("T1", "C1", "U1", thread=said.ts, asked_in=said.ts, edits=True)


async def test_a_question_that_waits_is_not_answered_as_it_was(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("beer in Frnce?")
    await person.edits(said, "@adpolicy beer in Fance?")
    await person.edits(said, "@adpolicy beer in France?")
    assert ways.asked == ["beer in France?"]


async def test_an_edit_that_comes_before_its_question_wins(ways: Ways) -> None:
    person = ways.slack.person()
    ways.slack.hold_events()
    said = await person.mentions("beer in Frnce?")
    await person.edits(said, "@adpolicy beer in France?")
    ways.slack.release_events(reverse=True)
    await ways.slack.catch_up()
    assert ways.asked == ["beer in France?"]


async def test_late_edits_previews_and_formatting_change_nothing(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("beer in France?")
    current = ways.slack.workspace.find("C1", said.ts)
    assert current is not None
    ways.slack.workspace.change(current, {**current.payload, "attachments": [{"text": "preview"}]}, "U1")
    await ways.slack.catch_up()
    assert len(ways.inbox.accepted) == 1
    ways.clock.move(minutes=11)
    await person.edits(said, "@adpolicy beer in Spain?")
    assert ways.asked == ["beer in France?"]


async def test_an_edit_that_is_lost_leaves_the_question_as_it_was(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("beer in Frnce?")
    ways.inbox.failure = Unavailable("database_locked")
    await person.edits(said, "@adpolicy beer in France?")
    assert ways.asked == ["beer in Frnce?"]
    await ways.slack.until(lambda: bool(ways.told()))
    assert "send it again" in ways.told()[0].text


async def test_a_message_edited_into_a_mention_is_one_new_question(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.says("beer in France?")
    await person.edits(said, "@adpolicy beer in France?")
    assert ways.asked == ["beer in France?"]
    assert ways.last.claim_key == f"slack:T1:C1:{said.ts}"
    assert not ways.address.edits


async def test_an_edit_in_the_direct_message_counts_as_well(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.writes_to_bot("beer in Frnce")
    await person.edits(said, "beer in France")
    assert ways.asked == ["beer in France"]
    assert ways.address.edits


async def test_a_deleted_question_that_waits_is_not_answered(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("beer in France?")
    await person.deletes(said)
    assert ways.asked == []
    assert ways.removed == []


async def test_the_answer_to_a_deleted_question_is_removed(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("beer in France?")
    ways.inbox.taken.add(ways.last.claim_key)
    await person.deletes(said)
    assert ways.removed == [("T1", "C1", said.ts, "")]


async def test_a_deleted_message_that_others_replied_to_leaves_a_tombstone(ways: Ways) -> None:
    person = ways.slack.person()
    said = await person.mentions("beer in France?")
    ways.inbox.taken.add(ways.last.claim_key)
    await ways.slack.person("U2").says("interesting", thread_ts=said.ts)
    await person.deletes(said)
    assert [where[2] for where in ways.removed] == [said.ts]  # the port finds out who replied
    assert len(ways.inbox.accepted) == 1


async def test_a_deletion_that_comes_before_its_question_wins(ways: Ways) -> None:
    person = ways.slack.person()
    ways.slack.hold_events()
    said = await person.mentions("beer in France?")
    await person.deletes(said)
    ways.slack.release_events(reverse=True)
    await ways.slack.catch_up()
    assert ways.asked == []


async def test_deleted_talk_touches_nothing(ways: Ways) -> None:
    person = ways.slack.person()
    await person.deletes(await person.says("hello there"))
    assert (ways.inbox.withdrawn, ways.removed) == ([], [])


async def test_what_cannot_be_kept_is_acknowledged_and_the_writer_told_once(ways: Ways) -> None:
    ways.inbox.failure = Unavailable("database_locked")
    await ways.slack.person().mentions("beer in France?")
    await ways.slack.until(lambda: bool(ways.told()))
    for attempt in list(ways.slack.attempts):
        await ways.slack.redeliver(attempt.delivery)
    assert {each.status for each in ways.slack.attempts} == {200}
    [told] = ways.told()
    assert "try again" not in told.text
    assert "send it again in a minute" in told.text


async def test_a_day_that_cannot_be_read_is_said_with_an_example(ways: Ways) -> None:
    await ways.slack.person().mentions("as of <!channel> blah: beer")
    await ways.slack.until(lambda: bool(ways.told()))
    assert "as of 1 March 2026" in ways.told()[0].text
    assert ways.told()[0].notifies == set()
    assert ways.inbox.calls == 0


async def test_a_command_that_is_not_set_up_says_so_and_once(ways: Ways) -> None:
    await ways.slack.person().mentions("subscribe daily UK")
    await ways.slack.until(lambda: bool(ways.told()))
    for attempt in list(ways.slack.attempts):
        await ways.slack.redeliver(attempt.delivery)
    [told] = ways.told()
    assert "`subscribe` is not set up here yet" in told.text
    assert ways.inbox.calls == 0


async def test_a_store_that_hangs_is_not_waited_for(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_KEEP_SECONDS", 0.05)
    ways.inbox.before = asyncio.Event().wait
    await asyncio.wait_for(ways.slack.person().mentions("beer in France?"), 2)
    assert {each.status for each in ways.slack.attempts} == {200}
    await ways.slack.until(lambda: bool(ways.told()))
    assert "send it again" in ways.told()[0].text


async def test_nor_one_that_hangs_when_asked_about_a_thread(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(*_: str) -> tuple[Posted, ...]:
        await asyncio.Event().wait()
        return ()

    monkeypatch.setattr(threads, "_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(ways.posted, "in_thread", hangs)
    root = await ways.slack.person().says("something")
    await asyncio.wait_for(ways.slack.person().says("and in Spain?", thread_ts=root.ts), 2)
    assert {each.status for each in ways.slack.attempts} == {200}
    assert ways.asked == []
