"""What reaches the connector: whole, to the right place, signed with one token, as often as is right."""

import asyncio
import copy
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from blockbuster import blockbuster_ctx

from adapters.teams.addresses import TeamsReference
from adapters.teams.botframework.connecting import ConnectorClients
from adapters.teams.botframework.wire import ConnectorPatience, Wire
from adapters.teams.settings import AppType
from adapters.teams.tokens import AppTokens, Granted
from rag_core.errors import Rejected, Unavailable
from tests.fakes.teams import APP_ID, APP_SECRET, BOT, CHANNEL, TENANT
from tests.fakes.teams_connector import Desk, Trouble, connector_desk

THREAD = f"{CHANNEL};messageid=1700000000000"
AT = "/teams/v3/conversations/19%3Aads%40thread.tacv2%3Bmessageid%3D1700000000000/activities"

ACTIVITY: dict[str, object] = {
    "type": "message",
    "text": "Grüße [1] \u202bعربي\u202c 𝔞",
    "textFormat": "markdown",
    "summary": "",
    "speak": None,
    "entities": [
        {
            "type": "https://schema.org/Message",
            "@type": "Message",
            "@context": "https://schema.org",
            "additionalType": ["AIGeneratedContent"],
            "citation": [
                {
                    "@type": "Claim",
                    "position": 1,
                    "appearance": {"@type": "DigitalDocument", "name": "n", "abstract": "a", "keywords": ["k"]},
                }
            ],
        },
        {"type": "streaminfo", "streamId": "s-1", "streamType": "final", "streamSequence": 3},
        {"type": "mention", "mentioned": {"id": "29:x", "name": "N"}, "text": "<at>N</at>"},
        {},
    ],
    "attachments": [
        {
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {"type": "AdaptiveCard", "body": [{"type": "Table", "rows": [], "isVisible": False, "x": None}]},
            "unknown": {"deep": [1, 2.5, True, None, {"": ""}]},
        }
    ],
    "channelData": {"feedbackLoop": {"type": "default"}, "streamId": "s-1", "notification": {"alert": True}},
    "suggestedActions": {"to": ["29:x"], "actions": [{"type": "imBack", "title": "t", "value": "v", "odd": 1}]},
    "value": {"verb": "x"},
    "nobodyKnowsThis": [[], {}],
}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with connector_desk() as made:
        yield made


async def test_nothing_of_an_activity_is_lost_or_added_but_its_address(desk: Desk) -> None:
    """botbuilder strips entities to their type, and drops what its models do not know."""
    given = copy.deepcopy(ACTIVITY)
    assert await desk.sdk.outbound.send(desk.to(THREAD), given) == "id-2"
    sent = desk.connector.reached[0]
    addressed = {
        "channelId": "msteams",
        "serviceUrl": desk.service_url,
        "from": {"id": BOT},
        "conversation": {"id": THREAD},
    }
    assert (sent.method, sent.path, sent.body) == ("POST", AT, ACTIVITY | addressed)
    assert given == ACTIVITY
    await desk.sdk.outbound.update(desk.to(THREAD), "1:2/3;x", given)
    changed = desk.connector.reached[1]
    assert (changed.method, changed.path) == ("PUT", f"{AT}/1%3A2%2F3%3Bx")
    assert changed.body == ACTIVITY | addressed | {"id": "1:2/3;x"}


async def test_a_forged_address_in_an_activity_does_not_count(desk: Desk) -> None:
    forged = {
        "type": "message",
        "conversation": {"id": "19:else"},
        "from": {"id": "28:else"},
        "serviceUrl": "https://x/",
    }
    await desk.sdk.outbound.send(desk.to(THREAD), forged)
    sent = desk.connector.reached[0]
    assert sent.path == AT
    assert isinstance(sent.body, dict)
    assert (sent.body["conversation"], sent.body["from"]) == ({"id": THREAD}, {"id": BOT})
    assert sent.body["serviceUrl"] == desk.service_url


