"""The load that chat platforms are measured with, and what is counted of it."""

from collections import Counter
from dataclasses import replace

from aiohttp import web
from aiohttp.test_utils import TestServer

from ops.bench.chat.load import Asked, Ended, Load, Way, matched, percentile, told
from ops.bench.chat.measuring import open_front
from ops.bench.chat.slack import PlayedSlack
from ops.bench.chat.teams import PlayedTeams
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.teams import teams_stand_in
from tests.fakes.slack import client

LOAD = Load(rate=20.0, seconds=60.0, burst=100)


def test_a_load_is_what_it_says_and_the_same_each_time() -> None:
    acts = list(LOAD.acts())
    assert acts == list(LOAD.acts())
    assert len(acts) == 1300
    assert all(0 <= act.at < 60 for act in acts[:1200])
    assert all(60 <= act.at <= 61 for act in acts[1200:])
    assert [act.at for act in acts] == sorted(act.at for act in acts)
    assert len({act.channel for act in acts}) >= 40
    ways = Counter(act.way for act in acts)
    assert 0.01 < ways.pop(Way.MALFORMED) / len(acts) < 0.04
    assert min(ways.values()) > 250
    assert 0.07 < sum(act.again for act in acts) / len(acts) < 0.13


def test_no_channel_is_asked_more_than_a_platform_lets_the_bot_post() -> None:
    by_channel = Counter((act.channel, int(act.at)) for act in LOAD.acts() if act.at < LOAD.seconds)
    assert max(by_channel.values()) == 1


def test_questions_are_told_apart_by_what_came_of_them() -> None:
    asked = [Asked("a", 10.0), Asked("b", 10.0), Asked("c", 10.0), Asked("never kept", 10.0)]
    shown = [("1", 10.5), ("2", 11.0), ("2", 13.0), ("9", 12.0)]
    seconds, lost, twice, foreign = matched(asked, {"a": "1", "b": "2", "c": "3"}, shown)
    assert (seconds, lost, twice, foreign) == ([0.5, 1.0], ["c", "never kept"], ["b"], 1)


def test_what_a_person_was_told_to_have_failed_is_neither_lost_nor_nobodys() -> None:
    asked = [Asked("told", 10.0, is_due=False), Asked("answered all the same", 10.0, is_due=False)]
    assert matched(asked, {"answered all the same": "1"}, [("1", 12.0)]) == ([2.0], [], [], 0)


async def test_people_of_a_load_are_known_members_in_their_channels() -> None:
    slack = SlackStandIn("http://127.0.0.1:9", "secret")
    PlayedSlack(slack).populate(LOAD)
    acts = list(LOAD.acts())
    assert {f"UB{act.person}" for act in acts} <= slack.workspace.people.keys()
    assert all(f"UB{act.person}" in slack.workspace.channels[f"CB{act.channel}"].members for act in acts)


async def test_people_of_a_load_are_in_the_channels_and_chats_of_teams() -> None:
    people = {act.person + 1 for act in LOAD.acts()}
    async with teams_stand_in() as teams:
        PlayedTeams(teams).populate(LOAD)
        for place in ("bench-0", f"bench-{LOAD.channels - 1}", "talk-0", "talk-19"):
            assert people <= teams.world.place(place).members
            assert teams.world.place(place).is_installed
            assert teams.world.place(place).hears_all  # what they wrote may be looked for


async def test_without_consent_nothing_of_a_load_may_be_looked_for() -> None:
    async with teams_stand_in() as teams:
        PlayedTeams(teams, consents=False).populate(LOAD)
        assert not teams.world.place("bench-0").hears_all
        assert not teams.world.place("talk-0").hears_all
        [_, line] = PlayedTeams(teams, consents=False).figures("killed")
        assert "not consented" in line.text


async def test_of_tokens_those_for_one_service_count_together() -> None:
    """Graph has its own, and only who looks for an answer asks for one."""
    async with teams_stand_in() as teams:
        played = PlayedTeams(teams)
        teams.tokens.fetches.extend([("t", "connector"), ("t", "connector"), ("t", "graph"), ("t", "graph")])
        [line] = played.figures("load")
        assert line.is_met
        teams.tokens.fetches.append(("t", "connector"))
        [line] = played.figures("load")
        assert not line.is_met


def test_percentiles_are_of_the_nearest_rank() -> None:
    values = [float(each) for each in range(1, 101)]
    assert (percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1.0)) == (50.0, 99.0, 100.0)
    assert (percentile([7.0], 0.99), percentile([], 0.5)) == (7.0, 0.0)


def test_each_figure_that_is_missed_is_said_and_counts() -> None:
    good = Ended(2, [0.1, 0.2], [0.1, 0.1], megabytes={"3000": (100.0, 105.0)})
    bad = {
        "acknowledged": replace(good, acknowledged=[0.1, 3.1]),
        "memory": replace(good, megabytes={"3000": (100.0, 111.0)}),
        "died": replace(good, megabytes={"3000": (100.0, 0.0)}),
        "late": replace(good, answered=[31.0, 0.1]),
        "lost": replace(good, lost=["slack:T1:C1:1.1"]),
        "twice": replace(good, twice=["slack:T1:C1:1.1"]),
        "of nobody": replace(good, foreign=1),
        "broken": replace(good, refused=1),
    }
    assert all(line.is_met for line in told("load", LOAD, good, 30.0))
    for what, ended in bad.items():
        missed = [line for line in told("load", LOAD, ended, 30.0) if not line.is_met]
        assert len(missed) == 1, what
        assert "MISSED" in missed[0].text
    slow = replace(good, answered=[0.13, 0.13])
    assert not all(line.is_met for line in told("light", LOAD, slow, 30.0))


async def test_a_worker_that_is_gone_is_left_out() -> None:
    async def answer(request: web.Request) -> web.Response:
        body = await request.read()
        return web.Response(status=202, body=body + request.headers["X-Signed"].encode() + request.path_qs.encode())

    app = web.Application()
    app.router.add_post("/slack/events", answer)
    server = TestServer(app)
    await server.start_server()
    living = str(server.make_url("")).rstrip("/")
    async with open_front(["http://127.0.0.1:9", living]) as front, client() as session:
        for _ in range(4):
            async with session.post(f"{front}/slack/events?a=b", data=b"body ", headers={"X-Signed": "yes"}) as got:
                assert (got.status, await got.read()) == (202, b"body yes/slack/events?a=b")
        await server.close()
        async with session.post(f"{front}/slack/events", data=b"", headers={"X-Signed": ""}) as got:
            assert got.status == 503
