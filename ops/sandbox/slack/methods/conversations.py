"""conversations.*: channels, who is in them, what was said."""

from collections.abc import Sequence

from ops.sandbox.slack.channels import Channel, channel_json
from ops.sandbox.slack.methods.calling import Answer, Call, Method
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.shapes import message_json, with_replies
from ops.sandbox.slack.workspace import Message

_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
_TYPES = {"public_channel": "channel", "private_channel": "group", "im": "im", "mpim": "mpim"}
MOST_USERS = 8
FEW = 15
"""Messages a call for distributed apps outside the Marketplace."""


def info(call: Call) -> Answer:
    channel = _readable(call)
    found = channel_json(channel, call.workspace.team)
    if not call.flag("include_num_members"):
        found.pop("num_members", None)
    return {"ok": True, "channel": found}


def members(call: Call) -> Answer:
    return call.page(sorted(_readable(call).members), "members")


def listed(call: Call) -> Answer:
    kinds = {_TYPES.get(each.strip()) for each in call.text("types", "public_channel").split(",")}
    if None in kinds:
        raise SlackRefusal("invalid_types")
    for kind in kinds:
        call.need({"channel": "channels:read", "group": "groups:read"}.get(str(kind), f"{kind}:read"))
    found = [
        channel_json(each, call.workspace.team)
        for each in call.workspace.channels.values()
        if each.kind in kinds and each.found_by(BOT) and not (call.flag("exclude_archived") and each.is_archived)
    ]
    return call.page(found, "channels")


def joined(call: Call) -> Answer:
    """The channels that the bot is in, of the kinds that it may list."""
    answer = listed(call)
    shown = answer["channels"]
    found = [
        each
        for each in (shown if isinstance(shown, list) else [])
        if BOT in call.workspace.channels[each["id"]].members
    ]
    return {**answer, "channels": found}


def history(call: Call) -> Answer:
    """The newest first, replies left out."""
    channel = _with_history(call)
    found = [
        each
        for each in call.workspace.messages
        if each.channel == channel.channel_id and each.visible_to is None and (not each.thread_ts or each.is_broadcast)
    ]
    return _messages(call, list(reversed(_between(call, found))))


def replies(call: Call) -> Answer:
    """The first message of a thread, then its replies, the oldest first."""
    channel = _with_history(call)
    wanted = call.workspace.find(channel.channel_id, call.required("ts"))
    if wanted is None or wanted.visible_to:
        raise SlackRefusal("thread_not_found")
    first = call.workspace.find(channel.channel_id, wanted.thread_ts or wanted.ts) or wanted
    return _messages(call, [first, *_between(call, call.workspace.replies(channel.channel_id, first.ts))])


def opened(call: Call) -> Answer:
    """The direct message with one, or with up to eight."""
    if call.text("channel"):
        return {"ok": True, "channel": {"id": call.channel().channel_id}}
    wanted = call.structure("users")
    users = wanted if isinstance(wanted, list) else [each.strip() for each in str(wanted or "").split(",")]
    users = [str(each) for each in users if each]
    call.need("mpim:write" if len(users) > 1 else "im:write")
    _check_users(call, users)
    known = len(call.workspace.channels)
    channel = call.workspace.conversation(frozenset({BOT, *users}))
    existed = len(call.workspace.channels) == known
    shown = channel_json(channel, call.workspace.team) if call.flag("return_im") else {"id": channel.channel_id}
    return {"ok": True, "no_op": existed, "already_open": existed, "channel": shown}


def join(call: Call) -> Answer:
    channel = call.channel()
    if channel.kind != "channel":
        raise SlackRefusal("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise SlackRefusal("is_archived")
    call.workspace.join(channel.channel_id, BOT)
    return {"ok": True, "channel": channel_json(call.workspace.channels[channel.channel_id], call.workspace.team)}


def leave(call: Call) -> Answer:
    channel = call.channel()
    if BOT not in channel.members:
        return {"ok": True, "not_in_channel": True}
    call.workspace.leave(channel.channel_id, BOT)
    return {"ok": True}


def _check_users(call: Call, users: Sequence[str]) -> None:
    if not users:
        raise SlackRefusal("users_list_not_supplied")
    if len(users) > MOST_USERS:
        raise SlackRefusal("too_many_users")
    for each in users:
        user = call.workspace.people.get(each)
        if user is None:
            raise SlackRefusal("user_not_found")
        if user.deleted:
            raise SlackRefusal("user_disabled")
        if user.is_bot:
            raise SlackRefusal("cannot_dm_bot")


def _readable(call: Call) -> Channel:
    channel = call.channel()
    call.need(f"{channel.scopes}:read")
    return channel


def _with_history(call: Call) -> Channel:
    channel = call.channel()
    call.need(f"{channel.scopes}:history")
    if BOT not in channel.members:
        raise SlackRefusal("not_in_channel")
    return channel


def _between(call: Call, found: Sequence[Message]) -> list[Message]:
    oldest, latest = _time(call, "oldest", 0.0), _time(call, "latest", float("inf"))
    if call.flag("inclusive"):
        return [each for each in found if oldest <= float(each.ts) <= latest]
    return [each for each in found if oldest < float(each.ts) < latest]


def _time(call: Call, name: str, default: float) -> float:
    try:
        return float(call.text(name)) if call.text(name) else default
    except ValueError as exc:
        raise SlackRefusal(f"invalid_ts_{name}") from exc


def _messages(call: Call, found: Sequence[Message]) -> Answer:
    with_metadata, app = call.flag("include_all_metadata"), call.world.app
    shown = [
        with_replies(call.workspace, each, message_json(call.workspace, each, app.app_id, with_metadata=with_metadata))
        for each in found
    ]
    most = FEW if app.is_distributed else 999
    answer = call.page(shown, "messages", usual=min(100, most), most=most)
    following = answer["response_metadata"]
    return {**answer, "has_more": isinstance(following, dict) and bool(following["next_cursor"])}


METHODS = {
    "conversations.info": Method(info, _READ),
    "conversations.members": Method(members, _READ, tier=4),
    "conversations.list": Method(listed, _READ, tier=2, by_team=True),
    "users.conversations": Method(joined, _READ, by_team=True),
    "conversations.history": Method(history, _HISTORY),
    "conversations.replies": Method(replies, _HISTORY),
    "conversations.open": Method(opened, ("im:write", "mpim:write")),
    "conversations.join": Method(join, ("channels:join",)),
    "conversations.leave": Method(
        leave, ("channels:manage", "groups:write", "im:write", "mpim:write", "channels:join")
    ),
}
