"""The answer to a deleted message goes, unless somebody else goes on with it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from adapters.teams.addresses import PLATFORM, TeamsAddress
from adapters.teams.delivery.replies import TeamsWithdrawing
from adapters.teams.graph import GraphReplies
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import Actor
from bot.model.posted import MessagePlace, Posted, Subject
from rag_core.errors import Rejected, Unavailable
from tests.fakes.graph import graph_desk
from tests.fakes.slack import NOW
from tests.fakes.slack_ways import FakePosted
from tests.fakes.teams import CHANNEL, GROUP_CHAT, TEAM, TENANT, FakeOutbound, activity, person_id

PSEUDONYMS = Pseudonyms(bytes(32))
ROOT = "1700000000001"


def known(number: int) -> str:
    return PSEUDONYMS.of(Actor(PLATFORM, TENANT, person_id(number)))


def deleted(where: str = CHANNEL) -> TeamsAddress:
    return activity(kind="messageDelete", where=where, id_=ROOT).address


def answer_in(address: TeamsAddress, message: str = "sent-1", **more: Any) -> Posted:
    at = address.conversation
    place = MessagePlace(PLATFORM, TENANT, at.channel, message, at.thread)
    usual = {"place": place, "subject": Subject.ANSWER, "subject_id": "q1", "posted_at": NOW, "asked_in": ROOT}
    return Posted(**{**usual, "person": known(1), **more})


class Replies:
    """OthersReplied. `found` an error: it cannot be known."""

    def __init__(self, found: bool | Exception) -> None:
        self.found = found

    async def __call__(self, address: TeamsAddress, answer: Posted) -> bool:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


class World:
    def __init__(self, *rows: Posted, others: bool | Exception | None = False) -> None:
        self.outbound, self.posted, self.slept = FakeOutbound(), FakePosted(), list[float]()
        self.posted.rows = list(rows)
        self.late: list[Posted] = []
        replies = None if others is None else Replies(others)
        self.withdrawing = TeamsWithdrawing(self.outbound, self.posted, replies, self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if sum(self.slept) > 100:
            self.posted.rows += self.late


@pytest.mark.parametrize("where", ["", GROUP_CHAT, CHANNEL])
async def test_an_answer_that_nobody_goes_on_with_is_removed(where: str) -> None:
    address = deleted(where)
    world = World(answer_in(address))
    assert await world.withdrawing.withdraw(address)
    assert world.outbound.deleted == ["sent-1"]
    assert world.posted.rows == []
    assert world.slept == []


async def test_one_that_is_on_its_way_is_waited_for() -> None:
    world = World()
    world.late = [answer_in(deleted())]
    assert await world.withdrawing.withdraw(deleted())
    assert world.outbound.deleted == ["sent-1"]


async def test_where_there_is_none_nothing_is_removed() -> None:
    world = World(answer_in(deleted(), asked_in="another"))
    assert not await world.withdrawing.withdraw(deleted())
    assert world.outbound.deleted == []


async def test_what_is_gone_already_is_forgotten() -> None:
    world = World(answer_in(deleted()))
    world.outbound.troubles.append(Rejected("teams_message_gone"))
    assert await world.withdrawing.withdraw(deleted())
    assert world.posted.rows == []


async def test_what_cannot_be_removed_is_kept_in_mind() -> None:
    world = World(answer_in(deleted()))
    world.outbound.troubles.append(Rejected("teams_refused"))
    with pytest.raises(Rejected):
        await world.withdrawing.withdraw(deleted())
    assert len(world.posted.rows) == 1


@pytest.mark.parametrize("others", [True, None, Unavailable("directory_refused"), Rejected("odd")])
async def test_in_a_channel_it_stays_where_others_replied_or_nobody_can_tell(others: bool | Exception | None) -> None:
    world = World(answer_in(deleted()), others=others)
    assert not await world.withdrawing.withdraw(deleted())
    assert world.outbound.deleted == []
    assert len(world.posted.rows) == 1


@pytest.mark.parametrize(("person", "minutes", "stays"), [(2, 5, True), (2, -5, False), (1, 5, False)])
async def test_it_stays_where_somebody_else_asked_on(person: int, minutes: int, stays: bool) -> None:
    later = NOW + timedelta(minutes=minutes)
    asked = answer_in(deleted(), "sent-2", asked_in="2", person=known(person), posted_at=later)
    world = World(answer_in(deleted()), asked)
    assert await world.withdrawing.withdraw(deleted()) is not stays


# who replied, by Graph


def reply(number: int, minutes: int = 5, **facts: object) -> dict[str, object]:
    at = (NOW + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
    return {"id": "1", "createdDateTime": at, "from": {"user": {"id": person_id(number).upper()}}, **facts}


@pytest.mark.parametrize(
    ("replies", "others"),
    [
        ([], False),
        ([reply(1)], False),
        ([reply(2, -5)], False),
        ([reply(2, deletedDateTime="2026-03-02T09:10:00Z")], False),
        ([{"createdDateTime": "2026-03-02T09:10:00Z", "from": {"application": {"id": "x"}}}], False),
        ([{"createdDateTime": "2026-03-02T09:10:00Z", "from": None}], False),
        ([reply(1), reply(1), reply(2)], True),
        ([reply(2, createdDateTime="soon")], True),
        ([reply(2, createdDateTime="2026-03-02T09:10:00")], True),
        ([reply(1)] * 300, True),
        (None, True),
    ],
)
async def test_graph_tells_who_wrote_in_a_thread(replies: list[dict[str, object]] | None, others: bool) -> None:
    async with graph_desk() as desk:
        desk.graph.page = 100
        if replies is not None:
            desk.graph.below[ROOT] = replies
        found = GraphReplies(desk.directory._graph, PSEUDONYMS.of)
        assert await found(deleted(), answer_in(deleted())) is others
        assert any(f"/teams/{TEAM}/channels/{CHANNEL}/messages/{ROOT}/replies" in each for each in desk.graph.calls)
        assert await found(replace(deleted(), team=""), answer_in(deleted()))  # no team: nobody can tell
