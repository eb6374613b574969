"""A channel's settings in a modal: who may change them, and what is checked when they are saved."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.access import SECONDS, said_outside
from adapters.slack.client import called
from adapters.slack.directory import is_shared_outside, person_of
from adapters.slack.gate import GATE_SECONDS
from adapters.slack.parts import ChannelPorts, SlackParts
from adapters.slack.payloads import installed_in, user_of
from adapters.slack.question_keeping import ACCEPT_SECONDS
from bot.commands.settings import SettingsGiven, SettingsOffer, wanted
from bot.model.channels import ChannelPreferences, ShownTo
from bot.model.outcomes import Admitted
from bot.render.blocks import Block
from bot.render.slack import settings as shown
from bot.render.slack.view import SlackAction, SlackModal
from bot.wording import channels as words
from bot.wording import why_not
from rag_core.errors import Rejected, Unavailable

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
        return words.NOT_THERE
    if facts.is_outside:
        return words.NOT_OUTSIDE
    return words.CLOSED_CHANNEL if facts.is_archived else ""


PLATFORM = "slack"


@dataclass(frozen=True, slots=True)
class _Editing:
    """Whose modal it is, of which channel."""

    ports: ChannelPorts
    client: AsyncWebClient
    team: str
    channel: str
    user: str
    enterprise: str
    outside: str
    seconds: float = SECONDS

    @property
    def place(self) -> tuple[str, str, str]:
        return PLATFORM, self.team, self.channel


def add_settings(bolt: AsyncApp, parts: SlackParts) -> None:
    ports = parts.channels
    if ports is None:
        return

    async def open_settings(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        channel, trigger = _chosen_channel(body), str(body.get("trigger_id") or "")
        if channel:
            team, enterprise, _ = installed_in(body)
            outside = said_outside(body, team)
            work = run_settings(parts, team, channel, user_of(body), trigger, enterprise, outside)
            parts.tasks.start(work, "settings")

    async def save(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                return await ack(**await _saved(parts, ports, body))
        except (Unavailable, TimeoutError):
            return await ack(response_action="errors", errors={shown.PLACES: words.LATER})
        except Rejected:
            return await ack(response_action="update", view=shown.sentence_view(words.UNKNOWN_CHANNEL))

    bolt.action(SlackAction.OPEN_SETTINGS)(open_settings)
    bolt.view(SlackModal.SETTINGS)(save)


async def run_settings(
    parts: SlackParts,
    team: str,
    channel: str,
    user: str,
    trigger_id: str,
    enterprise: str = "",
    outside: str = "",
) -> None:
    """Opens the settings of `channel` for `user`: a loading view at once, for a trigger lives 3 seconds. Raises
    Unavailable, Rejected where it cannot be opened."""
    ports = parts.channels
    if ports is None:
        return
    client = await parts.clients.of(team, enterprise)
    opened = await called(client.views_open(trigger_id=trigger_id, view=shown.loading_view(channel)))
    view = opened.get("view")
    view_id = str(view.get("id") or "") if isinstance(view, dict) else ""
    editing = _Editing(ports, client, team, channel, user, enterprise, outside)
    try:
        now = await _view(editing)
    except Unavailable:
        now = shown.sentence_view(words.NOT_LOADED, channel)
    await called(client.views_update(view_id=view_id, view=now))


async def _view(editing: _Editing) -> Block:
    """What the person is to see: to be changed, to be looked at, or why there is nothing."""
    admitted = await _admitted(editing)
    if admitted.is_refused:
        return shown.sentence_view(why_not(admitted), editing.channel)
    facts = await channel_facts(editing.client, editing.channel)
    if facts is None:
        return shown.sentence_view(words.UNKNOWN_CHANNEL, editing.channel)
    if facts.is_talk:
        return shown.sentence_view(words.ONLY_CHANNELS, editing.channel)
    allowed, offer = await asyncio.gather(
        may_change(editing.client, editing.team, editing.user, facts), _offer(editing)
    )
    return shown.settings_view(editing.channel, offer, may_save=allowed and admitted is Admitted.ALLOWED)


async def _admitted(editing: _Editing) -> Admitted:
    who = (editing.team, editing.channel, editing.user)
    about = {"enterprise": editing.enterprise, "outside": editing.outside}
    return await editing.ports.admits(*who, **about, seconds=editing.seconds)


async def _offer(editing: _Editing) -> SettingsOffer:
    ports = editing.ports
    preferences, platforms, groups = await asyncio.gather(
        ports.settings.of(*editing.place), ports.platforms(), groups_of(editing.client, editing.team)
    )
    subscriptions = await ports.subscriptions.of_channel(*editing.place) if ports.subscriptions else ()
    return SettingsOffer(preferences, platforms, groups, subscriptions)


async def _saved(parts: SlackParts, ports: ChannelPorts, body: Mapping[str, Any]) -> dict[str, Any]:
    """Bolt's arguments of the acknowledgement. Raises Unavailable, Rejected."""
    (team, enterprise, _), user = installed_in(body), user_of(body)
    view = body.get("view") or {}
    channel = str(view.get("private_metadata") or "")
    client = await parts.clients.of(team, enterprise)
    editing = _Editing(ports, client, team, channel, user, enterprise, said_outside(body, team), GATE_SECONDS)
    facts = await channel_facts(client, channel)
    if facts is None or facts.is_talk:
        return _instead(words.UNKNOWN_CHANNEL)
    if await _admitted(editing) is not Admitted.ALLOWED or not await may_change(client, team, user, facts):
        return _instead(words.NOT_ALLOWED)
    given = _Given((view.get("state") or {}).get("values") or {})
    before, platforms = await asyncio.gather(ports.settings.of(*editing.place), ports.platforms())
    now = wanted(before, _filled_in(given, before), platforms)
    if errors := await _errors(editing, given):
        return {"response_action": "errors", "errors": errors}
    await ports.settings.save(*editing.place, now, user)
    for each in given.several(shown.END):
        if ports.subscriptions is not None:
            await ports.subscriptions.end(*editing.place, user, each)
    return _instead(words.SAVED)


