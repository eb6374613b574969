"""What one can click on an answer in Slack: by whom, with what result, and what it must never show."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from adapters.slack.addresses import slack_address
from bot import wording_slack_answers as said
from bot.messages import Actor
from bot.own_answers import SHOWN_IN
from bot.render.slack_modals import CHANNEL, COMMENT, REASONS
from bot.render.slack_scope import DAY, MATERIAL, PLACE, PLATFORM
from ops.sandbox.slack.troubles import Trouble
from ops.sandbox.slack.workspace import Channel
from rag_core.answers import Answer, Citation, Statement
from rag_core.documents import Classification
from rag_core.errors import Unavailable
from rag_core.questions import Filters
from tests.fakes import replies
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.slack_answers import NAMES, QUESTION, Answers, answers_in_slack, texts
from tests.fakes.web import QUOTE, uk_answer

PUBLIC = make_write()
SECRET = "Zeppelin adverts wait for the launch in May."  # pragma: allowlist secret
CLOSED = make_write(
    make_version(
        "acme_launch",
        title="Launch plan",
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal"}),
    ),
    (Section("Zeppelins", SECRET),),
)


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_slack(PUBLIC, CLOSED) as made:
        yield made


def with_secret() -> Answer:
    """The public answer, and a statement out of the document that only one group may see."""
    answer, closed = uk_answer(PUBLIC), uk_answer(CLOSED, SECRET)
    cited: Citation = replace(closed.citations[0], number=2)
    return replace(
        answer,
        citations=(*answer.citations, cited),
        statements=(*answer.statements, Statement(SECRET, (2,), ())),
    )


class TestFeedback:
    async def test_useful_is_kept_at_once_and_only_who_clicked_is_thanked(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Useful")
        [opinion] = bot.feedback.kept.values()
        assert (opinion.rating, opinion.given_from, opinion.person) == ("useful", "slack", NAMES.of(ACTOR))
        assert bot.told("U1") == [said.thanks()]
        assert bot.told("U2") == []

    async def test_it_is_kept_before_slack_is_acknowledged(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        seen = await bot.slack.person("U1").clicks(message, "Useful")
        assert seen.status == 200
        assert len(bot.feedback.kept) == 1

    async def test_others_who_see_it_have_an_opinion_of_their_own(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        for user in ("U1", "U2", "U2"):
            await bot.clicks(user, message, "Useful")
        people = {each.person for each in bot.feedback.kept.values()}
        assert people == {NAMES.of(Actor("slack", "T1", user)) for user in ("U1", "U2")}

    async def test_not_useful_asks_why(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U2", message, "Not useful")
        assert bot.feedback.kept == {}
        done = await bot.slack.person("U2").submits(
            bot.modal("U2"), {REASONS: ["outdated", "unclear"], COMMENT: "Since May, no."}
        )
        assert done.errors == {}
        [opinion] = bot.feedback.kept.values()
        assert (opinion.rating, opinion.reasons) == ("not_useful", ("outdated", "unclear"))
        assert opinion.comment == "Since May, no."
        assert opinion.person == NAMES.of(Actor("slack", "T1", "U2"))
        await bot.settled()
        assert bot.told("U2") == [said.thanks()]

    async def test_no_reason_and_no_comment_is_asked_for(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Not useful")
        done = await bot.slack.person("U1").submits(bot.modal("U1"))
        assert done.errors == {REASONS: said.choose_a_reason()}

    async def test_what_was_typed_stays_when_it_cannot_be_kept(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Not useful")
        bot.given.error = Unavailable("store_down")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {COMMENT: "Wrong."})
        assert done.errors == {COMMENT: said.feedback_not_kept()}
        assert bot.slack.person("U1").modal is not None

    async def test_of_a_private_answer_only_the_asker_has_one(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Useful")
        assert len(bot.feedback.kept) == 1
        # a button that somebody else would have, with the id of the private answer in it
        forged = await bot.give(uk_answer(PUBLIC), PUBLIC, answer_id="a2")
        bot.given.answers["a2"] = replace(bot.given.answers["a1"], answer_id="a2")
        await bot.clicks("U2", forged, "Useful")
        assert len(bot.feedback.kept) == 1
        assert bot.told("U2") == [said.answer_unreadable()]

    async def test_nobody_rates_from_another_channel_or_workspace(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        record = bot.given.answers["a1"]
        notes = {**(record.trace or {}), "notes": {SHOWN_IN: "C9"}}
        for changed in (replace(record, trace=notes), replace(record, workspace="T9"), replace(record, trace=None)):
            bot.given.answers["a1"] = replace(changed, person="somebody")
            await bot.clicks("U2", message, "Useful")
        assert bot.feedback.kept == {}


ACTOR = Actor("slack", "T1", "U1")
BUTTONS = ("Show sources", "Change scope", "Not useful")


class TestWhoClicks:
    @pytest.mark.parametrize("button", BUTTONS)
    async def test_an_answer_that_is_gone_is_a_kind_sentence_and_nothing_else(self, bot: Answers, button: str) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.given.answers.clear()
        await bot.clicks("U1", message, button)
        assert bot.told("U1") == [said.answer_unreadable()]
        assert bot.slack.person("U1").modal is None
        assert (bot.asked, bot.feedback.kept) == ([], {})

    @pytest.mark.parametrize("button", BUTTONS)
    async def test_somebody_elses_private_answer_opens_nothing(self, bot: Answers, button: str) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        record = bot.given.answers["a1"]
        bot.given.answers["a1"] = replace(record, trace={**(record.trace or {}), "notes": {"groups": ["legal"]}})
        await bot.clicks("U2", message, button)
        assert bot.told("U2") == [said.answer_unreadable()]
        assert bot.slack.person("U2").modal is None

    @pytest.mark.parametrize("value", ["", "x" * 1_000, "a1/", "/1", "a1/99", "a1/-1", "a1/x", "../1"])
    async def test_a_forged_value_is_a_kind_sentence(self, bot: Answers, value: str) -> None:
        message = await bot.give(replies.clarification())
        forged = [_button("adpolicy_choose:0", value or "-")]
        await bot.api.chat_update(channel="C1", ts=message.ts, text="x", blocks=forged)
        await bot.clicks("U1", message, "Forged")
        assert bot.told("U1") == [said.answer_unreadable()]
        assert bot.asked == []

    async def test_the_store_being_down_is_said(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.given.error = Unavailable("store_down")
        await bot.clicks("U1", message, "Show sources")
        assert bot.told("U1") == [said.not_readable_now()]

    async def test_in_a_thread_the_sentence_stands_in_the_thread(self, bot: Answers) -> None:
        question = await bot.slack.person("U1").says("hello")
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, thread=question.ts)
        await bot.clicks("U1", message, "Useful")
        [told] = [each for each in bot.slack.person("U1").ephemeral() if each.text == said.thanks()]
        assert told.thread_ts == question.ts


def _button(action_id: str, value: str) -> dict[str, Any]:
    text = {"type": "plain_text", "text": "Forged"}
    return {
        "type": "actions",
        "elements": [{"type": "button", "action_id": action_id, "text": text, "value": value}],
    }


class TestReading:
    async def test_sources_show_the_quote_in_context(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U2", message, "Show sources")
        shown = texts(bot.modal("U2"))
        assert QUOTE in shown
        assert "must not be addressed to minors" in shown  # stands before it in the document
        assert "In Germany, alcohol ads are not allowed" in shown  # and behind it
        assert "https://ads.example/acme_alcohol" in shown
        assert "in force since 1 January 2026" in shown

    async def test_the_modal_is_there_at_once_and_filled_afterwards(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Show sources")
        first, second = [each for each in bot.slack.calls if each.method.startswith("views.")]
        assert (first.method, second.method) == ("views.open", "views.update")
        assert said.loading() in str(first.arguments)
        assert QUOTE not in str(first.arguments)

    async def test_what_the_clicker_may_not_see_is_left_out_without_a_hint(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        await bot.clicks("U1", message, "Show sources")
        assert "Zeppelin" in texts(bot.modal("U1"))
        await bot.clicks("U2", message, "Show sources")
        shown = texts(bot.modal("U2"))
        assert QUOTE in shown
        assert "Zeppelin" not in shown
        assert "Launch" not in shown
        plain = await bot.give(uk_answer(PUBLIC), PUBLIC, answer_id="a2")
        await bot.clicks("U3", plain, "Show sources")
        assert shown == texts(bot.modal("U3"))

    async def test_groups_that_cannot_be_looked_up_are_none(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        bot.directory.down = True
        await bot.clicks("U1", message, "Show sources")
        assert "Zeppelin" not in texts(bot.modal("U1"))

    async def test_documents_that_are_gone_since_are_named_as_such(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.store.writes = []
        await bot.clicks("U2", message, "Show sources")
        assert said.sources_gone(1) in texts(bot.modal("U2"))

    async def test_to_those_who_could_not_see_all_nothing_is_said_to_be_gone(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        bot.store.writes = []
        await bot.clicks("U2", message, "Show sources")
        assert texts(bot.modal("U2")) == said.no_sources() or said.sources_gone(2) not in texts(bot.modal("U2"))
        assert "not on file" not in texts(bot.modal("U2"))

    async def test_a_store_that_is_down_is_said_in_the_modal(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.store.error = Unavailable("store_down")
        await bot.clicks("U1", message, "Show sources")
        assert said.not_readable_now() in texts(bot.modal("U1"))

    async def test_more_shows_the_whole_answer(self, bot: Answers) -> None:
        message = await bot.give(long_answer(), PUBLIC)
        told = [n for n in range(30) if f"Rule {n}:" in str(message.blocks)]
        assert 0 < len(told) < 30
        await bot.clicks("U2", message, "More")
        shown = texts(bot.modal("U2"))
        assert all(f"Rule {n}:" in shown for n in range(30))
        assert "Restricted in the United Kingdom" in shown

    async def test_more_leaves_out_what_the_clicker_may_not_see_and_what_may_come_of_it(self, bot: Answers) -> None:
        answer = with_secret()
        message = await bot.give(
            replace(answer, statements=(*long_answer().statements, *answer.statements[1:])),
            PUBLIC,
            CLOSED,
            groups=("legal",),
        )
        await bot.clicks("U2", message, "More")
        shown = texts(bot.modal("U2"))
        assert "Rule 29:" in shown
        assert "Zeppelin" not in shown
        assert "Launch" not in shown
        assert "Restricted in" not in shown  # a verdict may be read out of what is hidden

    async def test_a_modal_that_slack_does_not_open_harms_nothing(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.slack.trouble("views.open", Trouble(200, "expired_trigger_id"))
        await bot.clicks("U1", message, "Show sources")
        assert bot.slack.person("U1").modal is None


def long_answer() -> Answer:
    answer = uk_answer(PUBLIC)
    statements = tuple(Statement(f"Rule {n}: " + "word " * 60, (1,), ()) for n in range(30))
    return replace(answer, statements=statements)


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
        assert bot.told("U1") == [said.already_asked()]

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
        assert bot.told("U1") == [said.not_taken()]


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

    async def test_twice_into_one_channel_is_once(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        for _ in range(2):
            await bot.clicks("U1", message, "Share to channel")
            await bot.slack.person("U1").submits(bot.modal("U1"))
        await bot.settled()
        assert len(bot.asked) == 1
        assert said.already_shared() in bot.told("U1")

    async def test_where_the_bot_is_not_it_says_how_to_invite_it(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {CHANNEL: "C2"})
        assert done.errors == {CHANNEL: said.bot_not_in_channel("adpolicy")}
        assert "/invite @adpolicy" in done.errors[CHANNEL]
        assert bot.asked == []

    async def test_nobody_shares_into_a_channel_that_he_is_not_in(self, bot: Answers) -> None:
        bot.slack.workspace.channels["C7"] = Channel("C7", "others", frozenset({"UBOT", "U2"}))
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {CHANNEL: "C7"})
        assert done.errors == {CHANNEL: said.not_your_channel()}
        assert bot.asked == []

    async def test_nothing_private_goes_where_another_company_reads(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Share to channel")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {CHANNEL: "C4"})
        assert done.errors == {CHANNEL: said.channel_read_elsewhere()}
        assert bot.asked == []

    async def test_only_the_asker_shares(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        forged = [_button("adpolicy_share", "a1")]
        await bot.api.chat_update(channel="C1", ts=message.ts, text="x", blocks=forged)
        await bot.clicks("U2", message, "Forged")
        assert bot.slack.person("U2").modal is None
        assert bot.told("U2") == [said.answer_unreadable()]
