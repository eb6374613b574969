"""Clicks that ask: another scope, a choice, sharing a private answer to a channel."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from adapters.slack.addresses import slack_address
from bot.answers.recorded import SHOWN_IN
from bot.model.messages import Actor
from bot.render.scope_form import DAY, MATERIAL, PLACE, PLATFORM
from bot.render.slack.modals import CHANNEL
from bot.wording import answers as said
from bot.wording import slack as slack_said
from ops.sandbox.slack.people import Channel
from rag_core.documents import Classification
from rag_core.errors import Unavailable
from rag_core.questions import Filters
from tests.fakes import replies
from tests.fakes.documents import make_version, make_write, passages_of
from tests.fakes.slack_answers import QUESTION, Answers, answers_in_slack, texts
from tests.fakes.slack_sources import CLOSED, PUBLIC, with_secret
from tests.fakes.web import uk_answer


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_slack(PUBLIC, CLOSED) as made:
        yield made


def _button(action_id: str, value: str) -> dict[str, Any]:
    text = {"type": "plain_text", "text": "Forged"}
    return {
        "type": "actions",
        "elements": [{"type": "button", "action_id": action_id, "text": text, "value": value}],
    }


class TestScope:
    async def test_the_fields_say_what_the_answer_holds_for(self, bot: Answers) -> None:
        answer = replace(uk_answer(PUBLIC), scope=replies.scope(policy_sources=("acme",), assumed=()))
        message = await bot.give(answer, PUBLIC)
        await bot.clicks("U1", message, "Change scope")
        modal = bot.modal("U1")
        initial = str(modal.blocks)
        assert QUESTION in texts(modal)
        assert "'initial_value': 'United Kingdom'" in initial
        assert "'initial_date': '2026-11-22'" in initial
        assert "'value': 'acme'" in initial

    async def test_only_platforms_that_the_clicker_may_see_are_offered(self, bot: Answers) -> None:
        hidden = make_write(
            make_version("zeta_rules", classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))
        )
        bot.store.writes = [PUBLIC, hidden]
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        for user, offered in (("U1", True), ("U2", False)):
            await bot.clicks(user, message, "Change scope")
            assert ("Zeta" in texts(bot.modal(user))) is offered

    async def test_it_is_asked_again_in_the_same_thread(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U2", message, "Change scope")
        person = bot.slack.person("U2")
        done = await person.submits(
            bot.modal("U2"), {PLATFORM: ["acme"], PLACE: "Germany", MATERIAL: ["video"], DAY: "2026-01-05"}
        )
        assert done.errors == {}
        [question] = bot.asked
        assert question.text == QUESTION
        assert question.filters == Filters(("acme",), ("de",), ("video",))
        assert question.as_of == date(2026, 1, 5)
        assert question.actor == Actor("slack", "T1", "U2")
        assert question.private is False
        address = slack_address(question.reply_address)
        assert (address.channel, address.thread, address.user) == ("C1", message.ts, "U2")
        assert question.conversation == address.conversation

    async def test_an_unknown_place_is_said_at_the_field(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Change scope")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {PLACE: "Atlantis"})
        assert "Atlantis" in done.errors[PLACE]
        assert bot.asked == []

    async def test_a_form_that_is_sent_twice_asks_once(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Change scope")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {PLACE: "France"})
        assert done.acknowledgement is not None
        again = await bot.slack.redeliver(done.acknowledgement.delivery)
        assert again.status == 200
        assert len(bot.asked) == 1

    async def test_the_next_answer_to_a_private_one_is_private(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Change scope")
        await bot.slack.person("U1").submits(bot.modal("U1"), {PLACE: "France"})
        [question] = bot.asked
        assert question.private is True
        assert slack_address(question.reply_address).to_asker is True

    async def test_what_only_the_asker_sees_is_private_whatever_the_record_says(self, bot: Answers) -> None:
        message = await bot.give(replies.clarification(), private=True)
        record = bot.given.answers["a1"]
        bot.given.answers["a1"] = replace(record, trace={**(record.trace or {}), "notes": {SHOWN_IN: "C1"}})
        await bot.clicks("U1", message, "adpolicy_choose:0")
        assert [each.private for each in bot.asked] == [True]


class TestChoices:
    async def test_a_choice_is_asked_with_its_filters(self, bot: Answers) -> None:
        reply = replies.clarification()
        message = await bot.give(reply)
        await bot.clicks("U2", message, "adpolicy_choose:1")
        [question] = bot.asked
        chosen = reply.choices[1]
        assert (question.text, question.filters) == (chosen.question, chosen.filters)
        assert slack_address(question.reply_address).thread == message.ts

    async def test_a_double_click_asks_once_and_says_so(self, bot: Answers) -> None:
        message = await bot.give(replies.clarification())
        for _ in range(2):
            await bot.clicks("U1", message, "adpolicy_choose:0")
        assert len(bot.asked) == 1
        assert bot.told("U1") == [said.ALREADY_ASKED]

    async def test_of_many_the_rest_is_in_a_menu(self, bot: Answers) -> None:
        places = ("de", "fr", "es", "it", "nl", "be", "at")
        message = await bot.give(replace(replies.clarification(), choices=tuple(map(replies.choice, places))))
        await bot.slack.person("U1").chooses(message, "adpolicy_choose:menu", "a1/6")
        [question] = bot.asked
        assert question.filters == replies.choice("at").filters

    async def test_an_inbox_that_is_down_is_said(self, bot: Answers) -> None:
        message = await bot.give(replies.clarification())
        bot.inbox.failure = Unavailable("inbox_down")
        await bot.clicks("U1", message, "adpolicy_choose:0")
        assert bot.told("U1") == [said.NOT_TAKEN]


class TestSharing:
    async def test_it_is_asked_again_for_everybody_in_the_channel(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, private=True, groups=("legal",))
        await bot.clicks("U1", message, "Share to channel")
        done = await bot.slack.person("U1").submits(bot.modal("U1"))
        assert done.errors == {}
        [question] = bot.asked
        address = slack_address(question.reply_address)
        assert question.private is False
        assert (address.channel, address.thread, address.to_asker, address.shared_by) == ("C1", "", False, "U1")
        cited = {passages_of(PUBLIC)[1].chunk.chunk_id, passages_of(CLOSED)[0].chunk.chunk_id}
        assert set(address.shared_chunks.split()) == cited
        assert bot.slack.workspace.find("C1", message.ts) is not None  # the private one stays

    async def test_it_is_asked_for_the_place_that_was_the_default_where_it_was_asked(self, bot: Answers) -> None:
        """Another channel may have another default: what is shared there is the same."""
        assumed = replies.scope(regions=("uk",), policy_sources=("acme",), inferred=("policy_sources",))
        answer = replace(uk_answer(PUBLIC), scope=replace(assumed, assumed=("as_of", "regions")))
        message = await bot.give(answer, PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        await bot.slack.person("U1").submits(bot.modal("U1"))
        [question] = bot.asked
        assert (question.filters, question.as_of) == (Filters(regions=("uk",)), None)

    async def test_twice_into_one_channel_is_once(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        for _ in range(2):
            await bot.clicks("U1", message, "Share to channel")
            await bot.slack.person("U1").submits(bot.modal("U1"))
        await bot.settled()
        assert len(bot.asked) == 1
        assert said.ALREADY_SHARED in bot.told("U1")

    async def test_where_the_bot_is_not_it_says_how_to_invite_it(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {CHANNEL: "C2"})
        assert done.errors == {CHANNEL: slack_said.bot_not_in_channel("adpolicy")}
        assert "/invite @adpolicy" in done.errors[CHANNEL]
        assert bot.asked == []

    async def test_nobody_shares_into_a_channel_that_he_is_not_in(self, bot: Answers) -> None:
        bot.slack.workspace.channels["C7"] = Channel("C7", "others", frozenset({"UBOT", "U2"}))
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {CHANNEL: "C7"})
        assert done.errors == {CHANNEL: said.NOT_YOUR_CHANNEL}
        assert bot.asked == []

    async def test_nothing_private_goes_where_another_company_reads(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {CHANNEL: "C4"})
        assert done.errors == {CHANNEL: said.CHANNEL_READ_ELSEWHERE}
        assert bot.asked == []

    async def test_only_the_asker_shares(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        forged = [_button("adpolicy_share", "a1")]
        await bot.api.chat_update(channel="C1", ts=message.ts, text="x", blocks=forged)
        await bot.clicks("U2", message, "Forged")
        assert bot.slack.person("U2").modal is None
        assert bot.told("U2") == [said.ANSWER_UNREADABLE]