def _instead(sentence: str) -> dict[str, Any]:
    return {"response_action": "update", "view": shown.sentence_view(sentence)}


def _filled_in(given: "_Given", before: ChannelPreferences) -> SettingsGiven:
    group = given.one(shown.PERSON_GROUP) if given.has(shown.PERSON_GROUP) else _group_of(before)
    asker = given.one(shown.SHOWN_TO) == ShownTo.ASKER
    return SettingsGiven(
        regions=given.several(shown.PLACES),
        policy_sources=given.several(shown.PLATFORMS) if given.has(shown.PLATFORMS) else None,
        follow_ups=shown.FOLLOW in given.several(shown.FOLLOW_UPS),
        escalate_to=given.one(shown.PERSON_CHANNEL) or group,
        shown_to=ShownTo.ASKER if asker else ShownTo.CHANNEL,
    )


def _group_of(preferences: ChannelPreferences) -> str:
    return preferences.escalate_to if preferences.escalate_to.startswith("S") else ""


async def _errors(editing: _Editing, given: "_Given") -> dict[str, str]:
    """What stands beside the fields that cannot be saved."""
    channel, group = given.one(shown.PERSON_CHANNEL), given.one(shown.PERSON_GROUP)
    if channel and group:
        return {shown.PERSON_CHANNEL: words.ONE_OF_BOTH}
    if channel:
        reason = await unreachable(editing.client, channel)
        return {shown.PERSON_CHANNEL: reason} if reason else {}
    if group and group not in await groups_of(editing.client, editing.team):
        return {shown.PERSON_GROUP: words.NO_SUCH_GROUP}
    return {}


@dataclass(frozen=True, slots=True)
class _Given:
    """What was filled in, by block."""

    values: Mapping[str, Any]

    def has(self, block: str) -> bool:
        return block in self.values

    def one(self, block: str) -> str:
        state = self._state(block)
        option = state.get("selected_option")
        chosen = option.get("value") if isinstance(option, dict) else state.get("selected_conversation")
        return chosen if isinstance(chosen, str) else ""

    def several(self, block: str) -> list[str]:
        return list(self._options(self._state(block).get("selected_options")))

    def _state(self, block: str) -> Mapping[str, Any]:
        found = self.values.get(block, {}).get(block, {})
        return found if isinstance(found, dict) else {}

    def _options(self, options: object) -> Iterator[str]:
        for each in options if isinstance(options, list) else ():
            if isinstance(each, dict) and isinstance(each.get("value"), str):
                yield each["value"]


def _chosen_channel(body: Mapping[str, Any]) -> str:
    """What was picked in a menu, or a button's value."""
    actions = body.get("actions")
    action = actions[0] if isinstance(actions, list) and actions else {}
    chosen = action.get("selected_conversation") or action.get("value")
    return chosen if isinstance(chosen, str) else ""
