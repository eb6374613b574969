"""What happens in channels, as the app hears of it."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from slack_sdk.errors import SlackApiError

from ops.sandbox.slack import EVERY_SCOPE, App, SlackStandIn
from ops.sandbox.slack.deliveries import FEWEST_TO_DISABLE
from ops.sandbox.slack.people import BOT
from tests.fakes.slack import SIGNING_SECRET, FakeClock
from tests.fakes.slack_app import ALL, Met, met


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met() as made:
        yield made


async def test_a_mention_comes_twice_with_one_ts(slack: Met) -> None:
    message = await slack.slack.person("U1").mentions("what about <b> & alcohol?")
    assert sorted(slack.app.called) == ["app_mention", "message"]
    mention, twin = slack.app.last("app_mention"), slack.app.last("message")
    assert mention.event["ts"] == twin.event["ts"] == message.ts
    assert mention.event["text"] == f"<@{BOT}> what about &lt;b&gt; &amp; alcohol?"
    assert mention.payload["event_id"] != twin.payload["event_id"]
    assert (twin.event["channel_type"], twin.event["channel"], twin.event["user"]) == ("channel", "C1", "U1")
    assert twin.payload["authorizations"] == [
        {"enterprise_id": None, "team_id": "T1", "user_id": BOT, "is_bot": True, "is_enterprise_install": False}
    ]
    assert mention.payload["is_ext_shared_channel"] is False


async def test_what_people_type_is_what_slack_makes_of_it(slack: Met) -> None:
    message = await slack.slack.person("U1").says("@channel see https://e.example/?a=1&b=2 and ask @admin, not me@x")
    assert message.text == "<!channel> see <https://e.example/?a=1&amp;b=2> and ask <@U3>, not me@x"


async def test_every_kind_of_channel_has_its_events(slack: Met) -> None:
    workspace = slack.slack.workspace
    workspace.join("G1", BOT)
    group = workspace.conversation(frozenset({BOT, "U1", "U2"})).channel_id
    direct = slack.slack.person("U2").direct.channel_id
    for channel, kind in (("C1", "channel"), ("G1", "group"), (direct, "im"), (group, "mpim")):
        await slack.slack.person("U2").says("hello", channel)
        assert slack.app.last("message").event["channel_type"] == kind
    await slack.slack.person("U2").says("@adpolicy hello", direct)
    assert "app_mention" not in slack.app.called


@pytest.mark.parametrize(
    ("app", "left"),
    [
        (replace(ALL, events=ALL.events - {"app_mention"}), ["message"]),
        (replace(ALL, events=ALL.events - {"message.channels"}), ["app_mention"]),
        (replace(ALL, scopes=EVERY_SCOPE - {"app_mentions:read"}), ["message"]),
        (replace(ALL, scopes=EVERY_SCOPE - {"channels:history"}), ["app_mention"]),
    ],
)
async def test_events_need_a_subscription_and_a_scope(app: App, left: list[str]) -> None:
    async with met(app) as slack:
        await slack.slack.person("U1").mentions("hello")
        assert slack.app.called == left


async def test_the_bot_hears_only_where_it_is(slack: Met) -> None:
    person = slack.slack.person("U1")
    await person.mentions("hello", "C2")
    assert slack.app.heard == []
    assert "is not in this channel" in person.ephemeral("C2")[0].text
    await person.invites_bot("C2")
    await person.mentions("hello", "C2")
    assert sorted(slack.app.called) == ["app_mention", "member_joined_channel", "message"]


async def test_edits_and_deletions(slack: Met) -> None:
    person = slack.slack.person("U1")
    message = await person.says("before")
    slack.app.forget()
    await person.edits(message, "after")
    [event] = slack.app.events
    assert (event["subtype"], event["hidden"]) == ("message_changed", True)
    assert (event["message"]["text"], event["previous_message"]["text"]) == ("after", "before")  # type: ignore[index]
    assert event["message"]["edited"]["user"] == "U1"  # type: ignore[index]
    assert event["ts"] != message.ts
    await person.deletes(message)
    last = slack.app.events[-1]
    assert (last["subtype"], last["deleted_ts"]) == ("message_deleted", message.ts)
    assert person.sees() == []
    for act in (person.deletes(message), person.edits(message, "x")):
        with pytest.raises(LookupError):
            await act


async def test_a_deleted_parent_with_replies_is_a_changed_message(slack: Met) -> None:
    person = slack.slack.person("U1")
    parent = await person.says("parent")
    await person.says("reply", thread_ts=parent.ts)
    await person.deletes(parent)
    event = slack.app.events[-1]
    assert event["subtype"] == "message_changed"
    assert event["message"]["subtype"] == "tombstone"  # type: ignore[index]


async def test_an_edit_may_be_a_mention(slack: Met) -> None:
    person = slack.slack.person("U1")
    message = await person.says("what about alcohol?")
    slack.app.forget()
    await person.edits(message, "@adpolicy what about alcohol?")
    assert sorted(slack.app.called) == ["app_mention", "message/message_changed"]
    assert slack.app.last("app_mention").event["ts"] == message.ts
    slack.app.forget()
    await person.edits(message, "@adpolicy what about beer?")
    assert slack.app.called == ["message/message_changed"]


async def test_only_their_author_changes_messages(slack: Met) -> None:
    message = await slack.slack.person("U1").says("mine")
    with pytest.raises(LookupError):
        await slack.slack.person("U2").edits(message, "not mine")
    with pytest.raises(LookupError):
        await slack.slack.person("U4").says("hello", "C1")
    with pytest.raises(LookupError):
        await slack.slack.person("U1").says("hello", "C3")


async def test_threads_broadcasts_and_bots(slack: Met) -> None:
    person = slack.slack.person("U1")
    parent = await person.says("parent")
    await person.says("reply", thread_ts=parent.ts)
    assert slack.app.events[-1]["thread_ts"] == parent.ts
    assert slack.app.events[-1]["parent_user_id"] == "U1"
    await person.says("loud", thread_ts=parent.ts, broadcast=True)
    assert slack.app.called[-1] == "message/thread_broadcast"
    assert slack.app.events[-1]["root"]["ts"] == parent.ts  # type: ignore[index]
    slack.slack.other_bot_says(f"<@{BOT}> from a bot")
    await slack.heard()
    event = slack.app.last("message/bot_message").event
    assert (event["bot_id"], "user" in event) == ("BOTHER", False)


async def test_the_bot_hears_itself(slack: Met) -> None:
    await slack.api.chat_postMessage(channel="C1", text=f"<@{BOT}> is me")
    await slack.heard()
    [event] = slack.app.events
    assert (event["type"], event["user"], event["bot_id"], event["app_id"]) == ("message", BOT, "BBOT", "A1")
    posted = str(event["ts"])
    await slack.api.chat_update(channel="C1", ts=posted, text="new")
    [message] = slack.slack.messages
    slack.slack.workspace.delete(message)
    await slack.heard()
    assert slack.app.called == ["message", "message/message_changed", "message/message_deleted"]
    slack.app.forget()
    await slack.api.chat_postEphemeral(channel="C1", user="U1", text="nobody hears this")
    await slack.heard()
    assert slack.app.heard == []


async def test_messages_are_told_with_their_blocks(slack: Met) -> None:
    message = await slack.slack.person("U1").types("plain words")
    assert slack.app.events[-1]["ts"] == getattr(message, "ts", "")
    [block] = slack.app.events[-1]["blocks"]  # type: ignore[misc]
    assert block["type"] == "rich_text"  # type: ignore[has-type]
    assert "thread_ts" not in slack.app.events[-1]
    await slack.api.chat_postMessage(channel="C1", text="x", blocks=[{"type": "divider"}])
    await slack.api.chat_startStream(
        channel="C1", thread_ts="1.2", markdown_text="x", recipient_team_id="T1", recipient_user_id="U1"
    )
    await slack.heard()
    posted, streamed = slack.app.events[-2:]
    assert posted["blocks"] == [{"type": "divider"}]
    assert ("streaming_state" in posted, streamed["streaming_state"]) == (False, "in_progress")


async def test_a_shared_channel_is_told_as_such_and_so_is_a_stranger(slack: Met) -> None:
    await slack.slack.person("U4").says("hello", "C4")
    own = slack.app.last("message")
    assert own.payload["is_ext_shared_channel"] is True
    assert (own.event["team"], "user_team" in own.event) == ("T1", False)
    await slack.slack.person("U6").says("hello", "C4")
    event = slack.app.last("message").event
    assert (event["team"], event["user_team"], event["source_team"]) == ("TELSEWHERE",) * 3
    assert (await slack.api.users_info(user="U6"))["user"]["is_stranger"] is True


async def test_a_failing_app_is_told_again_at_once_after_a_minute_and_after_five(slack: Met) -> None:
    slack.app.answers["message"] = 500
    await slack.slack.person("U1").says("hello")
    assert [each.retry for each in slack.app.heard] == [("", ""), ("1", "http_error")]
    await slack.heard()
    assert (len(slack.app.heard), slack.slack.pending) == (2, 1)
    slack.clock.move(seconds=60)
    assert len(await slack.heard()) == 3
    slack.clock.move(seconds=299)
    assert len(await slack.heard()) == 3
    slack.clock.move(seconds=1)
    assert [each.retry[0] for each in await slack.heard()] == ["", "1", "2", "3"]
    slack.clock.move(hours=1)
    assert (len(await slack.heard()), slack.slack.pending) == (4, 0)
    assert len({str(each.payload["event_id"]) for each in slack.app.heard}) == 1


async def test_a_retry_that_is_taken_is_the_last(slack: Met) -> None:
    slack.app.answers["message"] = 500
    await slack.slack.person("U1").says("hello")
    slack.app.answers["message"] = ""
    slack.clock.move(seconds=60)
    await slack.heard()
    slack.clock.move(minutes=10)
    assert len(await slack.heard()) == 3


async def test_an_app_may_ask_not_to_be_told_again(slack: Met) -> None:
    slack.app.answers["message"], slack.app.headers = 500, {"X-Slack-No-Retry": "1"}
    await slack.slack.person("U1").says("hello")
    slack.clock.move(hours=1)
    assert len(await slack.heard()) == 1


async def test_nobody_there_is_told_again() -> None:
    nobody = SlackStandIn("http://127.0.0.1:9", SIGNING_SECRET, app=ALL, clock=FakeClock())
    await nobody.start()
    await nobody.person("U1").says("hello")
    assert [(each.error, each.retry) for each in nobody.attempts] == [("dispatch_failed", 0), ("dispatch_failed", 1)]
    await nobody.stop()


async def test_a_slow_app_is_told_again_with_the_reason() -> None:
    async with met(ack_seconds=0.05) as slack:
        slack.app.delay = 0.15
        await slack.slack.person("U1").says("hello")
        assert [each.retry for each in slack.app.heard] == [("", ""), ("1", "http_timeout")]


async def test_events_come_twice_on_request(slack: Met) -> None:
    slack.slack.disorder.duplicate_every = 2
    person = slack.slack.person("U1")
    for number in range(4):
        await person.says(str(number))
    await slack.heard()
    told = [(each.event["text"], each.retry[0]) for each in slack.app.heard]
    assert sorted(told) == [("0", ""), ("1", ""), ("1", "1"), ("2", ""), ("3", ""), ("3", "1")]


async def test_events_come_late_and_out_of_order_on_request(slack: Met) -> None:
    person = slack.slack.person("U1")
    slack.slack.hold_events()
    message = await person.says("first")
    await person.edits(message, "second")
    await person.deletes(message)
    assert await slack.heard() == []
    slack.slack.release_events(reverse=True)
    await slack.heard()
    assert sorted(slack.app.called) == ["message", "message/message_changed", "message/message_deleted"]
    assert [each.delivery.called for each in slack.slack.attempts][:1] == ["message/message_deleted"]


async def test_an_app_that_always_fails_gets_no_more_events() -> None:
    clock = FakeClock()
    nobody = SlackStandIn("http://127.0.0.1:9", SIGNING_SECRET, app=ALL, clock=clock)
    await nobody.start()
    person = nobody.person("U1")
    for _ in range(FEWEST_TO_DISABLE // 2):
        assert nobody.events_enabled
        await person.says("hello")
    assert not nobody.events_enabled
    count = len(nobody.attempts)
    await person.says("hello")
    assert len(nobody.attempts) == count
    await nobody.stop()


async def test_nothing_leaves_an_app_without_subscriptions() -> None:
    async with met(App()) as slack:
        await slack.slack.person("U1").mentions("hello")
        assert slack.app.heard == []
        with pytest.raises(SlackApiError):
            await slack.api.chat_postMessage(channel="C2", text="x")
