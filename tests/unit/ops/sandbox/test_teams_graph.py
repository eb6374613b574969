"""What the pretended Graph tells of the stand-in's people, teams and chats."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import aiohttp
import pytest

from ops.sandbox.teams import OTHER_TENANT, TENANT, TeamsStandIn
from tests.fakes.teams_bot import ConnectorClient, connector_client

TEAM = "33333333-3333-3333-3333-333333333333"
GROUP = "00000001-aaaa-0000-0000-000000000000"
ADS = "19:ads@thread.tacv2"


@dataclass
class GraphClient:
    teams: TeamsStandIn
    session: aiohttp.ClientSession
    token: str

    async def get(self, path: str) -> tuple[int, Any]:
        url = path if path.startswith("http") else f"{self.teams.graph_url}/{path}"
        async with self.session.get(url, headers={"Authorization": f"Bearer {self.token}"}) as response:
            return response.status, await response.json()

    async def check(self, person: str, *groups: str) -> tuple[int, Any]:
        url = f"{self.teams.graph_url}/users/{person}/checkMemberGroups"
        headers = {"Authorization": f"Bearer {self.token}"}
        async with self.session.post(url, json={"groupIds": list(groups)}, headers=headers) as response:
            return response.status, await response.json()


@asynccontextmanager
async def graph_client(tenant: str = TENANT) -> AsyncIterator[tuple[ConnectorClient, GraphClient]]:
    async with connector_client() as bot:
        token = await bot.fetch_token(tenant, scope=f"{bot.teams.base_url}/.default")
        yield bot, GraphClient(bot.teams, bot.session, token)


async def test_people_and_their_groups() -> None:
    async with graph_client() as (bot, graph):
        teams = bot.teams
        guest = teams.person(4, kind="guest").account.object_id
        first = teams.person(1).account.object_id
        teams.facts.groups[GROUP] = {first, "inner"}
        teams.facts.groups["inner"] = {guest}
        assert (await graph.get(f"users/{first}?$select=id,userType,accountEnabled"))[1] == {
            "id": first,
            "userType": "Member",
            "accountEnabled": True,
        }
        assert (await graph.get(f"users/{guest}"))[1]["userType"] == "Guest"
        teams.facts.disabled.add(1)
        assert (await graph.get(f"users/{first}"))[1]["accountEnabled"] is False
        assert (await graph.get("users/00000099-0000-0000-0000-000000000000"))[0] == 404
        assert (await graph.check(guest, GROUP, TEAM)) == (200, {"value": [GROUP]})
        assert (await graph.check(first, GROUP, TEAM))[1] == {"value": [GROUP, TEAM]}
        assert (await graph.check(first, *[GROUP] * 21))[0] == 400
        teams.graph.page = 2
        page = (await graph.get(f"groups/{GROUP}/transitiveMembers"))[1]
        rest = (await graph.get(page["@odata.nextLink"]))[1]
        assert [each["id"] for each in (*page["value"], *rest["value"])] == [first, guest, "inner"]


async def test_teams_channels_and_chats() -> None:
    async with graph_client() as (bot, graph):
        teams = bot.teams
        teams.person(4, kind="guest")
        teams.person(5, kind="federated")
        teams.person(6, kind="anonymous")
        for number in (4, 5, 6):
            teams.join(number, "talk")
        assert (await graph.get(f"teams/{TEAM}"))[1] == {"id": TEAM, "visibility": "private"}
        owners = (await graph.get(f"groups/{TEAM}/owners"))[1]["value"]
        assert owners == [{"id": teams.person(1).account.object_id}]
        channel = (await graph.get(f"teams/{TEAM}/channels/{ADS}/allMembers"))[1]["value"]
        assert [each["roles"] for each in channel] == [["owner"], [], []]
        chat = (await graph.get("chats/19:talk@thread.v2/members"))[1]["value"]
        assert [each["tenantId"] for each in chat[:5]] == [TENANT] * 4 + [OTHER_TENANT]
        assert chat[3]["roles"] == ["guest"]
        assert chat[5]["@odata.type"] == "#microsoft.graph.anonymousGuestConversationMember"
        for path in (
            "teams/none",
            "groups/none/owners",
            "groups/none/transitiveMembers",
            "chats/none/members",
            f"teams/{TEAM}/channels/none/allMembers",
            f"chats/{ADS}/members",
        ):
            assert (await graph.get(path))[0] == 404


async def test_tokens_and_throttling() -> None:
    async with graph_client(OTHER_TENANT) as (bot, graph):
        bot.teams.graph.troubles.append((429, 7))
        assert (await graph.get(f"teams/{TEAM}"))[0] == 429
        assert (await graph.get(f"teams/{TEAM}"))[0] == 200
        graph.token = await bot.fetch_token()
        assert (await graph.get(f"teams/{TEAM}"))[0] == 401
        assert len(bot.teams.graph.calls) == 3


async def test_replies_are_read_with_consent() -> None:
    async with graph_client() as (bot, graph):
        teams = bot.teams
        root = (await teams.person(1).says("root", "ads")).written
        reply = (await teams.person(2).says("reply", "ads", root.id)).written
        await bot.post(f"{ADS};messageid={root.id}", {"type": "message", "text": "an answer"})
        await teams.person(2).deletes(reply)
        path = f"teams/{TEAM}/channels/{ADS}/messages/{root.id}/replies"
        assert (await graph.get(path))[0] == 403
        teams.reads_all("ads")
        status, answer = await graph.get(path)
        assert status == 200
        answered, deleted = answer["value"]  # the newest first
        assert deleted["from"]["user"]["id"] == teams.person(2).account.object_id
        assert (deleted["deletedDateTime"] is None, answered["deletedDateTime"]) == (False, None)
        assert deleted["body"]["content"] == ""
        app = answered["from"]["application"]
        assert (answered["from"]["user"], app["id"]) == (None, teams.tokens.app_id)
        assert (app["applicationIdentityType"], answered["replyToId"]) == ("bot", root.id)
        assert (await graph.get(f"teams/{TEAM}/channels/{ADS}/messages/77/replies"))[0] == 404
        teams.reads_all("ads", granted=False)
        teams.facts.reads_channels = True
        assert (await graph.get(path))[0] == 200


CARD = {"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "Ünter", "id": "mark"}]}


async def test_a_card_comes_back_as_json_in_a_string_and_entities_do_not() -> None:
    async with graph_client() as (bot, graph):
        bot.teams.reads_all("ads")
        attached = [{"contentType": "application/vnd.microsoft.card.adaptive", "content": CARD}]
        card = {"type": "message", "summary": "in short", "channelData": {"x": 1}, "attachments": attached}
        await bot.post(ADS, card)
        await bot.teams.person(1).says("a post", "ads")
        [said, found] = (await graph.get(f"teams/{TEAM}/channels/{ADS}/messages"))[1]["value"]
        [attachment] = found["attachments"]
        assert (json.loads(attachment["content"]), attachment["contentUrl"]) == (CARD, None)
        assert found["body"]["content"] == f'<attachment id="{attachment["id"]}"></attachment>'
        assert (found["replyToId"], found["summary"], found["chatId"]) == (None, "in short", None)
        assert not {"channelData", "entities"} & found.keys()
        assert "a post" in said["body"]["content"]


async def test_messages_of_chats_by_time() -> None:
    async with graph_client() as (bot, graph):
        teams, path = bot.teams, "chats/19:talk@thread.v2/messages"
        for text in ("first", "second", "third"):
            await teams.person(1).says(text, "talk")
        assert (await graph.get(path))[0] == 403
        teams.reads_all("talk")
        assert [texts_of(each) for each in (await graph.get(path))[1]["value"]] == ["third", "second", "first"]
        [first, _, _] = teams.messages("talk")
        await asyncio.sleep(0.01)  # Graph counts milliseconds
        await teams.person(1).edits(first, "changed")
        ordered = f"{path}?$orderby=lastModifiedDateTime desc"
        found = (await graph.get(f"{ordered}&$top=2"))[1]
        assert [texts_of(each) for each in found["value"]] == ["changed", "third"]
        [rest] = (await graph.get(found["@odata.nextLink"]))[1]["value"]
        assert texts_of(rest) == "second"
        none = (await graph.get(f"{ordered}&$filter=lastModifiedDateTime gt 2099-01-01T00:00:00Z"))[1]["value"]
        assert none == []
        unordered = (await graph.get(f"{path}?$filter=lastModifiedDateTime gt 2099-01-01T00:00:00Z"))[1]["value"]
        assert len(unordered) == 3  # passed over, as Graph does
        teams.facts.late = timedelta(hours=1)
        assert (await graph.get(path))[1]["value"] == []


@pytest.mark.parametrize(
    "query",
    [
        "$top=51",
        "$top=0",
        "$orderby=createdDateTime asc",
        "$filter=createdDateTime gt 2026-01-01T00:00:00Z",
        "$filter=from eq 'me'",
        "$search=x",
    ],
)
async def test_what_graph_does_not_support_is_refused(query: str) -> None:
    async with graph_client() as (bot, graph):
        bot.teams.reads_all("talk")
        assert (await graph.get(f"chats/19:talk@thread.v2/messages?{query}"))[0] == 400


async def test_what_graph_does_not_support_of_channels_is_refused_and_personal_chats_are_unknown() -> None:
    async with graph_client() as (bot, graph):
        teams = bot.teams
        teams.reads_all("ads")
        assert (await graph.get(f"teams/{TEAM}/channels/{ADS}/messages?$orderby=createdDateTime desc"))[0] == 400
        teams.facts.reads_chats = True
        assert (await graph.get("chats/19:talk@thread.v2/messages"))[0] == 200
        assert (await graph.get(f"chats/{teams.person(1).chat.id}/messages"))[0] == 404


def texts_of(message: dict[str, Any]) -> str:
    return str(message["body"]["content"]).replace("<p>", "").replace("</p>", "")
