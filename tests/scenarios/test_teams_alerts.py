"""Changes told in Teams by themselves: subscribed and ended there, sent once, and nowhere where the bot is not."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select

from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.channels import notices
from adapters.teams.delivery.signed_cards import signed_card
from bot.model.notices import Notice, NoticeKind, NoticeLease
from bot.model.posted import Posted, PostedMessages, Subject
from bot.render.teams.elements import execute, text_block
from bot.render.teams.people import data, message
from bot.render.teams.view import TeamsVerb
from ops.chat.alerts import leave_channel
from ops.sandbox.teams.world import TENANT, PersonKind
from ops.sandbox.troubles import Trouble
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters
from tests.fakes.alerts import FEBRUARY, JANUARY, KITES, MARCH, NO_KITES
from tests.fakes.questions import NOON
from tests.fakes.teams_people import ADS, GENERAL, PeopleInTeams, chat, people_in_teams, person, shown


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PeopleInTeams]:
    async with people_in_teams(tmp_path) as opened:
        await opened.news.arrive(JANUARY, KITES)
        yield opened


async def subscribed(world: PeopleInTeams, text: str = "subscribe") -> str:
    """What is said to the command, in "ads"."""
    await world.teams.person(1).mentions(text)
    await world.settled()
    return said(world)[-1]


def said(world: PeopleInTeams, where: str = "ads") -> list[str]:
    return [shown(each) for each in world.teams.bot_messages(where)]


async def changed(world: PeopleInTeams, text: str = NO_KITES) -> int:
    await world.news.arrive(FEBRUARY if text == NO_KITES else MARCH, text)
    await world.news.round()
    return await world.pump()


async def test_a_command_subscribes_and_an_alert_says_what_changed(world: PeopleInTeams) -> None:
    told = await subscribed(world)
    assert "Person 1 subscribed this channel to all policy changes" in told
    assert "type @AdPolicy unsubscribe" in told
    assert await changed(world) == 1
    alert = said(world)[-1]
    for words in ("Policy changed: Acme Kites", "Acme Ads", "Place: Global", "In force since 1 February 2026",
                  "▲ stricter", "Before (struck out: removed)", "Now (bold: added)", "Open the policy",
                  "This channel subscribed to all policy changes"):  # fmt: skip
        assert words in alert, words
    summary = str(world.teams.bot_messages("ads")[-1].activity["summary"])
    assert "Policy changed: Acme Kites" in summary
    assert "stricter" in summary


async def test_the_button_ends_it_and_everybody_reads_who_did_it(world: PeopleInTeams) -> None:
    await subscribed(world)
    await subscribed(world, "subscribe daily Acme")
    await changed(world)
    [alert] = [each for each in world.teams.bot_messages("ads") if "Policy changed" in shown(each)]
    await world.teams.person(2).clicks(alert, "Stop these alerts")
    await world.settled()
    assert "Person 2 ended these alerts for this channel. 1 of its other" in said(world)[-1]
    [left] = await world.news.subscriptions.of_channel("teams", TENANT, ADS)
    assert left.filters.policy_sources == ("acme",)
    await world.teams.person(1).clicks(alert, "Stop these alerts")
    assert "has no subscription" in world.teams.person(1).told[-1]


async def test_it_ends_by_command(world: PeopleInTeams) -> None:
    await subscribed(world)
    assert "ended the subscription of this channel" in await subscribed(world, "unsubscribe")
    assert "has no subscription" in await subscribed(world, "unsubscribe")
    assert await changed(world) == 0


async def test_a_guest_ends_nothing_and_begins_nothing(tmp_path: Path) -> None:
    async with people_in_teams(tmp_path, external=True) as world:
        await world.news.arrive(JANUARY, KITES)
        await subscribed(world)
        await changed(world)
        guest = world.teams.person(4, kind=PersonKind.GUEST)
        world.teams.join(4, "ads")
        await guest.clicks(world.teams.bot_messages("ads")[-1], "Stop these alerts")
        assert "Guests" in guest.told[-1]
        for typed in ("unsubscribe", "subscribe daily Acme"):
            await guest.mentions(typed)
            await world.settled()
            assert "Guests" in said(world)[-1], typed
        [kept] = await world.news.subscriptions.of_channel("teams", TENANT, ADS)
        assert kept.filters == Filters()


async def test_a_button_of_one_conversation_ends_nothing_in_another(world: PeopleInTeams) -> None:
    await subscribed(world)
    await changed(world)
    alert = world.teams.bot_messages("ads")[-1]
    to = await world.knows(GENERAL)
    made = {"type": "message", "attachments": alert.activity["attachments"]}
    id_ = await world.sdk.outbound.send(to, made)
    forged = next(each for each in world.teams.messages("general") if each.id == id_)
    await world.teams.person(1).clicks(forged, "Stop these alerts")
    assert await world.news.subscriptions.of_channel("teams", TENANT, ADS)


async def test_a_button_that_names_no_subscription_ends_none(world: PeopleInTeams) -> None:
    """Without ids all of the channel would be meant."""
    await subscribed(world)
    to, signing = await world.knows(ADS), world.parts.signing
    assert signing is not None
    verb = TeamsVerb.UNSUBSCRIBE
    button = execute("Stop these alerts", verb, data(verb, subscription=","))
    alert = message([text_block("Alert")], "Alert", [button])
    id_ = await world.sdk.outbound.send(to, signed_card(alert, signing, to.signed_for))
    made = next(each for each in world.teams.messages("ads") if each.id == id_)
    await world.teams.person(1).clicks(made, "Stop these alerts")
    assert await world.news.subscriptions.of_channel("teams", TENANT, ADS)


async def test_somebodys_own_chat_is_called_no_channel(world: PeopleInTeams) -> None:
    """Also no group chat."""
    await world.knows(chat(1), 1)
    for typed in ("subscribe", "subscribe daily", "unsubscribe", "unsubscribe", "subscribe"):
        await world.teams.person(1).writes_to_bot(typed)
        await world.settled()
    assert await changed(world) == 1
    told = said(world, chat(1))
    assert "Person 1 subscribed this chat to all policy changes" in told[0]
    assert "everybody in this chat may see" in told[0]
    assert "this chat hears of all policy changes already" in told[1]
    assert "ended the subscription of this chat:" in told[2]
    assert "This chat has no subscription" in told[3]
    assert "This chat subscribed to all policy changes" in told[-1]
    assert [each for each in told if "this channel" in each.lower()] == []


async def test_what_cannot_be_read_is_said_and_nothing_subscribed(world: PeopleInTeams) -> None:
    told = await subscribed(world, "subscribe to <b>*frobnicators*</b>")
    assert "is not known as a place, a platform or a topic" in told
    assert "<b>" not in told
    assert not await world.news.subscriptions.of_channel("teams", TENANT, ADS)


async def test_where_the_bot_was_removed_the_subscriptions_end_on_record(world: PeopleInTeams) -> None:
    await subscribed(world)
    world.teams.world.place("ads").is_deleted = True
    assert await changed(world) == 0
    assert await world.news.subscriptions.of_channel("teams", TENANT, ADS) == ()
    assert await world.known.of_channel("teams", TENANT, ADS) is None
    assert await world.known.of_channel("teams", TENANT, GENERAL) is not None
    async with world.engine.connect() as connection:
        rows = (await connection.execute(select(audit_records.c.canonical))).scalars().all()
    assert any("teams_channel_closed" in str(each) for each in rows)


@pytest.mark.parametrize("status", [403, 404])
async def test_a_person_who_blocked_the_bot_is_not_written_to_again(world: PeopleInTeams, status: int) -> None:
    await world.knows(chat(1), 1)
    await world.teams.person(1).writes_to_bot("subscribe")
    await world.settled()
    [one] = await world.news.subscriptions.of_channel("teams", TENANT, chat(1))
    await world.news.arrive(FEBRUARY, NO_KITES)
    told = {"changes": [[1, 9]], "subscriptions": [one.subscription_id], "rhythm": ""}
    notice = Notice("n1", NoticeKind.ALERT, "teams", TENANT, chat(1), NOON, content=told)
    world.teams.trouble("POST", status)
    with pytest.raises(Rejected, match="teams_channel_closed"):
        await world.sink.send(lease(notice))
    assert await world.known.of_channel("teams", TENANT, chat(1)) is None


async def test_teams_asks_us_to_wait_and_then_it_is_sent_once(world: PeopleInTeams) -> None:
    await subscribed(world)
    world.teams.trouble("POST", Trouble(429, headers={"Retry-After": "7200"}))
    before = len(said(world))
    await changed(world)
    assert ("postponed", "teams_slow_down") in world.news.log.heard
    assert len(said(world)) == before
    world.news.clock.move(seconds=7300)
    await world.pump()
    assert len(said(world)) == before + 1


async def test_what_a_dead_worker_sent_is_found_and_what_it_did_not_is_sent(world: PeopleInTeams) -> None:
    await world.news.arrive(FEBRUARY, NO_KITES)
    await subscribed(world)
    await changed(world, KITES)
    async with world.engine.connect() as connection:
        [notice_id] = (await connection.execute(select(notices.c.notice_id))).scalars().all()
    before = len(said(world))
    there = Notice(notice_id, NoticeKind.ALERT, "teams", TENANT, ADS, world.news.clock(), content=await content(world))
    await world.sink.send(NoticeLease(there, "w2", 2, was_sending=True))
    assert len(said(world)) == before, "it stands there"
    other = Notice("other", NoticeKind.ALERT, "teams", TENANT, ADS, world.news.clock(), content=await content(world))
    await world.sink.send(NoticeLease(other, "w2", 2, was_sending=True))
    assert len(said(world)) == before + 1, "nothing is lost"


async def content(world: PeopleInTeams) -> dict[str, object]:
    [one] = await world.news.subscriptions.of_channel("teams", TENANT, ADS)
    return {"changes": [[1, 9]], "subscriptions": [one.subscription_id], "rhythm": ""}


async def test_while_the_store_is_down_a_sent_message_is_not_sent_again(world: PeopleInTeams) -> None:
    await subscribed(world)
    notice = Notice("n1", NoticeKind.ALERT, "teams", TENANT, ADS, world.news.clock(), content=await content(world))
    await world.news.arrive(FEBRUARY, NO_KITES)
    posted = FlakyPosted(world.people.ports.posted)
    world.sink._posted = posted  # type: ignore[assignment]
    with pytest.raises(Unavailable):
        await world.sink.send(lease(notice))
    posted.is_down = False
    await world.sink.send(lease(notice))
    assert sum("Policy changed" in each for each in said(world)) == 1
    [found] = await world.people.ports.posted.of_subject(Subject.ALERT, "n1")
    assert found.place.channel == ADS


async def test_nobody_knows_of_who_never_spoke_with_the_bot_but_a_way_is_found(world: PeopleInTeams) -> None:
    """A private answer to somebody whose chat is not known: opened by way of the channel where people are asked."""
    notice = Notice(
        "n1", NoticeKind.CURATED_SUSPENDED, "teams", TENANT, person(3), world.news.clock(), content={"via": GENERAL}
    )
    to = await world.sink._reference(notice)
    assert to.conversation == chat(3)
    with pytest.raises(Rejected, match="teams_channel_closed"):
        await world.sink._reference(Notice("n2", NoticeKind.ALERT, "teams", TENANT, person(3), world.news.clock()))


async def test_an_unknown_kind_is_refused(world: PeopleInTeams) -> None:
    world.sink._renderers = {}
    with pytest.raises(Rejected, match="notice_kind_unknown"):
        await world.sink.send(lease(suspended(ADS)))


async def test_where_the_app_is_removed_nothing_is_told_any_more(world: PeopleInTeams) -> None:
    await subscribed(world)
    queue = SqlNoticeQueue(world.engine, world.news.clock)
    await queue.queue([suspended(ADS), suspended(GENERAL)])
    for _ in range(2):
        await leave_channel(world.engine, "teams", TENANT, ADS)
    assert await world.news.subscriptions.of_channel("teams", TENANT, ADS) == ()
    async with world.engine.connect() as connection:
        waiting = select(notices.c.channel).where(notices.c.finished_at.is_(None))
        assert (await connection.execute(waiting)).scalars().all() == [GENERAL]


class FlakyPosted:
    """`PostedMessages.save` that fails while it is down."""

    def __init__(self, kept: PostedMessages) -> None:
        self._kept = kept
        self.is_down = True

    async def save(self, posted: Posted) -> None:
        if self.is_down:
            raise Unavailable("store_unreachable")
        await self._kept.save(posted)


def suspended(channel: str) -> Notice:
    return Notice(f"n-{channel}", NoticeKind.CURATED_SUSPENDED, "teams", TENANT, channel, NOON, content={})


def lease(notice: Notice) -> NoticeLease:
    return NoticeLease(notice, "w", 1, was_sending=False)