async def test_deleting_typing_and_opening_a_conversation(desk: Desk) -> None:
    await desk.sdk.outbound.delete(desk.to(THREAD), "17")
    await desk.sdk.outbound.typing(desk.to(THREAD))
    opened = await desk.sdk.outbound.resume(desk.to(THREAD), "29:somebody")
    deleted, typed, created = desk.connector.reached
    assert (deleted.method, deleted.path, deleted.body) == ("DELETE", f"{AT}/17", None)
    assert isinstance(typed.body, dict)
    assert (typed.method, typed.path, typed.body["type"]) == ("POST", AT, "typing")
    assert (created.method, created.path) == ("POST", "/teams/v3/conversations")
    assert isinstance(created.body, dict)
    assert created.body["members"] == [{"id": "29:somebody"}]
    assert created.body["channelData"] == {"tenant": {"id": TENANT}}
    assert (created.body["isGroup"], created.body["bot"]) == (False, {"id": BOT})
    assert opened == TeamsReference(desk.service_url, TENANT, "id-3", BOT)


async def test_one_token_for_many_sends_even_at_once(desk: Desk) -> None:
    """botbuilder fetches one for each turn, and one more for signing people in."""
    await asyncio.gather(*(desk.sdk.outbound.send(desk.to(THREAD), {"text": str(n)}) for n in range(40)))
    await desk.sdk.directory.members(desk.to(THREAD), 10)
    assert len(desk.connector.reached) == 41
    expected = {"grant_type": "client_credentials", "client_id": APP_ID, "client_secret": APP_SECRET}
    assert desk.connector.forms == [(TENANT, expected | {"scope": "https://api.botframework.com/.default"})]
    assert {each.token for each in desk.connector.reached} == {"token-1"}


async def test_a_multi_tenant_app_asks_bot_frameworks_own_tenant() -> None:
    async with connector_desk(app_type=AppType.MULTI_TENANT) as desk:
        await desk.sdk.outbound.typing(desk.to(THREAD))
        assert [tenant for tenant, _ in desk.connector.forms] == ["botframework.com"]


async def test_a_token_that_is_not_taken_any_more_is_replaced_once(desk: Desk) -> None:
    await desk.sdk.outbound.typing(desk.to(THREAD))
    desk.connector.refuses.add("token-1")
    await desk.sdk.outbound.typing(desk.to(THREAD))
    assert len(desk.connector.forms) == 2
    desk.connector.refuses |= {f"token-{number}" for number in range(20)}
    with pytest.raises(Unavailable) as raised:
        await desk.sdk.outbound.typing(desk.to(THREAD))
    assert (raised.value.code, raised.value.details["delivered"]) == ("teams_error", "no")
    assert len(desk.connector.forms) == 3


async def test_nothing_blocks_the_event_loop(desk: Desk) -> None:
    with blockbuster_ctx():
        await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
        await desk.sdk.outbound.update(desk.to(THREAD), "1", ACTIVITY)
        await desk.sdk.outbound.delete(desk.to(THREAD), "1")
        await desk.sdk.outbound.resume(desk.to(THREAD), "29:x")
        await desk.sdk.directory.members(desk.to(THREAD), 10)


@pytest.mark.parametrize("status", [412, 429, 502, 504])
async def test_what_microsoft_says_to_try_again_is_tried_again(desk: Desk, status: int) -> None:
    """botbuilder tries once."""
    desk.connector.troubles.extend([Trouble(status), Trouble(status)])
    assert await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
    assert (len(desk.connector.reached), desk.slept) == (3, [1.0, 2.0])


@pytest.mark.parametrize("status", [502, 504])
async def test_what_may_have_been_taken_is_not_sent_again_where_that_is_looked_for(desk: Desk, status: int) -> None:
    desk.connector.troubles.append(Trouble(status, "Gateway"))
    with pytest.raises(Unavailable) as raised:
        await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY, once=True)
    assert raised.value.code == "teams_error"
    assert raised.value.details == {"error": "Gateway", "delivered": "unknown", "again": True}
    assert len(desk.connector.reached) == 1
    desk.connector.troubles.extend([Trouble(412), Trouble(429)])
    assert await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY, once=True)
    assert len(desk.connector.reached) == 4
    assert len(desk.connector.forms) == 1


async def test_what_microsoft_does_not_want_again_is_not_said_to_be(desk: Desk) -> None:
    desk.connector.troubles.append(Trouble(500, "Odd"))
    with pytest.raises(Unavailable) as raised:
        await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY, once=True)
    assert raised.value.details == {"error": "Odd", "delivered": "unknown"}


