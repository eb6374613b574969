"""RateLimits: counted against a person, a channel and a workspace together, or against none."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.local.limits import LocalRateLimits
from bot.model.messages import Actor, Conversation
from bot.questions.limits import Allowances, allowances_from
from tests.fakes.keepers import HOSTILE, KINDS, MAKERS, Keepers, all_of, redis_keepers

ANN = Actor("slack", "T1", "U1")
BOB = Actor("slack", "T1", "U2")
HERE = Conversation("slack", "T1", "C1", "1.1")
THERE = Conversation("slack", "T1", "C2")
ELSEWHERE = Conversation("slack", "T2", "C1")


@pytest.fixture(params=KINDS)
async def keepers(request: pytest.FixtureRequest) -> AsyncIterator[Keepers]:
    async with MAKERS[request.param]() as made:
        yield made


async def test_so_many_and_no_more(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from(person="3/minute"))
    assert [await limits.hit(ANN, HERE) for _ in range(3)] == [0, 0, 0]
    assert 55 < await limits.hit(ANN, HERE) <= 60
    assert await limits.hit(BOB, HERE) == 0


async def test_without_limits_everybody_may_ask(keepers: Keepers) -> None:
    limits = keepers.limits(Allowances())
    assert await all_of([limits.hit(ANN, HERE) for _ in range(200)]) == [0] * 200


async def test_of_many_at_once_so_many_pass(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from("50/minute", "40/minute", "30/minute"))
    waits = await all_of([limits.hit(ANN, HERE) for _ in range(200)])
    assert len([wait for wait in waits if wait == 0]) == 30


async def test_a_thread_counts_for_its_channel(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from(channel="2/minute"))
    assert await limits.hit(ANN, HERE) == 0
    assert await limits.hit(BOB, Conversation("slack", "T1", "C1", "other")) == 0
    assert await limits.hit(BOB, HERE) > 0
    assert await limits.hit(ANN, THERE) == 0
    assert await limits.hit(ANN, ELSEWHERE) == 0


async def test_a_workspace_counts_all_its_channels(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from(workspace="2/minute"))
    assert await limits.hit(ANN, HERE) == 0
    assert await limits.hit(BOB, THERE) == 0
    assert await limits.hit(ANN, None) > 0
    assert await limits.hit(ANN, ELSEWHERE) == 0


async def test_where_there_is_no_conversation_there_is_no_channel(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from("2/minute", "1/minute", ""))
    assert [await limits.hit(ANN, None) for _ in range(2)] == [0, 0]
    assert await limits.hit(ANN, None) > 0


async def test_what_one_limit_refuses_is_counted_against_none(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from("1/minute", "2/minute", "3/minute"))
    assert await limits.hit(ANN, HERE) == 0
    for _ in range(5):
        assert await limits.hit(ANN, HERE) > 0  # by the person's limit
    assert await limits.hit(BOB, HERE) == 0
    for _ in range(5):
        assert await limits.hit(Actor("slack", "T1", "U3"), HERE) > 0  # by the channel's
    assert await limits.hit(Actor("slack", "T1", "U3"), THERE) == 0
    assert await limits.hit(Actor("slack", "T1", "U4"), THERE) > 0  # by the workspace's


async def test_the_longest_wait_is_told(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from("1/second", "1/hour", "1/minute"))
    assert await limits.hit(ANN, HERE) == 0
    assert 3500 < await limits.hit(ANN, HERE) <= 3600


async def test_the_window_moves(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from(person="2/second"))
    assert await limits.hit(ANN, HERE) == 0
    await keepers.wait(0.6)
    assert await limits.hit(ANN, HERE) == 0
    wait = await limits.hit(ANN, HERE)
    assert 0 < wait <= 0.4
    await keepers.wait(wait)
    assert await limits.hit(ANN, HERE) == 0
    assert 0.1 < await limits.hit(ANN, HERE) < 1.01 - wait  # until the second one is a second old


async def test_who_waits_as_told_may_ask(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from(person="3/second", workspace="4/second"))
    for _ in range(8):
        wait = await limits.hit(ANN, HERE)
        if wait:
            await keepers.wait(wait)
            assert await limits.hit(ANN, HERE) == 0


async def test_odd_ids_are_ids(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from("1/minute", "1/minute", "1/minute"))
    who = [(Actor(odd, odd, odd), Conversation(odd, odd, odd, odd)) for odd in HOSTILE]
    assert await all_of([limits.hit(*each) for each in who]) == [0] * len(HOSTILE)
    assert all(wait > 0 for wait in await all_of([limits.hit(*each) for each in who]))


async def test_ids_that_look_alike_when_joined_are_different(keepers: Keepers) -> None:
    limits = keepers.limits(allowances_from(channel="1/minute", person="1/minute"))
    for workspace, channel in (("a", "b:c"), ("a:b", "c"), ('a", "b', "c"), ("a", 'b", "c')):
        assert await limits.hit(Actor("slack", workspace, channel), Conversation("slack", workspace, channel)) == 0


_LIMITS = st.sampled_from(["", "1/hour", "2/hour", "3/hour", "5/hour"])
_HITS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "c", "d"])), max_size=15)


@pytest.mark.services
@given(person=_LIMITS, channel=_LIMITS, workspace=_LIMITS, hits=_HITS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_both_kinds_decide_alike(person: str, channel: str, workspace: str, hits: list[tuple[str, str]]) -> None:
    allowances = allowances_from(person, channel, workspace)
    async with redis_keepers() as keepers:
        here, there = LocalRateLimits(allowances, clock=lambda: 0.0), keepers.limits(allowances)
        for who, channel_id in hits:
            actor = Actor("slack", "T1", who)
            conversation = Conversation("slack", "T1", channel_id) if channel_id else None
            expected, got = await here.hit(actor, conversation), await there.hit(actor, conversation)
            assert (got == 0) == (expected == 0)
            assert abs(got - expected) < 30
