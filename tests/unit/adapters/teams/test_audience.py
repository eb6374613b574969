"""Guests, people of other organisations and chats shared with them: not answered, or from public documents only."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from adapters.teams.access import TeamsAdmission
from adapters.teams.addresses import TeamsReference
from adapters.teams.ports import TeamsMember
from bot.model.messages import ReplyAddress
from bot.model.outcomes import Admitted
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from tests.fakes.graph import FakeSeconds
from tests.fakes.questions import make_question
from tests.fakes.teams import (
    CHANNEL,
    GROUP_CHAT,
    OTHER_TENANT,
    TENANT,
    FakeDirectory,
    activity,
    person_id,
    personal_chat,
    settings,
    user_id,
)

PLACES = ["", GROUP_CHAT, CHANNEL]


def member(number: int, **changes: Any) -> TeamsMember:
    return replace(TeamsMember(user_id(number), person_id(number), tenant=TENANT, role="user"), **changes)


@dataclass
class Directory(FakeDirectory):
    """`trouble` in place of every answer; `calls` of members and of member."""

    trouble: PolicyBotError | None = None
    hangs: bool = False
    calls: list[str] = field(default_factory=list)

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        await self._answer("member")
        return await super().member(to, user)

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember] | None:
        await self._answer("members")
        return await super().members(to, most)

    async def _answer(self, call: str) -> None:
        self.calls.append(call)
        if self.hangs:
            await asyncio.Event().wait()
        if self.trouble:
            raise self.trouble


def ruled(directory: FakeDirectory, clock: Callable[[], float] = time.monotonic, **changes: object) -> TeamsAdmission:
    return TeamsAdmission(directory, settings(**changes), seconds=0.1, clock=clock)


def address(where: str = "", **more: Any) -> Any:
    return activity("beer?", where=where, **more).address


@pytest.mark.parametrize("where", PLACES)
async def test_a_member_where_only_members_read_is_answered(where: str) -> None:
    people = [member(1), member(2)]
    rule = ruled(Directory({where or personal_chat(1): people}))
    assert await rule(address(where)) is Admitted.ALLOWED


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize(
    "sender",
    [
        {"id": "29:federated"},
        {"id": user_id(1), "aadObjectId": person_id(1), "tenantId": OTHER_TENANT},
        {"id": user_id(1), "aadObjectId": person_id(1), "role": "guest"},
        {"id": user_id(1), "aadObjectId": person_id(1), "role": "anonymous"},
    ],
)
async def test_what_an_activity_says_of_its_sender_counts_before_anything_is_asked(
    where: str, sender: dict[str, object]
) -> None:
    directory = Directory()
    from_him = address(where, **{"from": sender})
    assert await ruled(directory)(from_him) is Admitted.NOT_TO_GUESTS
    assert await ruled(directory, external=True)(from_him) is Admitted.PUBLIC_ONLY
    assert directory.calls == []


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize(
    "facts", [{"role": "guest"}, {"role": "anonymous"}, {"person": ""}, {"tenant": OTHER_TENANT}, None]
)
async def test_so_does_what_teams_says_of_him(where: str, facts: dict[str, Any] | None) -> None:
    people = [member(2)] if facts is None else [member(2), member(1, **facts)]
    directory = Directory({where or personal_chat(1): people})
    found = await ruled(directory)(address(where))
    is_elsewhere = bool(where) and facts is not None and facts.get("role") != "guest"
    assert found is (Admitted.NOT_HERE if is_elsewhere else Admitted.NOT_TO_GUESTS)
    assert await ruled(directory, external=True)(address(where)) is Admitted.PUBLIC_ONLY


@pytest.mark.parametrize("where", [GROUP_CHAT, CHANNEL])
@pytest.mark.parametrize("facts", [{"role": "anonymous"}, {"person": ""}, {"tenant": OTHER_TENANT}])
async def test_where_people_of_other_organisations_read_nobody_is_answered(where: str, facts: dict[str, Any]) -> None:
    directory = Directory({where: [member(1), member(2, **facts)]})
    assert await ruled(directory)(address(where)) is Admitted.NOT_HERE
    assert await ruled(directory, external=True)(address(where)) is Admitted.PUBLIC_ONLY


@pytest.mark.parametrize("where", [GROUP_CHAT, CHANNEL])
async def test_where_a_guest_of_ours_reads_members_are(where: str) -> None:
    """What the guest may not see nobody is shown there: that is the directory's to say."""
    directory = Directory({where: [member(1), member(2, role="guest", tenant=OTHER_TENANT)]})
    assert await ruled(directory)(address(where)) is Admitted.ALLOWED