async def test_it_waits_as_long_as_teams_asks(desk: Desk) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=12), usegmt=True)
    desk.connector.troubles.extend([Trouble(429, headers={"Retry-After": each}) for each in ("7", moment, "soon")])
    await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
    assert desk.slept[0] == 7.0
    assert 9.0 < desk.slept[1] <= 12.0
    assert desk.slept[2] == 4.0


async def test_a_longer_wait_is_the_callers(desk: Desk) -> None:
    desk.connector.troubles.append(Trouble(429, headers={"Retry-After": "90"}))
    with pytest.raises(Unavailable) as raised:
        await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
    assert raised.value.code == "teams_slow_down"
    assert raised.value.details == {"retry_after": 90.0, "delivered": "no"}
    assert desk.slept == []


async def test_it_gives_up_after_five_tries(desk: Desk) -> None:
    desk.connector.troubles.extend([Trouble(502)] * 9)
    with pytest.raises(Unavailable) as raised:
        await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
    assert (raised.value.code, raised.value.details["delivered"]) == ("teams_error", "unknown")
    assert len(desk.connector.reached) == 5


async def test_after_a_502_nobody_says_that_nothing_was_delivered(desk: Desk) -> None:
    desk.connector.troubles.extend([Trouble(502), Trouble(429, headers={"Retry-After": "900"})])
    with pytest.raises(Unavailable) as raised:
        await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
    assert (raised.value.code, raised.value.details["delivered"]) == ("teams_slow_down", "unknown")


Call = Callable[[Desk], Awaitable[object]]
SEND: Call = lambda desk: desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)  # noqa: E731
UPDATE: Call = lambda desk: desk.sdk.outbound.update(desk.to(THREAD), "1", ACTIVITY)  # noqa: E731
DELETE: Call = lambda desk: desk.sdk.outbound.delete(desk.to(THREAD), "1")  # noqa: E731
RESUME: Call = lambda desk: desk.sdk.outbound.resume(desk.to(THREAD), "29:x")  # noqa: E731
MEMBERS: Call = lambda desk: desk.sdk.directory.members(desk.to(THREAD), 9)  # noqa: E731


@pytest.mark.parametrize(
    ("call", "status", "code", "expected"),
    [
        (SEND, 403, "ForbiddenOperationException", "teams_channel_closed"),
        (SEND, 403, "", "teams_channel_closed"),
        (SEND, 404, "ConversationNotFound", "teams_channel_closed"),
        (SEND, 404, "", "teams_channel_closed"),
        (RESUME, 403, "ConversationBlockedByUser", "teams_channel_closed"),
        (MEMBERS, 404, "ConversationNotFound", "teams_channel_closed"),
        (UPDATE, 404, "ConversationNotFound", "teams_channel_closed"),
        (UPDATE, 404, "ActivityNotFoundInConversation", "teams_message_gone"),
        (DELETE, 404, "", "teams_message_gone"),
        (UPDATE, 403, "BotNotInConversationRoster", "teams_channel_closed"),
        (SEND, 413, "", "teams_message_too_big"),
        (UPDATE, 413, "MessageSizeTooBig", "teams_message_too_big"),
        (SEND, 400, "MessageSizeTooBig", "teams_message_too_big"),
        (SEND, 403, "ContentStreamNotAllowed", "teams_stream_over"),
        (SEND, 400, "BadSyntax", "teams_refused"),
        (SEND, 400, "", "teams_refused"),
    ],
)
async def test_what_teams_refuses_is_said_in_our_words(
    desk: Desk, call: Call, status: int, code: str, expected: str
) -> None:
    desk.connector.troubles.append(Trouble(status, code))
    with pytest.raises(Rejected) as raised:
        await call(desk)
    assert raised.value.code == expected
    assert raised.value.details.get("error", code) in (code, f"http_{status}")
    assert (len(desk.connector.reached), desk.slept) == (1, [])


