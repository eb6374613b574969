"""Tell us of changes: a conversation subscribes to what an answer is about."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.access.groups import Access
from bot.alerts.subscribing import Subscribing, SubscriptionCommands, topics_of
from bot.answers.seen import SeenAnswer
from bot.model.outcomes import Admitted
from bot.model.subscriptions import Rhythm
from bot.wording import alerts
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording.teams import NOT_FOR_GUESTS
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from rag_core.questions import Filters, Scope
from tests.fakes.slack_answers import recorded
from tests.fakes.slack_channels import FakeSubscriptions
from tests.fakes.slack_sources import CLOSED, PUBLIC, with_secret
from tests.fakes.teams import TENANT, person_id
from tests.fakes.teams_answers import NOON, TEAM_CHANNEL, Answers, answers_in_teams, said_in
from tests.fakes.web import TODAY, uk_answer

TITLE = "Tell us of changes"
NAMES = {"acme": "_Acme_ *Ads* [x](https://elsewhere.example)"}
ACME = [PolicySource("acme", "Acme Ads", ())]


@pytest.fixture
def kept() -> FakeSubscriptions:
    return FakeSubscriptions()


@pytest.fixture
async def bot(kept: FakeSubscriptions) -> AsyncIterator[Answers]:
    async with answers_in_teams(PUBLIC, CLOSED) as made:
        subscribing = Subscribing(kept, made.store, Access({}, {}), now=lambda: NOON, new_id=lambda: "s1")
        commands = SubscriptionCommands(subscribing, NAMES, 8, "AdPolicy")
        object.__setattr__(made.parts, "subscriptions", commands)
        yield made


async def test_the_conversation_hears_of_what_the_answer_is_about(bot: Answers, kept: FakeSubscriptions) -> None:
    card = bot.give(uk_answer(PUBLIC), PUBLIC)
    assert said_in(await bot.clicks(card, TITLE, by=2)) == told.SUBSCRIBED
    [one] = kept.kept
    assert (one.platform, one.workspace, one.channel, one.rhythm) == ("teams", TENANT, TEAM_CHANNEL, Rhythm.AT_ONCE)
    assert one.by == person_id(2)
    assert one.filters == Filters(policy_sources=("acme",), regions=("uk",), sections=("alcohol",))
    [written] = bot.outbound.written
    expected = alerts.subscribed("Person 2", one.filters, one.rhythm, 8, NAMES)
    assert expected in str(written.activity["text"])
    assert written.activity["textFormat"] == "plain"  # of what is named there nothing is Markdown


async def test_what_subscribes_is_remembered_so_that_it_can_be_told(bot: Answers, kept: FakeSubscriptions) -> None:
    """It may be forgotten since the answer was sent there: without a word an alert would end the subscription."""
    bot.known.rows.clear()
    card = bot.give(uk_answer(PUBLIC), PUBLIC)
    assert said_in(await bot.clicks(card, TITLE, by=2)) == told.SUBSCRIBED
    assert [each.channel for each in bot.known.rows] == [TEAM_CHANNEL]


async def test_what_goes_wrong_only_who_clicked_hears(bot: Answers, kept: FakeSubscriptions) -> None:
    card = bot.give(uk_answer(PUBLIC), PUBLIC)
    bot.store.error = Unavailable("store_down")
    assert said_in(await bot.clicks(card, TITLE)) == alerts.subscribing_failed("AdPolicy subscribe")
    assert (kept.kept, bot.outbound.written) == ([], [])


async def test_people_of_other_organisations_subscribe_nothing(bot: Answers, kept: FakeSubscriptions) -> None:
    """Also where they are answered."""
    card = bot.give(uk_answer(PUBLIC), PUBLIC)
    bot.rule.says = Admitted.PUBLIC_ONLY
    assert said_in(await bot.clicks(card, TITLE, by=2)) == NOT_FOR_GUESTS
    assert (kept.kept, bot.outbound.written) == ([], [])


async def test_an_answer_that_is_gone_subscribes_nothing(bot: Answers, kept: FakeSubscriptions) -> None:
    card = bot.give(uk_answer(PUBLIC), PUBLIC)
    bot.given.answers.clear()
    assert said_in(await bot.clicks(card, TITLE)) == said.ANSWER_UNREADABLE
    assert kept.kept == []


async def test_what_not_everybody_there_may_see_is_not_followed(bot: Answers, kept: FakeSubscriptions) -> None:
    card = bot.give(uk_answer(PUBLIC), PUBLIC)
    bot.store.writes = []
    assert said_in(await bot.clicks(card, TITLE)) == alerts.nothing_to_follow("AdPolicy")
    assert (kept.kept, bot.outbound.written) == ([], [])


class TestTopics:
    def test_platforms_that_are_not_known_to_everybody_are_left_out(self) -> None:
        both = self._seen(Scope(TODAY, policy_sources=("acme", "hidden")))
        assert topics_of(both, ACME).policy_sources == ("acme",)
        assert topics_of(self._seen(Scope(TODAY, policy_sources=("hidden",), regions=("uk",))), ACME) == Filters()

    def test_without_a_platform_in_the_question_it_is_those_that_are_cited(self) -> None:
        assert topics_of(self._seen(Scope(TODAY)), ACME).policy_sources == ("acme",)

    @staticmethod
    def _seen(scope: Scope) -> SeenAnswer:
        answer = replace(with_secret(), scope=scope)
        return SeenAnswer(recorded(answer, PUBLIC, answer_id="a1", channel="C1"), is_own=True)
