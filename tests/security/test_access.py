"""Every road on which a restricted document could come out, taken by people who may not see it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from adapters.web.app import web_app
from bot.render.teams.view import TeamsInvoke
from ops.config import Config
from rag_core.questions import Intent
from tests.fakes.web import make_parts
from tests.security.access.attempts import Attempt, Leak, Proof, Road, settled, words_out
from tests.security.access.library import HIDDEN
from tests.security.access.people import LEAVERS, MEMBERS, NOBODY, STRANGERS
from tests.security.access.register import ROADS
from tests.security.access.running import Taken, findings, take_all
from tests.security.access.world import Door, Secret, World, open_world

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
async def worlds(tmp_path: Path) -> AsyncIterator[tuple[World, World]]:
    """On the embedded default: one with hidden documents, and one in which they never were."""
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(open_world(Config(), tmp_path / name, hidden=name == "with"))
            for name in ("with", "without")
        ]
        yield opened[0], opened[1]


@pytest.mark.no_cover  # thousands of answers: their lines are counted where each has a test of its own
async def test_nothing_restricted_comes_out_on_any_road(worlds: tuple[World, World]) -> None:
    world, without = worlds
    found = await take_all(ROADS, world, without)
    assert [line for each in found for line in findings(each)] == []
    of_servers = {"copies in the index", "a thread, remembered in Redis"}  # test_access_on_servers.py
    assert {each.road for each in found} == {each.name for each in ROADS} - of_servers
    assert all(each.attempts > 0 and each.holds for each in found)
    assert sum(each.attempts for each in found) >= 1_000
    assert sum(each.controls for each in found) >= 300


def test_every_route_of_the_web_listener_has_a_road() -> None:
    """A new route fails this until it joins a road (see `tests.security.access.register`)."""
    routes = {
        f"{route.method} {route.resource.canonical}"
        for route in web_app(make_parts()).router.routes()
        if route.method != "HEAD" and route.resource is not None
    }
    taken = {route for road in ROADS for route in road.routes}
    assert {route for route in routes if not any(_is_below(route, each) for each in taken)} == set()
    assert {each for each in taken if not any(_is_below(route, each) for route in routes)} == set()


def test_every_invoke_of_teams_has_a_road() -> None:
    """A new one fails this until it joins a road."""
    assert {each.value for each in TeamsInvoke} == {invoke for road in ROADS for invoke in road.invokes}


def _is_below(route: str, taken: str) -> bool:
    return route == taken or (taken.endswith("/static") and route.startswith(taken))


def test_every_intent_has_a_road() -> None:
    taken = {intent for road in ROADS for intent in road.intents}
    assert taken == {each.value for each in Intent}


def test_roads_have_names_of_their_own() -> None:
    assert len({each.name for each in ROADS}) == len(ROADS)


HIDDEN_MEMO = next(each for each in HIDDEN if each.key == "memo")
SECRET = Secret(HIDDEN_MEMO, "tarrow_vexolune_2024-02-29", ("c-1",), frozenset({"pellingrove", "naïve"}))


@pytest.mark.parametrize(
    "text",
    [
        "ask the Pellingrove desk",
        "PELLINGROVE",
        "Pel&#108;ingrove",
        "/?q=Pellin%67rove",
        '{"text": "Pellin\\u0067rove"}',
        "na\\u00efve",
    ],
)
def test_a_word_is_found_however_it_is_written(text: str) -> None:
    assert words_out(text, [SECRET], "") != ()


def test_what_the_asker_said_himself_is_no_leak() -> None:
    assert words_out("you asked for Pellingrove", [SECRET], "what is Pellingrove?") == ()


def test_replies_are_compared_without_what_differs_each_time() -> None:
    one = '200\n{"answer_id": "a", "results": [{"score": 0.1, "text": "x"}]}\ndata: {"checked_at": "2026", "n": 1}'
    other = '200\n{"answer_id": "b", "results": [{"score": 0.2, "text": "x"}]}\ndata: {"checked_at": "2027", "n": 1}'
    assert settled(one) == settled(other)
    assert settled(one) != settled(other.replace('"x"', '"y"'))


class _FakeRoads:
    """Roads that say too much, nothing at all, or another thing than without hidden documents."""

    def __init__(self, world: World) -> None:
        self.secret = world.secrets["memo"]

    def road(self, kind: str) -> Road:
        async def take(door: Door) -> str:
            if kind == "open":
                return "Pellingrove"
            if kind == "hints":
                return f"{len(door.world.secrets)} documents" if not self.secret.may_see(door.asker) else "Pellingrove"
            return "Pellingrove" if kind == "closed" and self.secret.may_see(door.asker) else ""

        return Road(kind, lambda _: [Attempt("a try", "memo", take, proof=Proof.HIDDEN)])


async def test_a_leak_a_hint_and_a_road_that_leads_nowhere_are_found(worlds: tuple[World, World]) -> None:
    world, without = worlds
    fakes = _FakeRoads(world)
    found = await take_all([fakes.road(kind) for kind in ("open", "hints", "closed", "idle")], world, without)
    leaks = {each.road: [(leak.asker, leak.words) for leak in each.leaks] for each in found}
    may_not = (LEAVERS[0], MEMBERS[1], NOBODY, STRANGERS[0])
    assert leaks["open"] == [(each.name, ("pellingrove",)) for each in may_not]
    assert leaks["hints"] == [(NOBODY.name, ())]
    assert leaks["closed"] == leaks["idle"] == []
    assert [(each.road, each.holds) for each in found] == [
        ("open", False),
        ("hints", False),
        ("closed", True),
        ("idle", False),
    ]
    assert [each.controls for each in found] == [1, 1, 1, 0]


def test_it_is_said_what_came_out_and_what_proves_nothing() -> None:
    leak = Leak("search", "a try", "nobody", ("pellingrove",), "the reply")
    hint = Leak("search", "another", "nobody", (), "without: 1\nwith: 2")
    bad, idle = Taken("search", 4, 1, [leak, hint]), Taken("page", 3, 0, idle=["x"])
    assert [line.splitlines()[0] for line in findings(bad)] == [
        "  LEAK 'a try', nobody: words of hidden documents: pellingrove",
        "  LEAK 'another', nobody: another reply than without them",
    ]
    assert "IDLE 'x'" in next(iter(findings(idle)))
