"""Whoever the external rule refuses hears why, alone, and nothing else happens: clicks, forms, commands, people."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.slack import gate
from adapters.slack.addresses import slack_address
from adapters.slack.gate import GATE_SECONDS
from bot.model.outcomes import Admitted
from bot.render.slack.modals import CHANNEL, REASONS
from bot.render.slack.view import SlackShortcut
from ops.sandbox.slack import SlackStandIn
from rag_core.answers import Reply
from tests.fakes import replies
from tests.fakes.alert_slack import alert_slack
from tests.fakes.alerts import FEBRUARY, NO_KITES
from tests.fakes.databases import migrated_engine
from tests.fakes.slack_answers import Answers, answers_in_slack, texts
from tests.fakes.slack_channels import channel_desk
from tests.fakes.slack_gate import NOT_HERE, NOT_TO_GUESTS
from tests.fakes.slack_people import DESK, PeopleWorld, people_world
from tests.fakes.slack_sources import CLOSED, PUBLIC, with_secret
from tests.fakes.slack_ways import Ways, ways_in
from tests.fakes.web import QUOTE, uk_answer

STRANGER = "U6"
"""Of another company, in the stand-in."""

GUEST, HERE, ANYONE = Admitted.NOT_TO_GUESTS, Admitted.NOT_HERE, Admitted.PUBLIC_ONLY


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_slack(PUBLIC, CLOSED) as made:
        yield made


@pytest.fixture
async def people(tmp_path: Path) -> AsyncIterator[PeopleWorld]:
    async with people_world(tmp_path) as opened:
        await opened.answer()
        yield opened


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as made:
        yield made


class TestClicks:
    @pytest.mark.parametrize(
        ("button", "reply", "private"),
        [
            ("Useful", uk_answer(PUBLIC), False),
            ("Not useful", uk_answer(PUBLIC), False),
            ("Show sources", uk_answer(PUBLIC), False),
            ("Change scope", uk_answer(PUBLIC), False),
            ("adpolicy_choose:0", replies.clarification(), False),
            ("Share to channel", uk_answer(PUBLIC), True),
        ],
    )
    async def test_who_is_refused_hears_why_and_nothing_happens(
        self, bot: Answers, monkeypatch: pytest.MonkeyPatch, button: str, reply: Reply, private: bool
    ) -> None:
        monkeypatch.setattr(gate, "GATE_SECONDS", GATE_SECONDS)
        message = await bot.give(reply, PUBLIC, private=private)
        before = len(bot.slack.bot_messages("C1"))
        bot.rule.says = GUEST
        await bot.clicks("U1", message, button)
        assert bot.told("U1") == [NOT_TO_GUESTS]
        assert bot.told("U2") == []
        assert bot.slack.person("U1").modal is None
        assert (bot.feedback.kept, bot.asked, len(bot.slack.bot_messages("C1")) - before) == ({}, [], 0)
        assert bot.rule.seconds <= GATE_SECONDS

    @pytest.mark.parametrize(
        ("button", "fields", "private"),
        [
            ("Not useful", {REASONS: ["outdated"]}, False),
            ("Change scope", {}, False),
            ("Share to channel", {}, True),
        ],
    )
    async def test_nor_when_he_was_let_in_as_the_form_opened(
        self, bot: Answers, button: str, fields: dict[str, Any], private: bool
    ) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=private)
        await bot.clicks("U1", message, button)
        bot.rule.says = HERE
        await bot.slack.person("U1").submits(bot.modal("U1"), fields)
        await bot.settled()
        assert bot.told("U1") == [NOT_HERE]
        assert (bot.feedback.kept, bot.asked) == ({}, [])

    async def test_where_he_may_not_ask_nothing_is_shared(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        bot.rule.then = HERE  # here he may, there he may not
        done = await bot.slack.person("U1").submits(bot.modal("U1"))
        assert done.errors == {CHANNEL: NOT_HERE}
        assert bot.asked == []

    async def test_public_only_is_what_the_sources_show(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        bot.rule.says = ANYONE
        await bot.clicks("U1", message, "Show sources")
        shown = texts(bot.modal("U1"))
        assert QUOTE in shown
        assert "Zeppelin" not in shown
        bot.rule.says = Admitted.ALLOWED
        await bot.clicks("U1", message, "Show sources")
        assert "Zeppelin" in texts(bot.modal("U1"))

    @pytest.mark.parametrize("button", ["Show sources", "Change scope"])
    async def test_what_was_not_known_in_time_is_asked_again_before_anything_is_shown(
        self, bot: Answers, button: str
    ) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.rule.says, bot.rule.then = ANYONE, GUEST
        await bot.clicks("U1", message, button)
        shown = texts(bot.modal("U1"))
        assert NOT_TO_GUESTS in shown
        assert QUOTE not in shown

    async def test_the_rule_hears_who_clicks_and_where(self, bot: Answers) -> None:
        message = await bot.give(replies.clarification())
        await bot.clicks("U2", message, "adpolicy_choose:0")
        assert bot.rule.asked == [("T1", "C1", "U2", "", "")]


class TestAskingPeople:
    async def test_who_is_refused_is_offered_no_note(self, people: PeopleWorld) -> None:
        message = await people.answered()
        people.rule.says = GUEST
        await people.slack.person("U1").clicks(message, "Ask a person")
        await people.settled()
        assert people.slack.person("U1").modal is None
        assert [each.text for each in people.slack.person("U1").ephemeral("C1")] == [NOT_TO_GUESTS]

    async def test_nor_is_his_note_kept(self, people: PeopleWorld) -> None:
        message, person = await people.answered(), people.slack.person("U1")
        await person.clicks(message, "Ask a person")
        await people.settled()
        assert person.modal is not None
        people.rule.says = GUEST
        await person.submits(person.modal)
        await people.settled()
        assert NOT_TO_GUESTS in texts(person.modal)
        assert await people.send() == []

    async def test_nor_does_he_claim_or_save(self, people: PeopleWorld) -> None:
        await people.asks(await people.answered())
        [asked] = await people.send()
        people.rule.says = HERE
        await people.slack.person("U2").clicks(asked, "I answer this")
        await people.settled()
        now = people.slack.workspace.find(DESK, asked.ts)
        assert now is not None
        assert "Claimed by" not in str(now.payload)
        assert [each.text for each in people.slack.person("U2").ephemeral(DESK)] == [NOT_HERE]


class TestAlerts:
    async def test_a_guest_ends_no_alerts(self, tmp_path: Path) -> None:
        async with migrated_engine(tmp_path) as engine, alert_slack(engine) as met:
            await met.news.subscribe()
            await met.news.arrive(FEBRUARY, NO_KITES)
            await met.news.round()
            await met.pump()
            [alert] = met.alerts()
            met.rule.says = GUEST
            await met.slack.person("U2").clicks(alert, "Stop these alerts")
            await met.slack.until(lambda: bool(met.slack.person("U2").ephemeral("C1")))
            assert "only its own members" in met.slack.person("U2").ephemeral("C1")[-1].text
            assert len(await met.news.subscriptions.of_channel("slack", "T1", "C1")) == 1


class TestCommands:
    @pytest.mark.parametrize("text", ["subscribe daily UK", "unsubscribe", "settings"])
    async def test_a_command_is_not_run_but_explained(self, ways: Ways, text: str) -> None:
        ways.rule.says = GUEST
        await ways.slack.person().commands("/adpolicy", text)
        await ways.idle()
        assert [each.text for each in ways.told()] == [NOT_TO_GUESTS]
        assert ways.slack.person().modal is None

    async def test_one_that_is_written_is_not_run_either(self, ways: Ways) -> None:
        ways.rule.says = GUEST
        await ways.slack.person().mentions("unsubscribe")
        await ways.idle()
        assert [each.text for each in ways.told()] == [NOT_TO_GUESTS]

    async def test_the_form_of_the_shortcut_is_not_offered(self, ways: Ways) -> None:
        ways.rule.says = GUEST
        await ways.slack.person().uses_shortcut(SlackShortcut.ASK.value)
        await ways.idle()
        modal = ways.slack.person().modal
        assert modal is not None
        assert NOT_TO_GUESTS in texts(modal)
        assert "Sample platform" not in str(modal.body)


class TestWhatTheEventSays:
    @pytest.mark.parametrize(("channel", "outside"), [("C4", "channel"), ("C1", "")])
    async def test_a_shared_channel_is_in_the_address(self, ways: Ways, channel: str, outside: str) -> None:
        await ways.slack.person().mentions("can I advertise beer?", channel)
        assert ways.address.outside == outside

    async def test_somebody_of_another_team_is_in_the_address(self, ways: Ways) -> None:
        _joins(ways.slack, STRANGER)
        await ways.slack.person(STRANGER).mentions("can I advertise beer?")
        assert ways.address.outside == "person"
        await ways.slack.person(STRANGER).commands("/adpolicy", "can I advertise wine?")
        assert ways.address.outside == ""  # Slack says nothing of him there, and is asked

    async def test_so_it_is_for_a_command_that_is_written(self, ways: Ways) -> None:
        _joins(ways.slack, STRANGER)
        await ways.slack.person(STRANGER).mentions("unsubscribe")
        assert ways.rule.asked == [("T1", "C1", STRANGER, "", "person")]

    async def test_and_for_a_message_to_check(self, ways: Ways) -> None:
        _joins(ways.slack, STRANGER)
        message = await ways.slack.person("U1").says("Beer for everybody!")
        await ways.slack.person(STRANGER).uses_message_shortcut(SlackShortcut.CHECK_MESSAGE.value, message)
        assert (ways.address.outside, ways.address.user) == ("person", STRANGER)

    async def test_and_for_a_form(self, ways: Ways) -> None:
        person = ways.slack.person(STRANGER)
        await person.uses_shortcut(SlackShortcut.ASK.value)
        await ways.idle()
        assert person.modal is not None
        await person.submits(person.modal, {"question_text": "Beer?"})
        assert (ways.address.outside, ways.address.user) == ("person", STRANGER)

    async def test_a_click_says_so_to_the_rule(self, bot: Answers) -> None:
        _joins(bot.slack, STRANGER)
        message = await bot.give(replies.clarification())
        await bot.clicks(STRANGER, message, "adpolicy_choose:0")
        assert bot.rule.asked[-1] == ("T1", "C1", STRANGER, "", "person")
        assert bot.asked == []  # the reply was not shown to his company

    async def test_and_for_a_question_of_the_home_tab(self) -> None:
        async with channel_desk(external=True) as desk:
            home = await desk.home(STRANGER)
            await desk.slack.person(STRANGER).clicks(home, "What are the rules on kites?")
            [question] = desk.inbox.accepted
            assert slack_address(question.reply_address).outside == "person"


def _joins(slack: SlackStandIn, user: str) -> None:
    channel = slack.workspace.channels["C1"]
    slack.workspace.channels["C1"] = replace(channel, members=channel.members | {user})
