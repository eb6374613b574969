"""What a bot writes to the pretended Teams: what is taken, and what is refused as Teams refuses it."""

from typing import Any

import aiohttp
import pytest

from ops.sandbox.teams import NO_LIMITS, OTHER_TENANT, TENANT, Limits, Trouble, cut, slow
from tests.fakes.clock import FakeClock
from tests.fakes.teams_bot import ConnectorClient, card, connector_client, shown

ADS = "19:ads@thread.tacv2"
TALK = "19:talk@thread.v2"
CHAT = "a:chat-1"


class Seconds:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_message_is_posted_changed_and_taken_back() -> None:
    async with connector_client() as bot:
        status, answer = await bot.post(ADS, shown("hello"))
        assert status == 201
        [message] = bot.teams.bot_messages("ads")
        assert (message.id, message.text, message.thread, message.is_edited) == (answer["id"], "hello", "", False)
        one = f"/{ADS}/activities/{message.id}"
        assert await bot.call("PUT", one, shown("bye")) == (200, {"id": message.id})
        [changed] = bot.teams.bot_messages("ads")
        assert (changed.text, changed.is_edited, changed.before[0]["text"]) == ("bye", True, "hello")
        assert (await bot.call("DELETE", one))[0] == 200
        assert bot.teams.bot_messages("ads") == []
        assert bot.teams.message(message).is_deleted
        assert (await bot.call("PUT", one, shown("again")))[1]["error"]["code"] == "ActivityNotFoundInConversation"
        assert [each.operation for each in bot.teams.calls] == ["POST", "PUT", "DELETE", "PUT"]


async def test_a_thread_is_one_conversation() -> None:
    async with connector_client() as bot:
        root = (await bot.post(ADS, shown("root")))[1]["id"]
        await bot.post(f"{ADS};messageid={root}", shown("reply"))
        await bot.call("POST", f"/{ADS}/activities/{root}", shown("another"))
        assert [each.text for each in bot.teams.messages(f"{ADS};messageid={root}")] == ["root", "reply", "another"]
        status, answer = await bot.post(f"{ADS};messageid=77", shown("lost"))
        assert (status, answer["error"]["code"]) == (404, "ConversationNotFound")


@pytest.mark.parametrize(
    ("where", "status", "code"),
    [
        ("19:nobody@thread.v2", 404, "ConversationNotFound"),
        ("19:other@thread.v2", 403, "BotNotInConversationRoster"),
        ("a:chat-2", 403, "ConversationBlockedByUser"),
    ],
)
async def test_only_where_the_app_is_installed(where: str, status: int, code: str) -> None:
    async with connector_client() as bot:
        bot.teams.world.add_chat("19:other@thread.v2", "other", {1, 2})
        bot.teams.person(2).blocks_bot()
        found, answer = await bot.post(where, shown("hello"))
        assert (found, answer["error"]["code"]) == (status, code)


async def test_a_conversation_is_found_at_its_tenants_own_address_only() -> None:
    async with connector_client() as bot:
        status, answer = await bot.call("POST", f"/{ADS}/activities", shown("hello"), tenant=OTHER_TENANT)
        assert (status, answer["error"]["code"]) == (404, "ConversationNotFound")


async def test_what_is_no_address_or_no_json() -> None:
    async with connector_client() as bot:
        token = await bot.fetch_token()
        headers = {"Authorization": f"Bearer {token}"}
        for region, body, status in (("amer", b"{}", 404), ("emea", b"not json", 400), ("emea", b"[]", 400)):
            url = f"{bot.teams.base_url}/{region}/{TENANT}/v3/conversations/{ADS}/activities"
            async with bot.session.post(url, data=body, headers=headers) as response:
                assert response.status == status


