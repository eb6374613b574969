"""Each server killed, paused or emptied while questions are asked: what people see meanwhile, and the way back."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from ops.servers.local_server import LocalServer
from ops.servers.opensearch import OpenSearchServer
from ops.servers.postgresql import PostgresServer
from ops.servers.redis import RedisServer
from tests.fakes.production import QUESTION, Bot, Place, running_bot, until

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]


@pytest.fixture
async def bot(place: Place) -> AsyncIterator[Bot]:
    async with running_bot(place) as running:
        yield running


async def test_the_search_is_down_for_a_while(bot: Bot, opensearch_server: OpenSearchServer) -> None:
    """REST says so; in Slack the question is kept, its asker is told once, and it is answered when it is back."""
    before = await bot.answers()
    await opensearch_server.kill()
    status, problem = await bot.ask()
    assert status == 503
    assert "search" in problem["title"].lower()
    acknowledged = await bot.slack.send_command(QUESTION)
    assert acknowledged.status == 200
    [notice] = await bot.slack.received(1, 60)
    assert "kept" in notice.text
    ready, body = await bot.ready()
    assert ready == 503
    assert body["checks"]["index"]["status"] == "down"
    assert await bot.figure("adpolicy_postponed_questions_total") >= 1
    await opensearch_server.start()
    _, answer = await bot.slack.received(2, 120)
    assert "Restricted in the United Kingdom" in str(answer.blocks)
    after = await bot.answers()
    assert after["statements"] == before["statements"]
    await asyncio.sleep(1)
    assert len(bot.slack.messages) == 2


async def test_the_database_is_down_for_a_while(bot: Bot, place: Place, postgres_server: PostgresServer) -> None:
    """Answers go on from the index's copies and say so; they are recorded later, and nothing is answered twice."""
    before = await bot.answers()
    await postgres_server.kill()
    status, reply = await bot.ask()
    assert status == 200
    assert reply["degraded"] == ["store"]
    assert reply["statements"] == before["statements"]
    acknowledged = await bot.slack.send_command(QUESTION)
    assert acknowledged.status == 200
    [message] = await bot.slack.received(1, 60)
    assert "Restricted in the United Kingdom" in str(message.blocks)
    assert (await bot.slack.redeliver(acknowledged.delivery)).status == 200
    assert (await bot.ready())[1]["checks"]["store"]["status"] == "down"
    await postgres_server.start()
    await bot.answers()

    async def recorded() -> bool:
        rows = await place.rows("SELECT answer_id FROM answers")
        states = await place.rows("SELECT state FROM inbox")
        return reply["answer_id"] in {row["answer_id"] for row in rows} and [*states] == [("sent",)]

    await until(recorded)
    assert (await bot.slack.redeliver(acknowledged.delivery, retry=2)).status == 200
    await asyncio.sleep(1)
    assert len(bot.slack.messages) == 1
    from_slack = await place.rows("SELECT answer_id FROM answers WHERE answered_from = 'slack'")
    assert len(from_slack) == 1


async def test_redis_is_down_and_then_emptied(bot: Bot, redis_server: RedisServer) -> None:
    """History comes from the database; deliveries that are known stay known."""
    await bot.answers()
    first = await bot.slack.send_command(QUESTION)
    await bot.slack.received(1, 60)
    assert (await bot.ask("can I advertise alcohol in Germany", conversation_id="c-1"))[0] == 200
    await redis_server.kill()
    status, reply = await bot.ask("and in the UK?", conversation_id="c-1")
    assert status == 200
    assert reply["degraded"] == ["redis"]
    assert reply["scope"]["regions"] == ["uk"]
    assert reply["verdict"] == "restricted"
    assert (await bot.slack.redeliver(first.delivery)).status == 200
    await redis_server.start()
    await bot.answers("and in Germany?", conversation_id="c-1")
    async with Redis.from_url(redis_server.url) as redis:
        await redis.flushall()
    again = await bot.answers("and in the UK?", conversation_id="c-1")
    assert again["verdict"] == "restricted"
    assert (await bot.slack.redeliver(first.delivery, retry=2)).status == 200
    await asyncio.sleep(1)
    assert len(bot.slack.messages) == 1


@pytest.mark.parametrize("which", ["postgresql", "opensearch", "redis"])
async def test_a_server_that_hangs_holds_up_nobody_for_long(
    which: str,
    bot: Bot,
    postgres_server: PostgresServer,
    opensearch_server: OpenSearchServer,
    redis_server: RedisServer,
) -> None:
    servers: dict[str, LocalServer] = {
        "postgresql": postgres_server,
        "opensearch": opensearch_server,
        "redis": redis_server,
    }
    before = await bot.answers(conversation_id="c-2")
    await servers[which].pause()
    try:
        began = asyncio.get_running_loop().time()
        status, reply = await bot.ask(conversation_id="c-2")
        took = asyncio.get_running_loop().time() - began
        expected = {"postgresql": (200, ["store"]), "opensearch": (503, None), "redis": (200, ["redis"])}
        seen = (status, [each for each in reply["degraded"] if each != "memory"] if status == 200 else None)
        assert seen == expected[which]
        assert took < 25
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(bot.ask() for _ in range(4)))  # by now nobody tries it any more
        assert asyncio.get_running_loop().time() - began < 25
    finally:
        await servers[which].resume()
    after = await bot.answers(conversation_id="c-2")
    assert after["statements"] == before["statements"]
