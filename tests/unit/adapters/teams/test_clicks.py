"""What one can click on an answer in Teams: by whom, and with what result."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from adapters.local.signing import CardSigning
from adapters.teams.actions import asking, dispatch
from adapters.teams.addresses import TeamsReference, teams_address
from adapters.teams.ports import Activity
from bot.model.outcomes import Admitted
from bot.render.scope_form import DAY, PLACE, PLATFORM
from bot.render.teams.view import TeamsInvoke
from bot.wording import answers as said
from bot.wording import choice_label, why_not
from bot.wording import teams as told
from rag_core.answers import Answer, Choice, Statement
from rag_core.errors import Unavailable
from rag_core.questions import Filters
from tests.fakes.slack_answers import QUESTION
from tests.fakes.slack_sources import CLOSED, PUBLIC, SECRET, with_secret
from tests.fakes.teams import CHANNEL, GROUP_CHAT, OTHER_TENANT, TENANT, invoke, person_id, settings
from tests.fakes.teams_answers import (
    TEAM_CHANNEL,
    THREAD,
    Answers,
    actor,
    answers_in_teams,
    button,
    card_of,
    said_in,
    texts,
)
from tests.fakes.web import QUOTE, uk_answer

DIALOGS = ("Show sources", "Change scope")


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_teams(PUBLIC, CLOSED) as made:
        yield made


class TestWhoClicks:
    @pytest.mark.parametrize("title", DIALOGS)
    async def test_an_answer_that_is_gone_is_a_kind_sentence_and_nothing_else(self, bot: Answers, title: str) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.given.answers.clear()
        assert said_in(await bot.clicks(card, title)) == said.ANSWER_UNREADABLE
        assert (bot.inbox.accepted, bot.outbound.written) == ([], [])

    @pytest.mark.parametrize("title", DIALOGS)
    async def test_a_card_that_was_copied_elsewhere_does_nothing(self, bot: Answers, title: str) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        for elsewhere in ("19:other@thread.tacv2", GROUP_CHAT, ""):
            assert said_in(await bot.clicks(card, title, where=elsewhere)) == said.ANSWER_UNREADABLE

    @pytest.mark.parametrize("title", [*DIALOGS, "Tell us of changes"])
    async def test_a_card_that_was_copied_into_another_tenant_does_nothing(self, bot: Answers, title: str) -> None:
        """Also where that is allowed, and its conversation has the same id."""
        object.__setattr__(
            bot.parts, "settings", settings(tenants=frozenset({TENANT, OTHER_TENANT}), app_tenant=TENANT)
        )
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        elsewhere: dict[str, Any] = {"channelData": {"tenant": {"id": OTHER_TENANT}}}
        assert said_in(await bot.clicks(card, title, **elsewhere)) == said.ANSWER_UNREADABLE
        fields = {"adpolicy": "settings"}  # names no answer, so nothing else could refuse it
        signed = {"data": bot.signed(fields, CHANNEL)}
        assert dispatch.click_of(bot.parts, invoke("x", signed, where=CHANNEL), TeamsInvoke.DIALOG_OPEN) is not None
        there = invoke("x", signed, where=CHANNEL, **elsewhere)
        assert dispatch.click_of(bot.parts, there, TeamsInvoke.DIALOG_OPEN) is None

    async def test_in_another_thread_of_the_channel_it_works(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        assert QUOTE in texts(await bot.clicks(card, "Show sources", thread="1700000000999"))

    @pytest.mark.parametrize(
        "change",
        [{"answer": "a2"}, {"adpolicy": "show_more"}, {"signed": "1.answer.AAAA"}, {"signed": None}, {"answer": 7}],
        ids=str,
    )
    async def test_a_forged_payload_does_nothing(self, bot: Answers, change: dict[str, Any]) -> None:
        bot.give(uk_answer(PUBLIC), PUBLIC, answer_id="a2")
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        data = {**button(card, "Show sources")["data"], **change}
        assert said_in(await bot.invoke(TeamsInvoke.DIALOG_OPEN, {"data": data})) == said.ANSWER_UNREADABLE

    @pytest.mark.parametrize("invoke", [TeamsInvoke.CARD_ACTION, TeamsInvoke.DIALOG_OPEN, TeamsInvoke.DIALOG_SUBMIT])
    @pytest.mark.parametrize("value", [{}, {"data": "x"}, {"action": []}, {"action": {"data": {}}}], ids=str)
    async def test_what_is_malformed_is_a_kind_sentence(
        self, bot: Answers, invoke: TeamsInvoke, value: dict[str, Any]
    ) -> None:
        assert said_in(await bot.invoke(invoke, value)) == said.ANSWER_UNREADABLE

    async def test_a_verb_of_another_version_or_another_road_is_a_kind_sentence(self, bot: Answers) -> None:
        for fields in ({"adpolicy": "zorblatt", "answer": "a1"}, {"answer": "a1"}):
            data = bot.signed(fields, CHANNEL)
            assert said_in(await bot.invoke(TeamsInvoke.DIALOG_OPEN, {"data": data})) == said.ANSWER_UNREADABLE
        bot.give(uk_answer(PUBLIC), PUBLIC)
        data = bot.signed({"adpolicy": "show_sources", "answer": "a1"}, CHANNEL)
        wrong = await bot.invoke(TeamsInvoke.CARD_ACTION, {"action": {"verb": "show_sources", "data": data}})
        assert said_in(wrong) == said.ANSWER_UNREADABLE

    async def test_a_card_of_before_the_keys_changed_works_as_long_as_its_key_is_known(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        for keys, works in ((("new", "a-key"), True), (("new",), False)):
            object.__setattr__(bot.parts, "signing", CardSigning(keys))
            reply = await bot.clicks(card, "Show sources")
            assert (QUOTE in texts(reply)) is works
        assert said_in(reply) == said.ANSWER_UNREADABLE

    @pytest.mark.parametrize("title", DIALOGS)
    async def test_somebody_elses_private_answer_opens_nothing(self, bot: Answers, title: str) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        record = bot.given.answers["a1"]
        bot.given.answers["a1"] = replace(record, trace={**(record.trace or {}), "notes": {}})
        assert said_in(await bot.clicks(card, title, by=2)) == said.ANSWER_UNREADABLE

    @pytest.mark.parametrize("title", [*DIALOGS, "Tell us of changes"])
    async def test_who_is_not_admitted_hears_why_and_nothing_is_done(self, bot: Answers, title: str) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.rule.says = Admitted.NOT_TO_GUESTS
        assert said_in(await bot.clicks(card, title, by=2)) == why_not(Admitted.NOT_TO_GUESTS)
        assert bot.inbox.accepted == []

    async def test_the_store_down_is_said_and_is_no_error(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.given.error = Unavailable("store_down")
        assert said_in(await bot.clicks(card, "Show sources")) == told.LATE

    async def test_what_takes_too_long_is_answered_in_time(self, bot: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(dispatch, "_SECONDS", 0.02)
        card = bot.give(uk_answer(PUBLIC), PUBLIC)

        async def never(*_: object, **__: object) -> Admitted:
            await asyncio.sleep(60)
            return Admitted.ALLOWED

        object.__setattr__(bot.parts, "admits", never)
        assert said_in(await bot.clicks(card, "Show sources")) == told.LATE


class TestReading:
    async def test_sources_are_quoted_in_their_context(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        reply = await bot.clicks(card, "Show sources", by=2)
        assert reply["task"]["value"]["title"] == said.SOURCES_TITLE
        assert QUOTE in texts(card_of(reply))

    async def test_each_sees_what_he_may_see_of_it(self, bot: Answers) -> None:
        card = bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        assert SECRET in texts(await bot.clicks(card, "Show sources", by=1))
        assert SECRET not in texts(await bot.clicks(card, "Show sources", by=2))

    async def test_who_may_see_only_what_is_public_sees_that(self, bot: Answers) -> None:
        card = bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        bot.rule.says = Admitted.PUBLIC_ONLY
        assert SECRET not in texts(await bot.clicks(card, "Show sources", by=1))

    async def test_the_whole_answer_is_read_page_by_page(self, bot: Answers) -> None:
        statements = tuple(Statement(f"Rule {n}: " + "word " * 300, (1,), ()) for n in range(40))
        card = bot.give(replace(uk_answer(PUBLIC), statements=statements), PUBLIC)
        seen, reply = [], await bot.clicks(card, "More")
        for _ in range(12):
            seen.append(texts(card_of(reply)))
            if not any(each.get("title") == "Next page" for each in _buttons(card_of(reply))):
                break
            reply = await bot.submits(reply, "Next page")
        assert len(seen) > 1
        assert all(any(f"Rule {number}:" in page for page in seen) for number in range(40))


def _buttons(card: dict[str, Any]) -> list[dict[str, Any]]:
    return list(card.get("actions", []))


class TestScope:
    async def test_it_opens_with_what_the_answer_holds_for_and_platforms_that_may_be_seen(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        shown = texts(card_of(await bot.clicks(card, "Change scope", by=2)))
        assert "United Kingdom" in shown
        assert QUESTION in shown

    async def test_submitted_it_asks_in_the_thread_by_who_clicked(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        form = await bot.clicks(card, "Change scope", by=2)
        filled = {PLACE: "Germany, France", PLATFORM: "acme", DAY: "2026-05-01"}
        assert said_in(await bot.submits(form, "Ask again", filled, by=2)) == told.ASKED
        [question] = bot.inbox.accepted
        assert question.actor == actor(2)
        assert question.text == QUESTION
        assert (question.filters.regions, question.filters.policy_sources) == (("de", "fr"), ("acme",))
        assert question.as_of == date(2026, 5, 1)
        assert (question.private, question.conversation.channel) == (False, TEAM_CHANNEL)
        assert question.conversation.thread == THREAD

    async def test_one_dialog_asks_once_and_two_ask_twice(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        form = await bot.clicks(card, "Change scope")
        await bot.submits(form, "Ask again", {PLACE: "Germany"})
        assert said_in(await bot.submits(form, "Ask again", {PLACE: "Germany"})) == said.ALREADY_ASKED
        again = await bot.clicks(card, "Change scope")
        assert said_in(await bot.submits(again, "Ask again", {PLACE: "Germany"})) == told.ASKED
        assert len(bot.inbox.accepted) == 2

    async def test_what_is_no_place_is_said_and_what_was_typed_stays(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        form = await bot.clicks(card, "Change scope")
        again = await bot.submits(form, "Ask again", {PLACE: "Germany, Zorblatt", DAY: "yesterday"})
        shown = texts(card_of(again))
        assert "“Zorblatt” is not known as a place" in shown
        assert "This is not a day" in shown
        assert "Germany, Zorblatt" in shown
        assert bot.inbox.accepted == []
        assert said_in(await bot.submits(again, "Ask again", {PLACE: "Germany"})) == told.ASKED

    async def test_in_a_personal_chat_it_is_private(self, bot: Answers) -> None:
        card = bot.give(uk_answer(PUBLIC), PUBLIC, where="")
        form = await bot.clicks(card, "Change scope", where="")
        await bot.submits(form, "Ask again", {}, where="")
        [question] = bot.inbox.accepted
        assert question.private
        assert bot.outbound.written == []


class TestChoices:
    async def test_a_choice_is_asked_once_in_the_thread(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        title = choice_label(CHOICE, {})
        assert said_in(await bot.clicks(card, title, by=2)) == told.ASKED
        assert said_in(await bot.clicks(card, title, by=2)) == said.ALREADY_ASKED
        [question] = bot.inbox.accepted
        assert (question.text, question.filters.regions) == (CHOICE.question, ("fr",))
        assert (question.actor, question.conversation.thread) == (actor(2), THREAD)

    async def test_what_is_kept_of_a_click_for_long_names_nobody(self, bot: Answers) -> None:
        """Of an ended question the inbox keeps its claim key."""
        card = bot.give(uk_answer(PUBLIC), PUBLIC)
        form = await bot.clicks(card, "Change scope", by=2)
        await bot.submits(form, "Ask again", {PLACE: "Germany"}, by=2)
        [question] = bot.inbox.accepted
        assert question.actor.person == person_id(2)
        assert person_id(2) not in question.claim_key

    async def test_each_person_asks_for_himself(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        for person in (1, 2):
            await bot.clicks(card, choice_label(CHOICE, {}), by=person)
        assert {each.actor for each in bot.inbox.accepted} == {actor(1), actor(2)}

    async def test_a_message_says_that_it_is_worked_on_and_is_what_the_answer_replaces(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        await bot.clicks(card, choice_label(CHOICE, {}))
        [written] = bot.outbound.written
        assert CHOICE.question in texts(written.activity)
        assert written.to.conversation == f"{CHANNEL};messageid={THREAD}"
        assert teams_address(bot.inbox.accepted[0].reply_address).working == written.id

    async def test_what_was_asked_already_leaves_no_working_message(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        for _ in range(2):
            await bot.clicks(card, choice_label(CHOICE, {}))
        assert len(bot.outbound.shown) == 1

    async def test_what_could_not_be_kept_leaves_no_working_message(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        bot.inbox.failure = Unavailable("inbox_down")
        assert said_in(await bot.clicks(card, choice_label(CHOICE, {}))) == told.LATE
        assert bot.outbound.shown == {}

    async def test_without_a_working_message_it_is_asked_all_the_same(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        bot.outbound.troubles.append(Unavailable("teams_unreachable", delivered="no"))
        assert said_in(await bot.clicks(card, choice_label(CHOICE, {}))) == told.ASKED
        assert teams_address(bot.inbox.accepted[0].reply_address).working == ""

    async def test_a_working_message_that_comes_late_is_taken_back(
        self, bot: Answers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(asking, "SECONDS", 0.01)
        go = asyncio.Event()
        send = bot.outbound.send

        async def slow(to: TeamsReference, activity: Activity) -> str:
            await go.wait()
            return await send(to, activity)

        monkeypatch.setattr(bot.outbound, "send", slow)
        card = bot.give(with_choice(), PUBLIC)
        asyncio.get_running_loop().call_later(0.1, go.set)
        assert said_in(await bot.clicks(card, choice_label(CHOICE, {}))) == told.ASKED
        assert bot.outbound.shown == {}
        assert len(bot.outbound.written) == 1

    async def test_a_choice_that_the_answer_does_not_have_is_a_kind_sentence(self, bot: Answers) -> None:
        bot.give(with_choice(), PUBLIC)
        for number in ("1", "-1", "zero", "", "99999"):
            data = bot.signed({"adpolicy": "choose", "answer": "a1", "choice": number}, CHANNEL)
            reply = await bot.invoke(TeamsInvoke.CARD_ACTION, {"action": {"verb": "choose", "data": data}})
            assert said_in(reply) == said.ANSWER_UNREADABLE
        assert bot.inbox.accepted == []

    async def test_what_only_the_asker_was_shown_is_not_asked_where_others_read(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        record = bot.given.answers["a1"]
        bot.given.answers["a1"] = replace(record, trace={**(record.trace or {}), "notes": {}})
        assert said_in(await bot.clicks(card, choice_label(CHOICE, {}), by=1)) == said.ANSWER_UNREADABLE
        assert (bot.inbox.accepted, bot.outbound.written) == ([], [])

    async def test_a_card_that_begins_its_thread_is_answered_in_it(self, bot: Answers) -> None:
        card = bot.give(with_choice(), PUBLIC)
        where = {"id": CHANNEL, "conversationType": "channel"}
        await bot.clicks(card, choice_label(CHOICE, {}), conversation=where, card="1700000000777")
        assert bot.inbox.accepted[0].conversation.thread == "1700000000777"


CHOICE = Choice("region", "fr", "Can I advertise alcohol in France?", Filters(regions=("fr",)))


def with_choice() -> Answer:
    return replace(uk_answer(PUBLIC), choices=(CHOICE,))
