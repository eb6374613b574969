"""Who may change what holds in a channel, and whom "Ask a person" may reach: read from Slack each time, never kept.

Slack tells a bot who administers the workspace (`users.info`) and who made a channel (`conversations.info`). It does
not tell who manages a channel: that takes an organisation's `admin.*` token. So admins and owners of the workspace, and
who made the channel and is still a full member, may change its settings; all others may look at them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.lookups import is_shared_outside, person_of
from adapters.slack.web_api import called
from bot.wording import channels as words
from rag_core.errors import Rejected

_MOST_GROUPS = 100
_ADMINISTERS = ("is_admin", "is_owner", "is_primary_owner")


@dataclass(frozen=True, slots=True)
class ChannelFacts:
    """What Slack shows the bot of a channel. `is_talk`: a direct message, of two or more."""

    creator: str
    has_bot: bool
    is_talk: bool
    is_archived: bool
    is_outside: bool


async def channel_facts(client: AsyncWebClient, channel: str) -> ChannelFacts | None:
    """None for a channel that the bot does not see. Raises Unavailable, Rejected for anything else."""
    try:
        answer = await called(client.conversations_info(channel=channel))
    except Rejected as exc:
        if exc.code == "slack_not_in_channel":
            return None
        raise
    found = answer.get("channel")
    if not isinstance(found, dict):
        return None
    return ChannelFacts(
        creator=str(found.get("creator") or ""),
        has_bot=found.get("is_member") is True,
        is_talk=bool(found.get("is_im") or found.get("is_mpim")),
        is_archived=bool(found.get("is_archived")),
        is_outside=is_shared_outside(found),
    )


async def may_change(client: AsyncWebClient, team: str, user: str, channel: ChannelFacts) -> bool:
    """Raises Unavailable, Rejected."""
    try:
        answer = await called(client.users_info(user=user))
    except Rejected as exc:
        if exc.details.get("error") in ("user_not_found", "user_not_visible"):
            return False
        raise
    found = answer.get("user")
    if not isinstance(found, dict) or not person_of(found, team).is_full:
        return False
    return any(found.get(name) is True for name in _ADMINISTERS) or (bool(user) and channel.creator == user)


async def groups_of(client: AsyncWebClient, team: str) -> Mapping[str, str]:
    """User groups of the workspace that are not disabled, id -> name; none where the app may not read them."""
    try:
        answer = await called(client.usergroups_list(team_id=team))
    except Rejected:
        return {}
    listed: Any = answer.get("usergroups")
    groups = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {str(each["id"]): str(each.get("name") or each["id"]) for each in groups[:_MOST_GROUPS] if each.get("id")}


async def unreachable(client: AsyncWebClient, channel: str) -> str:
    """Why people cannot be asked in a channel, as a sentence; "" if they can."""
    facts = await channel_facts(client, channel)
    if facts is None or facts.is_talk or not facts.has_bot:
        return words.not_there()
    if facts.is_outside:
        return words.not_outside()
    return words.closed_channel() if facts.is_archived else ""