async def test_who_joined_a_moment_ago_is_looked_up_by_himself() -> None:
    directory = Directory({CHANNEL: [member(2)]})
    rule = ruled(directory)
    assert await rule(address(CHANNEL, by=2)) is Admitted.ALLOWED
    directory.people[CHANNEL] = [member(1), member(2)]
    assert await rule(address(CHANNEL)) is Admitted.ALLOWED
    assert directory.calls == ["members", "member"]


async def test_in_a_place_with_more_people_than_are_listed_only_what_is_public_is_shown() -> None:
    directory = Directory({CHANNEL: [member(number) for number in range(1, 600)]})
    assert await ruled(directory)(address(CHANNEL)) is Admitted.PUBLIC_ONLY


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("trouble", [Unavailable("teams_unreachable"), Rejected("teams_channel_closed")])
async def test_while_teams_does_not_say_members_get_what_is_public(where: str, trouble: PolicyBotError) -> None:
    directory = Directory({where or personal_chat(1): [member(1)]}, trouble)
    for external in (True, False):
        assert await ruled(directory, external=external)(address(where)) is Admitted.PUBLIC_ONLY


async def test_who_was_known_to_be_outside_stays_so_meanwhile() -> None:
    clock, people = FakeSeconds(), {CHANNEL: [member(1), member(2, role="guest")]}
    shared = {GROUP_CHAT: [member(1), member(3, tenant=OTHER_TENANT)]}
    directory = Directory({**people, **shared})
    rule = ruled(directory, clock)
    assert await rule(address(CHANNEL, by=2)) is Admitted.NOT_TO_GUESTS
    assert await rule(address(GROUP_CHAT)) is Admitted.NOT_HERE
    directory.trouble = Unavailable("teams_unreachable")
    clock.now += 3600
    assert await rule(address(CHANNEL, by=2)) is Admitted.NOT_TO_GUESTS
    assert await rule(address(GROUP_CHAT)) is Admitted.NOT_HERE
    assert await rule(address(CHANNEL)) is Admitted.PUBLIC_ONLY


@pytest.mark.parametrize("seconds", [0.01, 60.0])
async def test_teams_is_not_waited_for_long(seconds: float) -> None:
    rule = ruled(Directory(hangs=True))
    assert await asyncio.wait_for(rule(address(CHANNEL), seconds=seconds), 1.0) is Admitted.PUBLIC_ONLY
    await rule.aclose()


async def test_who_is_where_is_asked_once_in_five_minutes() -> None:
    clock, directory = FakeSeconds(), Directory({CHANNEL: [member(1), member(2)]})
    rule = ruled(directory, clock)
    for by in (1, 2, 1):
        assert await rule(address(CHANNEL, by=by, thread=str(by))) is Admitted.ALLOWED
    assert directory.calls == ["members"]
    directory.people[CHANNEL] = [member(1, role="guest"), member(2)]
    clock.now += 301
    assert await rule(address(CHANNEL)) is Admitted.NOT_TO_GUESTS


@pytest.mark.parametrize("other", ["19:other@thread.v2", "19:other@thread.tacv2"])
@pytest.mark.parametrize("where", [GROUP_CHAT, CHANNEL])
async def test_who_reads_one_place_says_nothing_of_another(where: str, other: str) -> None:
    outsider = member(3, tenant=OTHER_TENANT)
    rule = ruled(Directory({where: [member(1)], other: [member(1), outsider]}))
    assert await rule(address(where)) is Admitted.ALLOWED
    assert await rule(address(other)) is Admitted.NOT_HERE


async def test_a_tenant_that_was_taken_off_the_list_is_answered_no_more() -> None:
    gone = replace(address(CHANNEL), tenant=OTHER_TENANT)
    for external in (True, False):
        assert await ruled(Directory(), external=external)(gone) is Admitted.NOT_TO_GUESTS


async def test_a_question_is_ruled_by_its_address() -> None:
    directory = Directory({CHANNEL: [member(1), member(2, role="guest")]})
    rule = ruled(directory)
    for by, found in ((1, Admitted.ALLOWED), (2, Admitted.NOT_TO_GUESTS)):
        question = replace(make_question(), reply_address=address(CHANNEL, by=by).as_reply_address())
        assert await rule.of(question) is found
    other = replace(make_question(), reply_address=ReplyAddress("slack.message", {}))
    assert await rule.of(other) is Admitted.NOT_TO_GUESTS
