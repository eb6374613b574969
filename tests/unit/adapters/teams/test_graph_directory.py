"""Groups out of a pretended tenant that pages, hands out tokens and slows down as Graph does."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from adapters.teams.directory import MOST_READERS
from adapters.teams.settings import GraphSettings, tenants_of
from bot.model.messages import Actor, Conversation
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.graph import (
    APP_ID,
    APP_SECRET,
    OTHER_TENANT,
    TEAM,
    TENANT,
    GraphDesk,
    graph_desk,
    group,
    member,
    person,
)

LEGAL, FINANCE = f"entra:{TENANT}/{group(1)}", f"entra:{TENANT.upper()}/{group(2).upper()}"
ELSEWHERE = f"entra:{OTHER_TENANT}/{group(1)}"
MEMBERS = frozenset({LEGAL, FINANCE, ELSEWHERE})
CHAT, CHANNEL = "19:abc@thread.v2", f"{TEAM}/19:xyz@thread.tacv2"


@pytest.fixture
async def desk() -> AsyncIterator[GraphDesk]:
    async with graph_desk() as made:
        made.graph.add(1, 2, 3)
        made.graph.groups = {group(1): {person(1), group(9)}, group(9): {person(2)}, group(2): {person(1)}}
        yield made


async def held_by(desk: GraphDesk, who: str, tenant: str = TENANT) -> frozenset[str]:
    return await desk.directory.of_person(Actor("teams", tenant, who), MEMBERS)


async def held_in(desk: GraphDesk, channel: str, tenant: str = TENANT) -> set[frozenset[str]] | None:
    readers = await desk.directory.of_each_reader(Conversation("teams", tenant, channel), MEMBERS)
    return None if readers is None else set(readers)


async def test_a_person_belongs_directly_or_by_a_group_inside(desk: GraphDesk) -> None:
    assert await held_by(desk, person(1)) == {LEGAL, FINANCE}
    assert await held_by(desk, person(2).upper()) == {LEGAL}
    assert await held_by(desk, person(3)) == frozenset()
    assert await held_by(desk, person(404)) == frozenset()
    assert desk.directory.kind == "entra"


@pytest.mark.parametrize("facts", [{"userType": "Guest"}, {"accountEnabled": False}, {"userType": None}])
async def test_guests_and_those_who_left_belong_to_nothing(desk: GraphDesk, facts: dict[str, object]) -> None:
    desk.graph.add(1, **facts)
    assert await held_by(desk, person(1)) == frozenset()


async def test_other_tenants_and_ids_that_are_none_are_not_even_asked_about(desk: GraphDesk) -> None:
    assert await held_by(desk, person(1), OTHER_TENANT) == frozenset()
    assert await held_by(desk, "../groups") == frozenset()
    assert await held_in(desk, CHAT, OTHER_TENANT) is None
    assert desk.graph.calls == []


async def test_more_groups_than_one_call_takes(desk: GraphDesk) -> None:
    many = {f"entra:{TENANT}/{group(n)}" for n in range(100, 145)}
    desk.graph.groups |= {group(n): {person(1)} for n in range(100, 145)}
    assert await desk.directory.of_person(Actor("teams", TENANT, person(1)), frozenset(many)) == many
    assert sum("checkMemberGroups" in each for each in desk.graph.calls) == 3


async def test_readers_of_a_chat_are_its_people_over_all_pages(desk: GraphDesk) -> None:
    desk.graph.chats[CHAT] = [member(person(1)), member(person(2)), member(person(1).upper(), roles=["owner"])]
    assert await held_in(desk, CHAT) == {frozenset({LEGAL, FINANCE}), frozenset({LEGAL})}
    assert await held_in(desk, f"{CHAT};messageid=17") == {frozenset({LEGAL, FINANCE}), frozenset({LEGAL})}


@pytest.mark.parametrize(
    "stranger",
    [
        member(person(1), roles=["guest"]),
        member(person(1), tenantId=OTHER_TENANT),
        member(person(1), **{"@odata.type": "#microsoft.graph.anonymousGuestConversationMember"}),
        member("no-guid"),
        member(person(1), roles=None),
        member(person(3)),
    ],
)
async def test_one_stranger_belongs_to_nothing(desk: GraphDesk, stranger: dict[str, object]) -> None:
    desk.graph.chats[CHAT] = [member(person(1)), stranger]
    assert frozenset() in (await held_in(desk, CHAT) or ())


async def test_a_channel_is_read_by_its_members_unless_anybody_may_join(desk: GraphDesk) -> None:
    desk.graph.channels["19:xyz@thread.tacv2"] = [member(person(2))]
    assert await held_in(desk, CHANNEL) == {frozenset({LEGAL})}
    desk.graph.visibility = "Public"
    assert await held_in(desk, CHANNEL) is None


@pytest.mark.parametrize(
    "where",
    ["19:xyz@thread.tacv2", "a:1personal", CHAT, f"{APP_ID}/19:xyz@thread.tacv2", "19:a/../../users@thread.v2", ""],
)
async def test_a_place_that_graph_does_not_tell_of_is_not_known(desk: GraphDesk, where: str) -> None:
    assert await held_in(desk, where) is None


async def test_too_many_readers_are_not_known(desk: GraphDesk) -> None:
    desk.graph.page = 400
    desk.graph.chats[CHAT] = [member(person(1))] * (MOST_READERS + 1)
    assert await held_in(desk, CHAT) is None
    desk.graph.chats[CHAT] = []
    assert await held_in(desk, CHAT) is None


async def test_a_token_is_fetched_once_and_again_before_its_end(desk: GraphDesk) -> None:
    await asyncio.gather(*(held_by(desk, person(1)) for _ in range(10)))
    assert len(desk.graph.tokens) == 1
    desk.clock.now += 3600 - 301
    await held_by(desk, person(1))
    assert len(desk.graph.tokens) == 1
    desk.clock.now += 1
    await held_by(desk, person(1))
    assert len(desk.graph.tokens) == 2


async def test_a_revoked_token_is_replaced_once(desk: GraphDesk) -> None:
    await held_by(desk, person(1))
    desk.graph.revoke()
    assert await held_by(desk, person(1)) == {LEGAL, FINANCE}
    assert len(desk.graph.tokens) == 1


async def test_a_wrong_secret_is_refused_and_not_told() -> None:
    async with graph_desk(secret="another") as desk:  # pragma: allowlist secret
        with pytest.raises(Unavailable, match="directory_refused") as raised:
            await held_by(desk, person(1))
    assert raised.value.details["error"] == "invalid_client"
    assert "another" not in str(raised.value)
    assert "another" not in repr(GraphSettings(APP_ID, "another", frozenset({TENANT})))


@pytest.mark.parametrize(
    ("troubles", "code"),
    [
        ([(429, 60)], "directory_slow_down"),
        ([(503, 60)], "directory_slow_down"),
        ([(500, None)], "directory_unreachable"),
        ([(403, None)], "directory_refused"),
        ([(400, None)], "directory_refused"),
        ([(302, None)], "directory_refused"),
    ],
)
async def test_what_is_not_plainly_nobody_is_no_answer(
    desk: GraphDesk, troubles: list[tuple[int, int | None]], code: str
) -> None:
    await held_by(desk, person(1))
    desk.graph.troubles.extend(troubles)
    with pytest.raises(Unavailable, match=code):
        await held_by(desk, person(1))


async def test_a_token_that_graph_never_takes_is_no_answer(desk: GraphDesk) -> None:
    desk.graph.takes_no_token = True
    with pytest.raises(Unavailable, match="directory_refused"):
        await held_by(desk, person(1))


async def test_graph_asking_for_a_moment_gets_it(desk: GraphDesk) -> None:
    await held_by(desk, person(1))
    desk.graph.troubles.extend([(429, 0), (503, 0)])
    assert await held_by(desk, person(1)) == {LEGAL, FINANCE}


NOT_HERE = ["https://graph.example", "HERE.graph.example", "//HERE", "?"]
NOT_HERE.append("http://who:is@HERE")  # pragma: allowlist secret


@pytest.mark.parametrize("host", NOT_HERE)
async def test_a_page_elsewhere_does_not_get_the_token(desk: GraphDesk, host: str) -> None:
    """Nor does one with a name and a password in it, which aiohttp would not send beside a token."""
    desk.graph.chats[CHAT] = [member(person(1))] * 3
    desk.graph.next_host = host.replace("HERE", desk.graph.url.removeprefix("http://"))
    with pytest.raises(Unavailable, match="directory_refused") as raised:
        await held_in(desk, CHAT)
    assert raised.value.details["error"] == "next_link"


async def test_groups_nobody_belongs_to(desk: GraphDesk) -> None:
    desk.graph.groups[group(2)] = set()
    missing = f"entra:{TENANT}/{group(77)}"
    assert await desk.directory.empty(MEMBERS | {missing}) == {FINANCE, ELSEWHERE, missing}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"app_id": " "}, "setting_missing"),
        ({"app_secret": ""}, "setting_missing"),
        ({"tenants": frozenset()}, "setting_missing"),
        ({"tenants": frozenset({"contoso.example"})}, "teams_tenant_invalid"),
        ({"graph_url": "http://graph.example/v1.0"}, "teams_url_insecure"),
        ({"login_url": "ftp://127.0.0.1"}, "teams_url_insecure"),
    ],
)
def test_settings_that_cannot_work_stop_the_start(given: dict[str, object], code: str) -> None:
    good: dict[str, object] = {"app_id": APP_ID, "app_secret": APP_SECRET, "tenants": frozenset({TENANT})}
    with pytest.raises(Misconfigured, match=code):
        GraphSettings(**{**good, **given})  # type: ignore[arg-type]


def test_tenants_are_listed_with_commas() -> None:
    assert tenants_of(f" {TENANT.upper()} ,, {OTHER_TENANT}") == {TENANT, OTHER_TENANT}
