"""Subscriptions: begun and ended once, and on record."""

from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.subscriptions import SqlSubscriptions
from adapters.sql.database.transactions import fetch
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.audit import audit_personal, audit_records
from adapters.sql.tables.channels import subscriptions as table
from bot.audit.entries import AuditEntry, body_of
from bot.model.subscriptions import Rhythm, Subscription
from rag_core.errors import Unavailable
from rag_core.questions import Filters
from tests.fakes.documents import ACME, make_version, make_write
from tests.fakes.questions import NOON

UK = Filters(regions=("uk",), policy_sources=("acme",))


def make_subscription(number: int = 1, channel: str = "C1", **facts: Any) -> Subscription:
    values: dict[str, Any] = {
        "subscription_id": f"s{number}",
        "platform": "slack",
        "workspace": "T1",
        "channel": channel,
        "rhythm": Rhythm.AT_ONCE,
        "by": "U1",
        "since": NOON,
        "cursor": 0,
    }
    return Subscription(**(values | facts))


@pytest.fixture
def kept(engine: AsyncEngine) -> SqlSubscriptions:
    return SqlSubscriptions(engine, lambda: NOON)


async def acts(engine: AsyncEngine) -> list[tuple[str, str]]:
    """(act, subscription) in the order of the record."""
    chain = (audit_records.c.chain, audit_records.c.sequence)
    rows = await fetch(engine, select(audit_records.c.canonical).order_by(*chain))
    bodies = [body_of(bytes(row[0])) for row in rows]
    return [(body["facts"]["act"], body["subject"]) for body in bodies]


async def test_one_is_begun_and_read_without_who_began_it(kept: SqlSubscriptions, engine: AsyncEngine) -> None:
    assert await kept.begin(make_subscription(filters=UK))
    [found] = await kept.of_channel("slack", "T1", "C1")
    assert found == make_subscription(filters=UK, by="")
    assert await acts(engine) == [("subscribe", "s1")]
    people = await fetch(engine, select(audit_personal.c.person))
    assert [row[0] for row in people] == ["U1"]


async def test_the_same_filters_in_another_order_are_the_same_and_take_the_new_rhythm(
    kept: SqlSubscriptions, engine: AsyncEngine
) -> None:
    await kept.begin(make_subscription(1, filters=Filters(regions=("uk", "de"))))
    assert not await kept.begin(make_subscription(2, filters=Filters(regions=("de", "uk")), rhythm=Rhythm.DAILY))
    [found] = await kept.of_channel("slack", "T1", "C1")
    assert (found.subscription_id, found.rhythm) == ("s1", Rhythm.DAILY)
    assert not await kept.begin(make_subscription(3, filters=Filters(regions=("de", "uk")), rhythm=Rhythm.DAILY))
    assert len(await acts(engine)) == 2, "what changes nothing is not on record"
    assert await kept.begin(make_subscription(4, filters=Filters(regions=("de",))))


async def test_written_twice_because_the_answer_was_lost_it_still_counts_as_new(kept: SqlSubscriptions) -> None:
    assert await kept.begin(make_subscription())
    assert await kept.begin(make_subscription())


async def test_a_new_one_begins_behind_the_last_change(kept: SqlSubscriptions, engine: AsyncEngine) -> None:
    store = SqlVersionStore(engine)
    await store.declare(ACME)
    await store.save([make_write(make_version("acme_kites")), make_write(make_version("acme_drinks"))], [])
    await kept.begin(make_subscription())
    [found] = await kept.of_channel("slack", "T1", "C1")
    assert found.cursor == 2


async def test_all_of_a_channel_or_one_are_ended_on_record(kept: SqlSubscriptions, engine: AsyncEngine) -> None:
    await kept.begin(make_subscription(1))
    await kept.begin(make_subscription(2, filters=UK))
    await kept.begin(make_subscription(3, "C2"))
    assert await kept.end("slack", "T1", "C2", "U2", "s1") == 0, "of another channel"
    assert await kept.end("slack", "T1", "C1", "U2", "s1") == 1
    assert await kept.end("slack", "T1", "C1", "U2", "s1") == 0
    assert await kept.end("slack", "T1", "C1", "U2") == 1
    assert [each.subscription_id for each in await kept.of_workspace("slack", "T1")] == ["s3"]
    assert (await acts(engine))[3:] == [("unsubscribe", "s1"), ("unsubscribe", "s2")]


async def test_an_uninstalled_workspace_and_a_channel_that_is_gone_end_theirs(
    kept: SqlSubscriptions, engine: AsyncEngine
) -> None:
    for number, workspace in ((1, "T1"), (2, "T2")):
        await kept.begin(make_subscription(number, workspace=workspace))
    assert await kept.remove_workspace("slack", "T1") == 1
    assert await kept.give_up("slack", "T2", "C1", "slack_channel_closed") == 1
    assert await kept.all() == ()
    ended = [each for each in await acts(engine) if each[0] == "subscription_ended"]
    assert ended == [("subscription_ended", "s1"), ("subscription_ended", "s2")]


class Forgetful(SqlSubscriptions):
    """What goes on record cannot be written."""

    def _act(self, *given: Any, **named: Any) -> AuditEntry:
        raise Unavailable("store_down")


async def test_nothing_is_ended_that_is_not_on_record(kept: SqlSubscriptions, engine: AsyncEngine) -> None:
    await kept.begin(make_subscription())
    with pytest.raises(Unavailable):
        await Forgetful(engine).end("slack", "T1", "C1", "U1")
    [(count,)] = await fetch(engine, select(func.count()).select_from(table))
    assert count == 1
