"""What a channel's settings and its audience mean for a question: taken on the way in, and before it is answered."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from bot.model.channels import ChannelPreferences
from bot.model.outcomes import Admitted, Rejection, concerns_asker_alone
from bot.wording import rejection
from rag_core.errors import Unavailable
from rag_core.questions import Filters
from tests.fakes.channel_settings import FakeAdmission, FakeChannelSettings
from tests.fakes.clock import FakeClock
from tests.fakes.office import Office, ended, outcome_of, question
from tests.fakes.service import REPLY

UK = ChannelPreferences(("uk",), ("acme",))


async def test_a_question_keeps_the_defaults_of_the_moment_it_was_accepted(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    settings = FakeChannelSettings()
    settings.set["slack", "T1", "C1"] = UK
    office = Office(sql_inbox, clock, settings=settings)
    await office.service.accept(question())
    settings.set["slack", "T1", "C1"] = ChannelPreferences(("fr",))
    assert not await office.service.accept(question(question_id="again"))
    office.asking.failures.append(Unavailable("index_unreachable"))
    async with office.open():
        await ended(engine, "sent")
    assert [each.defaults for each in office.asking.asked] == [Filters(("acme",), ("uk",))] * 2


async def test_another_channel_has_others(sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine) -> None:
    settings = FakeChannelSettings()
    settings.set["slack", "T1", "C1"] = UK
    office = Office(sql_inbox, clock, settings=settings)
    async with office.open():
        await office.service.accept(question(channel="C2"))
        await ended(engine, "sent")
    assert office.asking.asked[0].defaults == Filters()


async def test_settings_that_cannot_be_read_keep_nobody_from_asking(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.questions.service._SETTINGS_SECONDS", 0.01)
    settings = FakeChannelSettings()
    office = Office(sql_inbox, clock, settings=settings)
    settings.failure = Unavailable("store_unreachable")
    assert await office.service.accept(question(1))
    settings.slow.clear()
    assert await office.service.accept(question(2))
    async with office.open():
        await ended(engine, "sent", "sent")
    assert [each.defaults for each in office.asking.asked] == [Filters()] * 2
    assert len(office.log.lines) == 2


@pytest.mark.parametrize("admitted", [Admitted.NOT_HERE, Admitted.NOT_TO_GUESTS])
async def test_who_is_not_answered_hears_why_and_nothing_is_asked(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine, admitted: Admitted
) -> None:
    office = Office(sql_inbox, clock, admissions={"slack": FakeAdmission(admitted)})
    outcome = await outcome_of(office, engine)
    assert outcome == Rejection(f"asked_{admitted}", {})
    assert office.asking.asked == []
    assert isinstance(outcome, Rejection)
    assert "Not answered" in rejection(outcome).title
    assert concerns_asker_alone(outcome)


@pytest.mark.parametrize(("admitted", "groups"), [(Admitted.PUBLIC_ONLY, frozenset()), (Admitted.ALLOWED, None)])
async def test_outside_people_are_answered_as_if_they_were_in_no_group(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine, admitted: Admitted, groups: frozenset[str] | None
) -> None:
    office = Office(sql_inbox, clock, admissions={"slack": FakeAdmission(admitted)})
    assert await outcome_of(office, engine) == REPLY
    assert [each.groups for each in office.asking.asked] == [groups]


@pytest.mark.parametrize(
    ("outcome", "alone"),
    [
        (Rejection("rate_limited", {"seconds": 9}), True),
        (Rejection("question_too_long", {}), False),
        (REPLY, False),
    ],
)
def test_what_concerns_the_asker_alone(outcome: Rejection, alone: bool) -> None:
    assert concerns_asker_alone(outcome) is alone
