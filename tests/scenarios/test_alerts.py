"""Changes told in Slack's channels, as people there read them and end them."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.model.subscriptions import Rhythm
from ops.sandbox.slack import EVERY_SCOPE, App, Limits
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.troubles import Trouble, rate_limited, refused
from tests.fakes.alert_slack import AlertSlack, alert_slack
from tests.fakes.alerts import FEBRUARY, JANUARY, KITES, MARCH, NO_KITES
from tests.fakes.databases import migrated_engine


@pytest.fixture
async def met(tmp_path: Path) -> AsyncIterator[AlertSlack]:
    async with migrated_engine(tmp_path) as engine, alert_slack(engine) as opened:
        await opened.news.arrive(JANUARY, KITES)
        yield opened


async def changed(met: AlertSlack, text: str = NO_KITES) -> None:
    await met.news.arrive(FEBRUARY if text == NO_KITES else MARCH, text)
    await met.news.round()


async def test_an_alert_says_what_changed_where_since_when_and_which_way(met: AlertSlack) -> None:
    await met.news.subscribe()
    await changed(met)
    await met.pump()
    [alert] = met.alerts()
    said = "\n".join([str(block) for block in alert.blocks])
    for words in ("Policy changed: Acme Kites", "Acme Ads", "Place: Global", "In force since 1 February 2026",
                  "▲ stricter", "Before (struck out: removed)", "Now (bold: added)", "*not*",
                  "Open the policy"):  # fmt: skip
        assert words in said, words
    assert "Policy changed: Acme Kites" in alert.text
    assert "stricter" in alert.text
    assert alert.payload["unfurl_links"] is False
    assert alert.metadata["event_type"] == "adpolicy_notice"
    [kept] = met.posted.kept
    assert (kept.place.message, kept.place.channel, kept.subject.value) == (alert.ts, "C1", "alert")


async def test_a_click_ends_it_for_the_channel_which_reads_who_did_it(met: AlertSlack) -> None:
    await met.news.subscribe()
    await met.news.subscribe(rhythm=Rhythm.DAILY, policy_sources=("other",))
    await changed(met)
    await met.pump()
    [alert] = met.alerts()
    await met.slack.person("U2").clicks(alert, "Stop these alerts")
    await met.slack.until(lambda: len(met.slack.bot_messages("C1")) == 2)
    assert "<@U2> ended these alerts" in met.slack.bot_messages("C1")[-1].text
    [left] = await met.news.subscriptions.of_channel("slack", "T1", "C1")
    assert left.filters.policy_sources == ("other",)
    await met.slack.person("U1").clicks(alert, "Stop these alerts")
    await met.slack.until(lambda: bool(met.slack.person("U1").ephemeral("C1")))
    assert "has no subscription" in met.slack.person("U1").ephemeral("C1")[-1].text


async def test_a_button_of_one_channel_ends_nothing_in_another(met: AlertSlack) -> None:
    await met.news.subscribe("C1")
    await changed(met)
    await met.pump()
    name = await met.news.subscribe("C9")
    [alert] = met.alerts()
    forged = replace(alert, payload={**alert.payload, "blocks": _with_value(alert.blocks, name)})
    met.slack.workspace.messages[met.slack.workspace.messages.index(alert)] = forged
    await met.slack.person("U1").clicks(forged, "Stop these alerts")
    await met.slack.until(lambda: bool(met.slack.person("U1").ephemeral("C1")))
    assert len(await met.news.subscriptions.of_channel("slack", "T1", "C9")) == 1


def _with_value(blocks: list[dict[str, object]], value: str) -> list[dict[str, object]]:
    *others, actions = blocks
    elements = actions["elements"]
    assert isinstance(elements, list)
    return [*others, {**actions, "elements": [{**elements[0], "value": value}]}]


async def test_subscribing_is_confirmed_to_the_channel_with_who_did_it(met: AlertSlack) -> None:
    said = await met.commands.run_subscribe("T1", "C1", "U2", "daily Acme Munich alcohol")
    assert said["response_type"] == "in_channel"
    for words in ("<@U2> subscribed this channel", "Acme Ads", "Germany", "“alcohol”", "once a day", "08:00 UTC",
                  "/adpolicy unsubscribe", "“Munich” was read as Germany"):  # fmt: skip
        assert words in str(said["text"]), words
    [kept] = await met.news.subscriptions.of_channel("slack", "T1", "C1")
    assert (kept.rhythm, kept.filters.policy_sources, kept.filters.regions) == (Rhythm.DAILY, ("acme",), ("de",))
    again = await met.commands.run_subscribe("T1", "C1", "U1", "weekly Acme Munich alcohol")
    assert "already" in str(again["text"])
    assert len(await met.news.subscriptions.of_channel("slack", "T1", "C1")) == 1


@pytest.mark.parametrize(
    ("channel", "text", "words"),
    [
        ("C1", "daily frobnicate <!channel>", "“frobnicate”"),
        ("C2", "", "Invite me with /invite"),
    ],
)
async def test_what_is_not_subscribed_is_said_to_who_asked(
    met: AlertSlack, channel: str, text: str, words: str
) -> None:
    said = await met.commands.run_subscribe("T1", channel, "U1", text)
    assert said["response_type"] == "ephemeral"
    assert words in str(said["text"])
    assert "<!" not in str(said["text"])
    assert await met.news.subscriptions.of_channel("slack", "T1", channel) == ()


async def test_a_channel_has_so_many_subscriptions_and_no_more(met: AlertSlack) -> None:
    for place in ("uk", "us", "Germany", "France", "Italy", "Spain", "Poland", "Belgium", "Denmark", "Sweden"):
        await met.commands.run_subscribe("T1", "C1", "U1", place)
    refused_one = await met.commands.run_subscribe("T1", "C1", "U1", "Norway")
    assert "10 subscriptions, which is the most" in str(refused_one["text"])
    assert "already" in str((await met.commands.run_subscribe("T1", "C1", "U1", "daily uk"))["text"])


async def test_unsubscribing_ends_all_of_the_channel_and_says_so(met: AlertSlack) -> None:
    await met.commands.run_subscribe("T1", "C1", "U1", "uk")
    await met.commands.run_subscribe("T1", "C1", "U1", "Germany")
    said = await met.commands.run_unsubscribe("T1", "C1", "U2")
    assert said["response_type"] == "in_channel"
    assert "<@U2> ended all 2 subscriptions" in str(said["text"])
    again = await met.commands.run_unsubscribe("T1", "C1", "U2")
    assert again["response_type"] == "ephemeral"
    assert "has no subscription" in str(again["text"])


async def test_a_channel_that_cannot_be_reached_ends_its_alerts_on_record(met: AlertSlack) -> None:
    for channel in ("C2", "C3", "C1"):  # not in it, archived, fine
        await met.news.subscribe(channel)
    await changed(met)
    await met.pump()
    assert len(met.alerts("C1")) == 1
    assert [each.channel for each in await met.news.subscriptions.all()] == ["C1"]
    assert ("given up", "slack_not_in_channel") in met.news.log.heard
    assert ("given up", "slack_channel_closed") in met.news.log.heard


async def test_where_the_app_is_not_installed_it_is_dropped_and_nothing_ends(met: AlertSlack) -> None:
    await met.news.subscribe()
    await changed(met)
    met.slack.trouble("chat.postMessage", refused("token_revoked"))
    await met.pump()
    assert met.alerts() == []
    assert len(await met.news.subscriptions.all()) == 1
    assert (await met.news.queue.backlog())[0] == 0


async def test_a_rate_limit_puts_it_off_and_no_worker_waits(met: AlertSlack) -> None:
    await met.news.subscribe()
    await changed(met)
    met.slack.trouble("chat.postMessage", rate_limited(30))
    assert await met.pump() == 1
    met.news.clock.move(seconds=29)
    assert await met.pump() == 0
    met.news.clock.move(seconds=1)
    await met.pump()
    assert len(met.alerts()) == 1
    assert "conversations.history" not in met.slack.api_calls, "Slack has said that it is not there"


async def test_posted_though_the_answer_was_lost_it_is_found_again(met: AlertSlack) -> None:
    await met.news.subscribe()
    await changed(met)
    met.slack.trouble("chat.postMessage", Trouble(after_doing=True, cut=True))
    await met.pump()
    met.news.clock.move(seconds=10)
    await met.pump()
    assert len(met.alerts()) == 1
    assert [each.place.message for each in met.posted.kept] == [met.alerts()[0].ts]


async def test_not_posted_and_nobody_knew_it_is_posted_then(met: AlertSlack) -> None:
    await met.news.subscribe()
    await changed(met)
    met.slack.trouble("chat.postMessage", Trouble(cut=True))
    await met.pump()
    met.news.clock.move(seconds=10)
    await met.pump()
    assert met.slack.api_calls.count("conversations.history") == 1
    assert len(met.alerts()) == 1


async def test_without_the_scope_to_look_it_is_posted_again_rather_than_lost(tmp_path: Path) -> None:
    app = App(scopes=EVERY_SCOPE - {"channels:history"})
    async with migrated_engine(tmp_path) as engine, alert_slack(engine, app=app) as met:
        await met.news.arrive(JANUARY, KITES)
        await met.news.subscribe()
        await changed(met)
        met.slack.trouble("chat.postMessage", Trouble(cut=True))
        await met.pump()
        met.news.clock.move(seconds=10)
        await met.pump()
        assert len(met.alerts()) == 1


async def test_what_was_posted_is_not_posted_again_because_it_could_not_be_remembered(met: AlertSlack) -> None:
    await met.news.subscribe()
    await changed(met)
    met.posted.down = 2
    await met.pump()
    for _ in range(2):
        met.news.clock.move(seconds=60)
        await met.pump()
    assert len(met.alerts()) == 1
    assert len(met.posted.kept) == 1


async def test_an_alert_waits_for_its_turn_among_answers_and_keeps_no_worker(met: AlertSlack) -> None:
    met.slack.workspace.channels["C8"] = Channel("C8", "c8", frozenset({BOT, "U1"}))
    await met.news.subscribe_all(["C1", "C8"])
    await changed(met)
    for _ in range(4):  # answers, which are to be posted in C1 one after the other
        await met.turns.turn("slack:T1:C1", 1.0, 8.0)
    await met.pump()
    assert (len(met.alerts("C1")), len(met.alerts("C8"))) == (0, 1)
    assert met.slept == []
    assert ("postponed", "slack_pacing") in met.news.log.heard
    met.news.clock.move(seconds=4)
    await met.pump()
    assert len(met.alerts("C1")) == 1
    assert await met.turns.turn("slack:T1:C1", 1.0, 8.0) == pytest.approx(1.0), "the next answer waits for it"


async def test_a_turn_that_is_near_is_waited_for(met: AlertSlack) -> None:
    await met.news.subscribe()
    await changed(met)
    await met.turns.turn("slack:T1:C1", 0.7, 8.0)
    await met.pump()
    assert len(met.alerts("C1")) == 1
    assert met.slept == [pytest.approx(0.7)]


async def test_several_hundred_channels_hear_of_it_once_each_within_slacks_limits(tmp_path: Path) -> None:
    """300 channels of one workspace; Slack takes 240 messages a minute from it, and one a second in a channel."""
    async with (
        migrated_engine(tmp_path) as engine,
        alert_slack(engine, limits=Limits().but(chat_postMessage=240)) as met,
    ):
        await met.news.arrive(JANUARY, KITES)
        channels = [f"C{number}" for number in range(100, 400)]
        for channel in channels:
            met.slack.workspace.channels[channel] = Channel(channel, channel.lower(), frozenset({BOT, "U1"}))
        await met.news.subscribe_all(channels)
        await changed(met)
        began = met.news.clock()
        for at in (3, 40, 1_000):
            while (await met.news.queue.backlog())[0] and (met.news.clock() - began).total_seconds() < at:
                await met.pump()
                met.news.clock.move(seconds=1)
            met.slack.trouble("chat.postMessage", rate_limited(at % 7 + 2))  # one that nobody could foresee
        assert [len(met.alerts(channel)) for channel in channels] == [1] * 300
        took = (met.news.clock() - began).total_seconds()
        assert 72 <= took <= 100, "300 at four a second, and the two pauses"
        refusals = [each for each in met.slack.calls_of("chat.postMessage") if each.error]
        assert len(refusals) == 2, "it is paced: no 429 comes but those from elsewhere"
