"""ModelUsage: calls of language models are kept once, added up, and forgotten, on every database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.people.model_usage import SqlModelUsage
from adapters.sql.tables.policies import model_calls
from bot.model_usage import ModelCall, UsageKey, UsageTotal

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
CALL = ModelCall("c1", NOON, "small", "answer", "answered", 100, 20, counted=True, seconds=1.5, cost=0.25)


@pytest.fixture
def usage(engine: AsyncEngine) -> SqlModelUsage:
    return SqlModelUsage(engine)


async def test_nothing_was_called(usage: SqlModelUsage) -> None:
    await usage.save([])
    assert await usage.totals(LONG_AGO, UsageKey.MODEL) == []
    assert await usage.remove_before(NOON) == 0


async def test_a_call_is_kept_once(usage: SqlModelUsage) -> None:
    await usage.save([CALL])
    await usage.save([replace(CALL, prompt_tokens=7), replace(CALL, call_id="c2")])
    assert await usage.totals(LONG_AGO, UsageKey.MODEL) == [UsageTotal("small", 2, 200, 40, 3.0, 0.5)]


async def test_calls_are_added_up_by_what_is_asked(usage: SqlModelUsage) -> None:
    await usage.save(
        [
            CALL,
            replace(CALL, call_id="c2", role="rewrite", model="fast", cost=None, counted=False),
            replace(CALL, call_id="c3", outcome="model_slow", completion_tokens=0, cost=0.5),
        ]
    )
    assert await usage.totals(LONG_AGO, UsageKey.ROLE) == [
        UsageTotal("answer", 2, 200, 20, 3.0, 0.75),
        UsageTotal("rewrite", 1, 100, 20, 1.5, None, unpriced=1, estimated=1),
    ]
    assert [(each.key, each.calls) for each in await usage.totals(LONG_AGO, UsageKey.OUTCOME)] == [
        ("answered", 2),
        ("model_slow", 1),
    ]
    assert [each.key for each in await usage.totals(LONG_AGO, UsageKey.MODEL)] == ["fast", "small"]


async def test_days_are_those_of_utc(usage: SqlModelUsage) -> None:
    late = datetime(2026, 6, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    await usage.save([CALL, replace(CALL, call_id="c2", at=late)])
    assert [each.key for each in await usage.totals(LONG_AGO, UsageKey.DAY)] == ["2026-06-01", "2026-06-02"]


async def test_what_is_older_is_left_out_or_removed(usage: SqlModelUsage) -> None:
    await usage.save([CALL, replace(CALL, call_id="c2", at=NOON - timedelta(seconds=1))])
    assert [each.calls for each in await usage.totals(NOON, UsageKey.MODEL)] == [1]
    assert await usage.remove_before(NOON) == 1
    assert [each.calls for each in await usage.totals(LONG_AGO, UsageKey.MODEL)] == [1]


async def test_many_calls_at_once(usage: SqlModelUsage) -> None:
    await usage.save([replace(CALL, call_id=f"c{number}", cost=None) for number in range(2_500)])
    (total,) = await usage.totals(LONG_AGO, UsageKey.MODEL)
    assert (total.calls, total.unpriced, total.cost) == (2_500, 2_500, None)


@pytest.mark.parametrize("wrong", [{"prompt_tokens": -1}, {"seconds": -0.1}, {"cost": -1.0}, {"model": None}])
async def test_the_database_takes_no_impossible_amounts(engine: AsyncEngine, wrong: dict[str, object]) -> None:
    row = {name: getattr(CALL, name) for name in model_calls.c.keys()} | wrong  # noqa: SIM118 - columns are no dict
    async with engine.connect() as connection:
        with pytest.raises(IntegrityError):
            await connection.execute(model_calls.insert().values(row))