@pytest.mark.parametrize("status", [500, 503, 302])
async def test_what_else_teams_says_may_pass(desk: Desk, status: int) -> None:
    desk.connector.troubles.append(Trouble(status, headers={"Location": "/elsewhere"}))
    with pytest.raises(Unavailable, match="teams_error") as raised:
        await SEND(desk)
    assert raised.value.details["delivered"] == ("no" if status == 302 else "unknown")
    assert len(desk.connector.reached) == 1


async def test_a_connection_that_breaks_off_may_have_delivered(desk: Desk) -> None:
    desk.connector.troubles.append(Trouble(drops=True))
    with pytest.raises(Unavailable, match="teams_unreachable") as raised:
        await SEND(desk)
    assert raised.value.details["delivered"] == "unknown"
    assert len(desk.connector.reached) == 1


async def test_where_nobody_listens_nothing_was_sent_and_it_is_tried_again(desk: Desk) -> None:
    to = TeamsReference("http://127.0.0.1:9/teams/", TENANT, THREAD, BOT)
    with pytest.raises(Unavailable, match="teams_unreachable") as raised:
        await desk.sdk.outbound.send(to, ACTIVITY)
    assert raised.value.details["delivered"] == "no"
    assert desk.slept == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("secret", "status", "code"), [("another", 200, "teams_error"), (APP_SECRET, 503, "teams_unreachable")]
)
async def test_without_a_token_nothing_is_sent(secret: str, status: int, code: str) -> None:
    async with connector_desk(app_secret=secret) as desk:
        desk.connector.login_status = status
        with pytest.raises(Unavailable) as raised:
            await SEND(desk)
        assert (raised.value.code, raised.value.details["delivered"]) == (code, "no")
        assert secret not in f"{raised.value} {raised.value.__cause__}"
        assert desk.connector.reached == []


@pytest.mark.parametrize("address", ["http://elsewhere.example/", "ftp://127.0.0.1/", "", "https://x/{0}/", "https://"])
async def test_no_token_goes_to_an_address_that_is_not_safe(desk: Desk, address: str) -> None:
    with pytest.raises(Rejected, match="service_url"):
        await desk.sdk.outbound.send(TeamsReference(address, TENANT, THREAD, BOT), ACTIVITY)
    assert desk.connector.forms == []


async def test_neither_secret_nor_token_is_logged(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
        desk.connector.refuses.add("token-1")
        desk.connector.troubles.extend([Trouble(502), Trouble(400, "BadSyntax")])
        with pytest.raises(Rejected):
            await desk.sdk.outbound.send(desk.to(THREAD), ACTIVITY)
    assert APP_SECRET not in caplog.text
    assert "token-" not in caplog.text


async def test_a_caller_that_waits_no_longer_ends_it(desk: Desk) -> None:
    desk.connector.troubles.append(Trouble(502))
    waits = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waits.set()
        await asyncio.Event().wait()

    asking = _clients(desk, sleep).of(desk.service_url).conversations.get_conversation_member("19:x", "29:x")
    asked = asyncio.ensure_future(asking)
    await waits.wait()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert len(desk.connector.reached) == 1


async def test_clients_are_kept_and_not_without_end(desk: Desk) -> None:
    clients = _clients(desk)
    first = clients.of("https://one.example/")
    assert clients.of("https://one.example/") is first
    for number in range(64):
        clients.of(f"https://{number}.example/")
    assert clients.of("https://one.example/") is not first


@pytest.mark.parametrize("body", ["[]", "{", " ", '{"id": {"odd": 1}}', '{"id": null}', "\x00"])
async def test_an_answer_of_another_shape_is_no_error_of_ours(desk: Desk, body: str) -> None:
    """What was taken is not sent again because of what Teams says about it."""
    desk.connector.troubles.append(Trouble(201, text=body))
    assert await SEND(desk) == ""
    desk.connector.troubles.append(Trouble(201, text=body))
    with pytest.raises(Unavailable, match="no_conversation"):
        await RESUME(desk)
    assert len(desk.connector.reached) == 2


def _clients(desk: Desk, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> ConnectorClients:
    async def grant(tenant: str, scope: str) -> Granted:
        return Granted("token-0", 3600.0)

    return ConnectorClients(Wire(desk.session, AppTokens(grant), TENANT, "scope", ConnectorPatience(), sleep))
