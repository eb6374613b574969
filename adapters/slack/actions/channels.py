"""Whether somebody, and the bot, are in a channel."""

from enum import StrEnum

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.client import called
from rag_core.errors import Rejected

_PAGE, _MOST_PAGES = 1_000, 5


class Standing(StrEnum):
    """`READ_ELSEWHERE`: another company reads the channel, or soon will. `UNKNOWN`: it is too large to be read."""

    BOTH_IN = "both_in"
    BOT_MISSING = "bot_missing"
    PERSON_MISSING = "person_missing"
    READ_ELSEWHERE = "read_elsewhere"
    UNKNOWN = "unknown"


_SHARED_FLAGS = ("is_ext_shared", "is_pending_ext_shared")


async def standing(client: AsyncWebClient, channel: str, person: str) -> Standing:
    """Raises Unavailable, Rejected."""
    if not channel:
        return Standing.UNKNOWN
    try:
        found = (await called(client.conversations_info(channel=channel))).get("channel")
        if not isinstance(found, dict) or found.get("is_member") is not True:
            return Standing.BOT_MISSING
        if any(found.get(each) for each in _SHARED_FLAGS):
            return Standing.READ_ELSEWHERE
        return await _person_in(client, channel, person)
    except Rejected as exc:
        if exc.code == "slack_not_in_channel":
            return Standing.BOT_MISSING
        raise


async def _person_in(client: AsyncWebClient, channel: str, person: str) -> Standing:
    cursor = ""
    for _ in range(_MOST_PAGES):
        page = await called(client.conversations_members(channel=channel, limit=_PAGE, cursor=cursor))
        if person in page.get("members", ()):
            return Standing.BOTH_IN
        cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return Standing.PERSON_MISSING
    return Standing.UNKNOWN