async def test_tokens_are_checked_counted_and_expire_by_the_clock() -> None:
    clock = FakeClock()
    async with connector_client(clock=clock) as bot:
        assert (await bot.post(ADS, shown("hello")))[0] == 201
        clock.move(seconds=3601)
        assert (await bot.post(ADS, shown("hello")))[0] == 401
        bot.token = "made-up"
        assert (await bot.post(ADS, shown("hello")))[0] == 401
        bot.token = await bot.fetch_token()
        bot.teams.tokens.revoke()
        assert (await bot.post(ADS, shown("hello")))[0] == 401
        bot.token = await bot.fetch_token(scope=f"{bot.teams.base_url}/.default")
        assert (await bot.post(ADS, shown("hello")))[0] == 401
        assert bot.teams.token_fetches[0] == (TENANT, "https://api.botframework.com/.default")
        assert len(bot.teams.token_fetches) == 3


@pytest.mark.parametrize(
    ("tenant", "changes", "error"),
    [
        (OTHER_TENANT, {}, "400 unauthorized_client"),
        ("botframework.com", {}, "400 unauthorized_client"),
        ("", {"client_secret": "wrong"}, "401 invalid_client"),  # pragma: allowlist secret
        ("", {"client_id": "wrong"}, "401 invalid_client"),
        ("", {"scope": "https://other.example/.default"}, "400 invalid_scope"),
        ("", {"grant_type": "password"}, "400 unsupported_grant_type"),
    ],
)
async def test_who_gets_no_token(tenant: str, changes: dict[str, str], error: str) -> None:
    async with connector_client() as bot:
        assert await bot.fetch_token(tenant, **changes) == error


async def test_a_multi_tenant_app_asks_botframework() -> None:
    async with connector_client() as bot:
        bot.teams.tokens.is_multi_tenant = True
        assert (await bot.fetch_token("botframework.com")).startswith("token-")


@pytest.mark.parametrize(
    ("activity", "said"),
    [
        (shown(""), "neither text nor attachments"),
        ({"type": "event", "text": "a"}, "Unknown activity type"),
        ({"type": "message", "attachments": [{"contentType": "text/html", "content": {}}]}, "Unknown attachment"),
        ({"type": "message", "text": 5}, "must be a string"),
        ({"type": "message", "attachments": [{"contentType": "application/vnd.microsoft.card.hero"}]}, "no content"),
        (shown("a", {"type": "Card", "version": "1.5"}), "must have the type AdaptiveCard"),
        (shown("a", card(version="1.6")), "fallback text"),
        (shown("a", card(version="")), "no version"),
        (shown("a", card(actions=[{"type": "Action.Execute", "verb": 5}])), "verb"),
        (shown("a", card({"type": "Chart.Pie"})), "Chart.Pie"),
        (shown("a", card({"type": "Input.Text"})), "missing required field: id"),
        (shown("a", card({"type": "Input.Text", "id": "x"}, {"type": "Input.Date", "id": "x"})), "id of its own"),
        (shown("a", channelData={"feedbackLoop": {"type": "stars"}}), "feedbackLoop"),
        (shown("a", textFormat="html"), "textFormat"),
        (shown("a", entities=[{"type": "odd"}]), "Unknown entity type"),
        (shown("a", entities=[{"type": "mention", "text": "<at>B</at>", "mentioned": {"id": "29:b"}}]), "mention"),
        (shown("a", suggestedActions={"actions": [{"type": "imBack", "title": "b", "value": "b"}]}), "personal chats"),
    ],
)
async def test_what_teams_does_not_take(activity: dict[str, Any], said: str) -> None:
    async with connector_client() as bot:
        status, answer = await bot.post(ADS, activity)
        assert (status, answer["error"]["code"]) == (400, "BadArgument")
        assert said in answer["error"]["message"]
        assert bot.teams.messages("ads") == []
        root = (await bot.post(ADS, shown("fine")))[1]["id"]
        assert (await bot.call("PUT", f"/{ADS}/activities/{root}", activity))[0] == 400


