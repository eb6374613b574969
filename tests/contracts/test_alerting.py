"""Alerting: each change once to each channel that wants it, and to nobody who may not see it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.chat.alert_book import SqlAlertBook
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.channels import change_marks, subscriptions
from adapters.sql.tables.policies import policy_changes
from bot.alerts.alerting import Alerting, AlertPace, Following, in_ranges, last_due
from bot.model.notices import Notice
from bot.model.subscriptions import Rhythm
from rag_core.documents import Classification
from rag_core.errors import Unavailable
from tests.fakes.alerts import AT_ONCE, FEBRUARY, JANUARY, KITES, MARCH, NO_KITES, Newsroom
from tests.fakes.documents import Section

RESTRICTED: dict[str, Any] = {"classification": Classification.RESTRICTED, "allowed_groups": frozenset({"legal"})}


@pytest.fixture
async def news(engine: AsyncEngine) -> Newsroom:
    opened = Newsroom(engine)
    await opened.declare()
    return opened


async def test_a_change_is_told_once_to_each_channel_and_history_is_not(news: Newsroom) -> None:
    await news.arrive(JANUARY, KITES)
    await news.subscribe("C1")
    await news.subscribe("C2")
    assert await news.round() == 0
    await news.arrive(FEBRUARY, NO_KITES)
    assert await news.round() == 2
    assert await news.round() == 0
    assert await news.told() == [("C1", "alert", ["changed acme_kites"]), ("C2", "alert", ["changed acme_kites"])]


async def test_two_subscriptions_of_a_channel_that_want_the_same_change_are_one_message(news: Newsroom) -> None:
    await news.arrive(JANUARY, KITES)
    first = await news.subscribe("C1")
    second = await news.subscribe("C1", policy_sources=("acme",))
    await news.subscribe("C1", policy_sources=("other",))
    await news.arrive(FEBRUARY, NO_KITES)
    assert await news.round() == 1
    [notice] = await news.notices()
    assert notice.content["subscriptions"] == [first, second]


async def test_platforms_places_and_topics_choose_what_is_told(news: Newsroom) -> None:
    old = [Section("Kites", KITES), Section("Germany", "Kites are allowed.", ("de",))]
    new = [Section("Kites", KITES), Section("Germany", "Kites are not allowed.", ("de",))]
    await news.arrive(JANUARY, old)
    await news.subscribe("C-de", regions=("de",))
    await news.subscribe("C-uk", regions=("uk",))
    await news.subscribe("C-drinks", sections=("alcohol",))
    await news.subscribe("C-other", policy_sources=("other",))
    await news.arrive(FEBRUARY, new)
    await news.round()
    assert [each[0] for each in await news.told()] == ["C-de"]


async def test_a_mere_change_of_form_is_not_told(news: Newsroom) -> None:
    await news.arrive(JANUARY, "Ads for kites are allowed. Ads for balloons are allowed.")
    await news.subscribe()
    await news.arrive(FEBRUARY, "Ads for kites  are allowed.\nAds for balloons are allowed.")
    await news.round()
    assert await news.told() == []


async def test_what_is_restricted_is_told_where_all_belong_to_its_group(news: Newsroom) -> None:
    await news.arrive(JANUARY, KITES, **RESTRICTED)
    for channel in ("C1", "C-legal", "C-unknown"):
        await news.subscribe(channel)
    await news.arrive(FEBRUARY, NO_KITES, **RESTRICTED)
    assert await news.round() == 3
    assert await news.told() == [("C-legal", "alert", ["changed acme_kites"])]


async def test_who_may_see_it_is_asked_when_it_is_sent(news: Newsroom) -> None:
    await news.arrive(JANUARY, KITES, **RESTRICTED)
    await news.subscribe("C-legal")
    await news.arrive(FEBRUARY, NO_KITES, **RESTRICTED)
    await news.round()
    news.directory.readers["C-legal"] = ("U1", "U2")
    assert await news.told() == []


async def test_while_groups_are_unknown_what_is_not_public_waits(news: Newsroom) -> None:
    await news.arrive(JANUARY, KITES, "acme_open")
    await news.arrive(JANUARY, KITES, "acme_memo", **RESTRICTED)
    await news.subscribe("C-legal")
    await news.arrive(FEBRUARY, NO_KITES, "acme_open")
    await news.arrive(FEBRUARY, NO_KITES, "acme_memo", **RESTRICTED)
    await news.round()
    news.directory.down = True
    public, hidden = await news.notices()
    assert await news.read(public) is not None
    with pytest.raises(Unavailable, match="groups_unknown"):
        await news.read(hidden)
    news.clock.move(hours=2)
    assert await news.read(hidden) is None


async def test_what_was_withdrawn_before_it_was_sent_is_not_told(news: Newsroom, engine: AsyncEngine) -> None:
    await news.arrive(JANUARY, KITES)
    await news.subscribe()
    await news.arrive(FEBRUARY, NO_KITES)
    await news.round()
    await write(engine, lambda connection: connection.execute(delete(policy_changes)))
    assert await news.told() == []


async def test_who_unsubscribed_meanwhile_is_told_nothing(news: Newsroom) -> None:
    await news.arrive(JANUARY, KITES)
    await news.subscribe()
    await news.arrive(FEBRUARY, NO_KITES)
    await news.round()
    await news.subscriptions.end("slack", "T1", "C1", "U1")
    assert await news.told() == []


async def test_a_row_that_is_written_anew_is_not_told_again(news: Newsroom, engine: AsyncEngine) -> None:
    await news.arrive(JANUARY, KITES)
    await news.subscribe("C1")
    await news.arrive(FEBRUARY, NO_KITES)
    await news.round()
    assert len(await news.told()) == 1
    later = await news.subscribe("C2")
    assert later
    await rewrite_last(engine)
    assert await news.round() == 0, "neither to who was told nor to who came later"
    await news.arrive(MARCH, "Ads for kites are restricted.")
    assert await news.round() == 2


async def test_a_row_that_is_written_anew_before_it_was_told_is_told_once(news: Newsroom, engine: AsyncEngine) -> None:
    await news.arrive(JANUARY, KITES)
    await news.subscribe("C1", Rhythm.DAILY)
    await news.arrive(FEBRUARY, NO_KITES)
    await news.round()  # marked, not due
    await rewrite_last(engine)
    news.clock.move(days=1)
    assert await news.round() == 1
    assert await news.told() == [("C1", "digest", ["changed acme_kites"])]


async def rewrite_last(engine: AsyncEngine) -> None:
    """The newest row under a new id, of another version of that day, as a correction leaves it."""
    [(last,)] = await fetch(
        engine, select(policy_changes.c.change_id).order_by(policy_changes.c.change_id.desc()).limit(1)
    )
    its = policy_changes.c.change_id == last
    [row] = await fetch(engine, select(policy_changes).where(its))
    same = {name: value for name, value in row._asdict().items() if name != "change_id"}

    async def rewrite(connection: AsyncConnection) -> None:
        await connection.execute(delete(policy_changes).where(its))
        await connection.execute(insert(policy_changes).values(**same))

    await write(engine, rewrite)


async def test_more_than_a_handful_of_one_source_in_one_run_are_one_message(news: Newsroom) -> None:
    await news.subscribe()
    for number in range(6):
        await news.arrive(JANUARY, KITES, f"acme_{number}")
    assert await news.round() == 1
    [(_, kind, titles)] = await news.told()
    assert (kind, len(titles)) == ("digest", 6)
    for number in range(5):
        await news.arrive(FEBRUARY, NO_KITES, f"acme_{number}")
    assert await news.round() == 5


async def test_a_run_is_told_when_it_has_settled(engine: AsyncEngine) -> None:
    news = Newsroom(engine, AlertPace(settle=60.0, longest_settle=300.0))
    await news.declare()
    await news.subscribe()
    for number in range(3):
        await news.arrive(JANUARY, KITES, f"acme_{number}")
        news.clock.move(seconds=59)
        assert await news.round() == 0
    news.clock.move(seconds=1)
    assert await news.round() == 3
    for number in range(3, 9):
        await news.arrive(JANUARY, KITES, f"acme_{number}")
        news.clock.move(seconds=59)
    assert await news.round() == 1, "what goes on and on is told as well"


async def test_pages_are_read_on_from_where_the_last_ended(engine: AsyncEngine) -> None:
    news = Newsroom(engine, AlertPace(settle=0.0, page=2))
    await news.declare()
    await news.subscribe()
    for number in range(5):
        await news.arrive(JANUARY, KITES, f"acme_{number}")
    assert await news.round() == 5
    assert len({each.notice_id for each in await news.notices()}) == 5


async def test_a_digest_comes_at_its_hour_and_leaves_out_what_was_told_at_once(news: Newsroom) -> None:
    news.clock.now = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)  # a Monday
    await news.subscribe("C1", sections=("gambling",))
    await news.subscribe("C1", Rhythm.DAILY)
    await news.subscribe("C2", Rhythm.WEEKLY)
    await news.arrive(JANUARY, KITES, "acme_kites")
    await news.arrive(JANUARY, [Section("Gambling", "Ads for gambling are not allowed.")], "acme_bets")
    await news.round()
    assert await news.told() == [("C1", "alert", ["added acme_bets"])]
    news.clock.move(hours=1)
    await news.round()
    digests = await news.told()
    assert ("C1", "digest", ["added acme_kites"]) in digests
    assert ("C2", "digest", ["added acme_kites", "added acme_bets"]) in digests
    news.clock.move(days=1)
    assert await news.round() == 0, "an empty digest is not sent"
    await news.arrive(FEBRUARY, NO_KITES)
    news.clock.move(days=1)
    assert await news.round() == 1
    assert [each.channel for each in await news.notices()] == ["C1"]
    news.clock.move(days=5)
    await news.round()
    assert [each.channel for each in await news.notices()] == ["C2"]


class Dying(SqlAlertBook):
    """Dies after writing: nobody hears that it was written."""

    async def tell(self, notices: Sequence[Notice], moved: Mapping[str, int], looked_at: datetime | None) -> None:
        await super().tell(notices, moved, looked_at)
        raise Unavailable("store_down")


class Halfway(SqlAlertBook):
    """Queues, and dies before the cursors are moved."""

    async def tell(self, notices: Sequence[Notice], moved: Mapping[str, int], looked_at: datetime | None) -> None:
        await super().tell(notices, {}, looked_at)
        raise Unavailable("store_down")


@pytest.mark.parametrize("book", [Dying, Halfway])
async def test_nothing_is_told_twice_or_lost_when_a_round_dies(
    news: Newsroom, engine: AsyncEngine, book: type[SqlAlertBook]
) -> None:
    await news.subscribe("C1")
    await news.subscribe("C2", Rhythm.DAILY)
    await news.arrive(JANUARY, KITES)
    news.clock.move(days=1)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await Alerting(book(engine), news.clock, news.log, AT_ONCE).round()
        if book is Dying:
            break
    first = await news.notices()
    await news.round()
    second = await news.notices()
    assert sorted(each.channel for each in first + second) == ["C1", "C2"]
    assert await news.round() == 0


class BookOnABusyDay(SqlAlertBook):
    """While a round is under way, `arrives` once."""

    arrives: Callable[[], Awaitable[None]] | None = None

    async def followings(self) -> tuple[Following, ...]:
        found = await super().followings()
        arrives, self.arrives = self.arrives, None
        if arrives:
            await arrives()
        return found


@pytest.mark.parametrize("rhythm", [Rhythm.AT_ONCE, Rhythm.DAILY])
async def test_what_is_recorded_while_a_round_is_under_way_is_told_by_the_next(
    news: Newsroom, engine: AsyncEngine, rhythm: Rhythm
) -> None:
    await news.arrive(JANUARY, KITES)
    await news.subscribe(rhythm=rhythm)
    await news.arrive(FEBRUARY, NO_KITES)
    book = BookOnABusyDay(engine)
    book.arrives = lambda: news.arrive(MARCH, KITES)
    alerting = Alerting(book, news.clock, news.log, AT_ONCE)
    for _ in range(2):
        news.clock.move(hours=24)
        await alerting.round()
    told = [await news.read(each) for each in await news.notices()]
    assert sorted(str(each.doc_id) for one in told if one for each in (change.change for change in one.changes)) == [
        "acme_kites_2026-02-01",
        "acme_kites_2026-03-01",
    ]


async def test_cursors_never_go_back(news: Newsroom, engine: AsyncEngine) -> None:
    name = await news.subscribe()
    await news.book.tell([], {name: 7}, None)
    await news.book.tell([], {name: 3}, None)
    assert [row[0] for row in await fetch(engine, select(subscriptions.c.cursor))] == [7]


async def test_every_change_is_marked_once_in_steps(news: Newsroom, engine: AsyncEngine) -> None:
    for number in range(3):
        await news.arrive(JANUARY, KITES, f"acme_{number}")
    assert [await news.book.mark(2) for _ in range(3)] == [2, 1, 0]
    rows = await fetch(engine, select(change_marks.c.fingerprint))
    assert len({row[0] for row in rows}) == 3


def test_ids_are_kept_as_runs() -> None:
    assert in_ranges([3, 1, 2, 9, 2]) == [[1, 3], [9, 9]]
    assert in_ranges([]) == []


def test_a_digest_is_due_at_its_hour_and_on_mondays() -> None:
    tuesday = datetime(2026, 3, 3, 7, 59, tzinfo=UTC)
    assert last_due(Rhythm.DAILY, tuesday, 8) == datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert last_due(Rhythm.DAILY, tuesday + timedelta(minutes=1), 8) == datetime(2026, 3, 3, 8, tzinfo=UTC)
    assert last_due(Rhythm.WEEKLY, tuesday, 8) == datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert last_due(Rhythm.WEEKLY, tuesday - timedelta(days=1), 8) == datetime(2026, 2, 23, 8, tzinfo=UTC)
