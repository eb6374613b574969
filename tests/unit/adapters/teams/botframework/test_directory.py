"""Who is in a conversation, page by page."""

from collections.abc import AsyncIterator

import pytest

from adapters.teams.ports import TeamsMember
from rag_core.errors import Unavailable
from tests.fakes.teams import CHANNEL, OTHER_TENANT, TENANT, person_id
from tests.fakes.teams_connector import Desk, Trouble, connector_desk


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with connector_desk() as made:
        made.connector.members = [
            {"id": "29:1", "aadObjectId": person_id(1).upper(), "name": "One", "tenantId": TENANT, "userRole": "user"},
            {"id": "29:2", "objectId": person_id(2), "tenantId": OTHER_TENANT.upper(), "userRole": "guest"},
            {"id": "29:3", "userRole": "anonymous"},
            {"name": "nobody"},
            {"id": "29:5", "aadObjectId": 7, "name": None},
        ]
        yield made


PEOPLE = [
    TeamsMember("29:1", person_id(1), "One", TENANT, "user"),
    TeamsMember("29:2", person_id(2), "", OTHER_TENANT, "guest"),
    TeamsMember("29:3", "", "", "", "anonymous"),
]


async def test_everybody_over_all_pages_with_role_tenant_and_object_id(desk: Desk) -> None:
    """botbuilder's model of a member drops `objectId`, which the connector says as well."""
    desk.connector.members = desk.connector.members[:3]
    assert await desk.sdk.directory.members(desk.to(), 10) == PEOPLE
    assert [each.is_full(TENANT) for each in PEOPLE] == [True, False, False]
    base = f"/teams/v3/conversations/{CHANNEL.replace(':', '%3A').replace('@', '%40')}/pagedmembers?pageSize=500"
    assert [each.path for each in desk.connector.reached] == [base, f"{base}&continuationToken=2"]


async def test_who_cannot_be_read_is_there_all_the_same_and_no_full_member(desk: Desk) -> None:
    """Left out he would not count where it is asked what everybody in there may see."""
    found = await desk.sdk.directory.members(desk.to(), 10)
    assert found is not None
    assert list(found[3:]) == [TeamsMember("", "", "nobody"), TeamsMember("29:5", "")]
    assert not any(each.is_full(TENANT) for each in found[1:])


@pytest.mark.parametrize("body", ["{}", "[]", "{", '{"members": null}', '{"members": {"id": "29:1"}}'])
async def test_without_a_list_nobody_knows_who_is_there(desk: Desk, body: str) -> None:
    desk.connector.troubles.append(Trouble(200, text=body))
    with pytest.raises(Unavailable, match="teams_error"):
        await desk.sdk.directory.members(desk.to(), 10)


async def test_more_than_are_wanted_are_not_read(desk: Desk) -> None:
    desk.connector.members = [{"id": f"29:{n}"} for n in range(100)]
    assert await desk.sdk.directory.members(desk.to(), 3) is None
    assert len(desk.connector.reached) == 2


@pytest.mark.timeout(30)
async def test_pages_without_end_are_no_answer(desk: Desk) -> None:
    desk.connector.empty_pages = True
    with pytest.raises(Unavailable, match="pages_without_end"):
        await desk.sdk.directory.members(desk.to(), 10)


async def test_pages_that_begin_again_end(desk: Desk) -> None:
    desk.connector.repeats_pages = True
    with pytest.raises(Unavailable, match="page_repeated"):
        await desk.sdk.directory.members(desk.to(), 1_000)


async def test_one_member_and_one_who_is_none(desk: Desk) -> None:
    assert await desk.sdk.directory.member(desk.to(), "29:1") == PEOPLE[0]
    assert await desk.sdk.directory.member(desk.to(), "29:404") is None
    assert desk.connector.reached[0].path.endswith("thread.tacv2/members/29%3A1")


@pytest.mark.parametrize("body", ["", "{}", "[]", "<html>", '{"name": "One"}', '{"id": 7}'])
async def test_who_cannot_be_read_is_not_known_instead_of_elsewhere(desk: Desk, body: str) -> None:
    """Somebody on the way answers 200 as well; that he is not there would be believed for minutes."""
    desk.connector.troubles.append(Trouble(200, text=body))
    with pytest.raises(Unavailable, match="teams_error"):
        await desk.sdk.directory.member(desk.to(), "29:1")


async def test_a_slow_connector_is_waited_for(desk: Desk) -> None:
    desk.connector.troubles.append(Trouble(429, headers={"Retry-After": "3"}))
    assert await desk.sdk.directory.member(desk.to(), "29:1") == PEOPLE[0]
    assert desk.slept == [3.0]


async def test_a_guest_is_one_also_where_his_role_is_not_said(desk: Desk) -> None:
    """His account in this tenant says it; of the tenant he has, and an object id."""
    account = "one_elsewhere.example#EXT#@home.onmicrosoft.com"
    him: dict[str, object] = {
        "id": "29:1",
        "aadObjectId": person_id(1),
        "tenantId": TENANT,
        "userPrincipalName": account,
    }
    desk.connector.members = [him, him | {"userRole": "user"}, him | {"userPrincipalName": "one@home.example"}]
    found = await desk.sdk.directory.members(desk.to(), 10)
    assert found is not None
    assert [each.is_full(TENANT) for each in found] == [False, False, True]
    assert [each.role for each in found] == ["guest", "guest", ""]