async def test_suggested_actions_are_few_and_words_to_say() -> None:
    async with connector_client() as bot:
        actions = [{"type": "imBack", "title": str(each), "value": str(each)} for each in range(4)]
        assert (await bot.post(CHAT, shown("a", card(), suggestedActions={"actions": actions[:3]})))[0] == 201
        assert bot.teams.bot_messages(CHAT)[0].suggestions == ["0", "1", "2"]
        picture = {"contentType": "image/png", "contentUrl": "https://pictures.example/a.png"}
        for wrong in (
            shown("a", suggestedActions={"actions": actions}),
            shown("a", suggestedActions={"actions": []}),
            shown("a", suggestedActions={"actions": [{"type": "openUrl", "title": "a", "value": "b"}]}),
            shown("a", suggestedActions={"actions": actions[:1]}) | {"attachments": [picture]},
        ):
            assert (await bot.post(CHAT, wrong))[0] == 400


async def test_a_message_may_be_split_and_has_no_id_then() -> None:
    async with connector_client() as bot:
        bot.teams.world.splits_messages = True
        assert await bot.post(ADS, shown("An answer", card({"type": "TextBlock", "text": "a"}))) == (201, {})
        words, below = bot.teams.bot_messages("ads")
        assert (words.text, words.cards, below.text) == ("An answer", [], "")
        assert below.card["body"] == [{"type": "TextBlock", "text": "a"}]
        assert (await bot.post(ADS, shown("words alone")))[1]["id"]


async def test_eighty_kilobytes_of_utf_16() -> None:
    async with connector_client() as bot:
        assert (await bot.post(ADS, shown("ü" * 40_000)))[0] == 201
        status, answer = await bot.post(ADS, shown("ü" * 41_000))
        assert (status, answer["error"]["code"]) == (413, "MessageSizeTooBig")
        root = bot.teams.bot_messages("ads")[0].id
        assert (await bot.call("PUT", f"/{ADS}/activities/{root}", shown("x" * 41_000)))[0] == 413
        picture = f"data:image/png;base64,{'A' * 90_000}"
        assert (await bot.post(ADS, shown("a", card({"type": "Image", "url": picture}))))[0] == 201


async def test_somebody_elses_message_is_not_changed() -> None:
    async with connector_client() as bot:
        said = (await bot.teams.person(1).says("mine")).written
        status, answer = await bot.call("PUT", f"/{ADS}/activities/{said.id}", shown("yours"))
        assert (status, answer["error"]["code"]) == (403, "Forbidden")


async def test_conversations_are_begun() -> None:
    async with connector_client() as bot:
        person = bot.teams.person(1).account
        body = {"members": [{"id": person.object_id}], "tenantId": TENANT, "bot": {"id": bot.teams.world.bot}}
        assert await bot.call("POST", "", body) == (201, {"id": CHAT})
        assert (await bot.call("POST", "", {**body, "tenantId": ""}))[0] == 400
        assert (await bot.call("POST", "", {**body, "members": []}))[0] == 400
        assert (await bot.call("POST", "", {"channelData": {"channel": {"id": ADS}}}))[0] == 400
        assert (await bot.call("POST", f"/{ADS}/activities/77", shown("lost")))[0] == 404
        assert (await bot.call("POST", "", {**body, "members": [{"id": "29:nobody"}]}))[0] == 403
        begun = {"channelData": {"channel": {"id": ADS}}, "activity": shown("a new thread"), "isGroup": True}
        status, answer = await bot.call("POST", "", begun)
        assert (status, answer["id"]) == (201, f"{ADS};messageid={answer['activityId']}")
        assert [each.text for each in bot.teams.messages(answer["id"])] == ["a new thread"]


async def test_a_chat_is_begun_only_with_somebody_whom_the_app_meets() -> None:
    async with connector_client(installed=False) as bot:
        body = {"members": [{"id": bot.teams.person(1).account.user}], "tenantId": TENANT}
        status, answer = await bot.call("POST", "", body)
        assert (status, answer["error"]["code"]) == (403, "ForbiddenOperationException")
        bot.teams.world.place("talk").is_installed_here = True
        assert (await bot.call("POST", "", body))[0] == 201
        assert (await bot.post(CHAT, shown("hello")))[0] == 201


