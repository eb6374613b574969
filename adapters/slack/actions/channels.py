"""Whether somebody, and the bot, are in a channel."""

from enum import StrEnum

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.web_api import called
from rag_core.errors import Rejected

_PAGE, _MOST_PAGES = 1_000, 5


class Standing(StrEnum):
    """`UNKNOWN`: the channel is too large to be read through."""

    BOTH_IN = "both_in"
    BOT_MISSING = "bot_missing"
    PERSON_MISSING = "person_missing"
    UNKNOWN = "unknown"


async def standing(client: AsyncWebClient, channel: str, person: str) -> Standing:
    """Raises Unavailable, Rejected."""
    if not channel:
        return Standing.UNKNOWN
    try:
        found = (await called(client.conversations_info(channel=channel))).get("channel")
        if not isinstance(found, dict) or found.get("is_member") is not True:
            return Standing.BOT_MISSING
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
