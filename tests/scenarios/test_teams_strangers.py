"""People of other organisations: what their activities say of themselves, and what is kept of them."""

import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.access.outsiders import Outside
from bot.model.outcomes import Admitted
from bot.render.teams.view import TeamsInvoke
from tests.fakes.teams import (
    BOT,
    CHANNEL,
    GROUP_CHAT,
    OTHER_TENANT,
    SERVICE_URL,
    TENANT,
    TOKEN,
    activity,
    person_id,
    personal_chat,
    raw_activity,
    user_id,
)
from tests.fakes.teams_ways import IN_CHANNEL, Ways, ways_in

PLACES = ["", GROUP_CHAT, CHANNEL]


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as opened:
        yield opened


def theirs(**more: Any) -> dict[str, object]:
    """Of somebody of another organisation with an object id of that one."""
    raw = raw_activity(**{"text": "beer?", **more})
    sender: Any = raw["from"]
    return raw | {"from": {**sender, "tenantId": OTHER_TENANT}}


@pytest.mark.parametrize(
    "said",
    [
        {"text": "beer?"},
        {"text": "subscribe"},
        {"kind": "installationUpdate", "action": "add"},
        {"kind": "conversationUpdate", "membersAdded": [{"id": BOT}]},
    ],
)
async def test_nobody_is_written_to_by_the_object_id_of_another_organisation(ways: Ways, said: dict[str, Any]) -> None:
    """Whatever they do in their own chat with the bot: the same id may be somebody's here."""
    await ways.hears(theirs(**said))
    assert [(each.person, each.installed_by) for each in ways.known.rows.values()] == [("", "")]
    assert await ways.known.of_person("teams", TENANT, person_id(1)) is None


@pytest.mark.parametrize("where", PLACES)
async def test_a_conversation_of_another_organisation_is_outside(where: str) -> None:
    """What Teams says in two places, it says alike, or it is not believed."""
    raw = raw_activity("beer?", where=where)
    conversation: Any = raw["conversation"]
    found = activity("beer?", where=where, conversation={**conversation, "tenantId": OTHER_TENANT})
    assert found.outside == found.address.outside == Outside.PERSON
    same = activity("beer?", where=where, conversation={**conversation, "tenantId": TENANT.upper()})
    assert same.outside == ""


async def test_without_a_tenant_nothing_is_done(ways: Ways, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    kinds: list[dict[str, Any]] = [{}, *({"kind": "invoke", "name": f"{each}"} for each in TeamsInvoke)]
    for more in kinds:
        for tenant in ({}, {"tenant": {"id": ""}}, {"tenant": {"id": OTHER_TENANT}}):
            assert await ways.deliver(raw_activity("beer?", channelData=tenant, **more)) == 403
    assert (ways.inbox.accepted, ways.outbound.written, ways.known.rows) == ([], [], {})


async def test_logs_name_nobody_and_no_conversation(ways: Ways, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for where in PLACES:
        click: dict[str, Any] = {"kind": "invoke", "name": "adaptiveCard/action", "value": {"action": {"data": {}}}}
        for more in ({}, click):
            await ways.deliver(raw_activity("beer?", where=where, mentions_bot=bool(where), **more))
            await ways.deliver(theirs(where=where, **more))
    await ways.deliver(raw_activity("subscribe", where=CHANNEL, mentions_bot=True))
    ways.known.down = True
    await ways.deliver(raw_activity("beer?", kind="installationUpdate", action="add"))
    ways.verdict = Admitted.NOT_TO_GUESTS
    await ways.deliver(raw_activity("subscribe"))
    said = "\n".join(f"{each.name} {each.getMessage()} {each.args} {each.exc_text}" for each in caplog.records)
    assert "teams" in said
    for secret in (person_id(1), user_id(1), personal_chat(1), GROUP_CHAT, CHANNEL, IN_CHANNEL, SERVICE_URL, TOKEN):
        assert secret not in said, secret


@pytest.mark.parametrize("where", [GROUP_CHAT, CHANNEL])
async def test_what_several_read_is_never_taken_for_a_chat_alone(ways: Ways, where: str) -> None:
    """However an activity words it: what is private is shown whatever one person may see."""
    raw = raw_activity("beer?", where=where, mentions_bot=True)
    conversation: Any = raw["conversation"]
    for kind in ("personal", "", "meeting", None):
        for is_group in (True, None):
            told = {**conversation, "conversationType": kind, "isGroup": is_group}
            await ways.hears(raw | {"conversation": told, "id": f"{kind}-{is_group}"})
            assert not ways.last.private, (kind, is_group)


@pytest.mark.parametrize(
    "conversation",
    [
        {"id": "a:1", "conversationType": "personal", "isGroup": True},
        {"id": "8:orgid:1", "conversationType": ""},
        {"id": "48:notes", "conversationType": "meeting"},
    ],
)
async def test_what_is_not_known_to_be_a_chat_alone_is_none(ways: Ways, conversation: dict[str, Any]) -> None:
    assert activity("beer?", conversation=conversation).place != "personal"


async def test_a_chat_alone_is_one_also_where_its_kind_is_not_said(ways: Ways) -> None:
    """As in events of installations."""
    assert activity("", conversation={"id": "a:1"}).place == "personal"