async def test_the_roster() -> None:
    async with connector_client() as bot:
        guest = bot.teams.person(4, kind="guest")
        outsider = bot.teams.person(5, kind="federated")
        for number in (4, 5):
            bot.teams.join(number, TALK)
        listed = (await bot.call("GET", f"/{TALK}/members"))[1]
        assert [each["userRole"] for each in listed] == ["user", "user", "user", "guest", "user"]
        assert listed[0]["aadObjectId"] == bot.teams.person(1).account.object_id
        assert "aadObjectId" not in listed[4]
        assert (listed[3]["tenantId"], listed[4]["tenantId"]) == (TENANT, OTHER_TENANT)
        bot.teams.world.page_size = 3
        first = (await bot.call("GET", f"/{TALK}/pagedmembers?pageSize=500"))[1]
        rest = (await bot.call("GET", f"/{TALK}/pagedmembers?continuationToken={first['continuationToken']}"))[1]
        assert [*first["members"], *rest["members"]] == listed
        assert "continuationToken" not in rest
        for id_ in (guest.account.object_id, guest.account.user):
            assert (await bot.call("GET", f"/{TALK}/members/{id_}"))[1] == listed[3]
        status, answer = await bot.call("GET", f"/{ADS}/members/{outsider.account.user}")
        assert (status, answer["error"]["code"]) == (404, "MemberNotFoundInConversation")
        for query in ("pageSize=0", "pageSize=501", "continuationToken=x"):
            assert (await bot.call("GET", f"/{TALK}/pagedmembers?{query}"))[0] == 400
        assert (await bot.call("GET", "/19:nobody@thread.v2/members"))[0] == 404
        await bot.teams.person(1).uninstalls("talk")
        assert (await bot.call("GET", f"/{TALK}/members"))[1]["error"]["code"] == "BotNotInConversationRoster"


async def test_limits_are_the_documented_ones() -> None:
    seconds = Seconds()
    async with connector_client(limits=Limits(), monotonic=seconds) as bot:
        assert [(await bot.post(ADS, shown("a")))[0] for _ in range(8)] == [201] * 7 + [429]
        assert bot.headers["Retry-After"] == "1"
        assert (await bot.post(TALK, shown("a")))[0] == 201
        seconds.now += 1.1
        assert [(await bot.post(f"{ADS}", shown("a")))[0] for _ in range(2)] == [201, 429]
        seconds.now += 1.1
        assert (await bot.post(ADS, shown("a")))[0] == 201


async def test_no_limits_are_none() -> None:
    async with connector_client(limits=NO_LIMITS, monotonic=Seconds()) as bot:
        assert {(await bot.post(ADS, shown("a")))[0] for _ in range(60)} == {201}


async def test_typing_is_seen_and_is_no_message() -> None:
    async with connector_client() as bot:
        assert await bot.post(ADS, {"type": "typing"}) == (202, {})
        assert [each.operation for each in bot.teams.calls] == ["typing"]
        assert bot.teams.messages("ads") == []


async def test_troubles() -> None:
    async with connector_client() as bot:
        bot.teams.trouble("POST", 429, Retry_After="2")
        bot.teams.trouble("POST", Trouble(502, after_doing=True))
        assert (await bot.post(ADS, shown("a")))[0] == 429
        assert bot.headers["Retry-After"] == "2"
        assert bot.teams.messages("ads") == []
        assert (await bot.post(ADS, shown("b")))[0] == 502
        assert [each.text for each in bot.teams.messages("ads")] == ["b"]
        bot.teams.trouble("POST", slow(0.01))
        assert (await bot.post(ADS, shown("c")))[0] == 201
        bot.teams.trouble("POST", cut())
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await bot.post(ADS, shown("d"))
        assert (await _code(bot, 412)) == "PreconditionFailed"


async def _code(bot: ConnectorClient, status: int) -> str:
    bot.teams.trouble("POST", status)
    return str((await bot.post(ADS, shown("a")))[1]["error"]["code"])
