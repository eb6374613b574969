"""What the bot asks of Slack beside messages: channels, people, views, threads, and whose token it is."""

from collections.abc import Sequence

from ops.sandbox.slack.block_kit import Surface, check_view
from ops.sandbox.slack.calls import Answer, Call, Method, invalid, refuse
from ops.sandbox.slack.limits import SlackRefusal
from ops.sandbox.slack.people import BOT, BOT_ID
from ops.sandbox.slack.views import View
from ops.sandbox.slack.workspace import Message, message_json
from ops.sandbox.slack.world import Place

_KINDS = ("channels", "groups", "im", "mpim")
_READ, _HISTORY = tuple(f"{each}:read" for each in _KINDS), tuple(f"{each}:history" for each in _KINDS)
MOST_USERS = 8
MOST_LOADING = 10


def _info(call: Call) -> Answer:
    found = call.channel(scope="read").json(call.workspace.team)
    if not call.flag("include_num_members"):
        found.pop("num_members", None)
    return {"ok": True, "channel": found}


def _history(call: Call) -> Answer:
    """The newest first, replies left out."""
    channel = call.channel(scope="history", inside=True).channel_id
    seen = [each for each in call.workspace.messages if each.channel == channel and each.visible_to is None]
    top = [each for each in seen if not each.thread_ts or each.is_broadcast]
    return _messages(call, list(reversed(_between(call, top))))


def _replies(call: Call) -> Answer:
    """The first message of a thread, then its replies, the oldest first."""
    channel = call.channel(scope="history", inside=True).channel_id
    wanted = call.workspace.find(channel, call.required("ts"))
    if wanted is None or wanted.visible_to:
        raise SlackRefusal("thread_not_found")
    first = call.workspace.find(channel, wanted.thread_ts or wanted.ts) or wanted
    return _messages(call, [first, *_between(call, call.workspace.replies(channel, first.ts))])


def _between(call: Call, found: Sequence[Message]) -> list[Message]:
    oldest, latest = _time(call, "oldest", 0.0), _time(call, "latest", float("inf"))
    edge = call.flag("inclusive")
    return [each for each in found if oldest < float(each.ts) < latest or (edge and float(each.ts) in (oldest, latest))]


def _time(call: Call, name: str, default: float) -> float:
    try:
        return float(call.text(name) or default)
    except ValueError as exc:
        raise SlackRefusal(f"invalid_ts_{name}") from exc


def _messages(call: Call, found: Sequence[Message]) -> Answer:
    answer = call.page([_with_replies(call, each) for each in found], "messages")
    following = answer["response_metadata"]
    return {**answer, "has_more": isinstance(following, dict) and bool(following["next_cursor"])}


def _with_replies(call: Call, message: Message) -> Answer:
    """As history shows it: the first message of a thread says what stands below it."""
    space, with_metadata = call.workspace, call.flag("include_all_metadata")
    found = message_json(space, message, call.world.app.app_id, with_metadata=with_metadata)
    replies = space.replies(message.channel, message.ts)
    if not replies:
        return found
    users = list(dict.fromkeys(each.author for each in replies))
    return {
        **found, "thread_ts": message.ts, "reply_count": len(replies), "reply_users": users,
        "reply_users_count": len(users), "latest_reply": replies[-1].ts, "is_locked": False, "subscribed": False,
    }  # fmt: skip


def _open_direct(call: Call) -> Answer:
    """The direct message with one, or with up to eight."""
    if call.text("channel"):
        return {"ok": True, "channel": {"id": call.channel().channel_id}}
    wanted, space = call.structure("users"), call.workspace
    users = wanted if isinstance(wanted, list) else [each.strip() for each in str(wanted or "").split(",")]
    users = [str(each) for each in users if each]
    call.need("mpim:write" if len(users) > 1 else "im:write")
    _check_users(call, users)
    known = len(space.channels)
    channel = space.conversation(frozenset({BOT, *users}))
    existed = len(space.channels) == known
    shown = channel.json(space.team) if call.flag("return_im") else {"id": channel.channel_id}
    return {"ok": True, "no_op": existed, "already_open": existed, "channel": shown}


def _check_users(call: Call, users: Sequence[str]) -> None:
    if not users:
        raise SlackRefusal("users_list_not_supplied")
    if len(users) > MOST_USERS:
        raise SlackRefusal("too_many_users")
    for each in users:
        user = call.workspace.people.get(each)
        if user is None:
            raise SlackRefusal("user_not_found")
        if user.deleted or user.is_bot:
            raise SlackRefusal("user_disabled" if user.deleted else "cannot_dm_bot")


def _user(call: Call) -> Answer:
    """On an Enterprise Grid a person is the same in all workspaces that he is in."""
    space, user = call.workspace, call.workspace.people.get(call.required("user"))
    if user is None:
        raise SlackRefusal("user_not_found")
    spaces = call.world.in_organisation(space.enterprise)
    teams = [each.team for each in spaces if user.user_id in each.people and not user.team]
    enterprise = {"id": user.user_id, "enterprise_id": space.enterprise, "teams": teams}
    return {"ok": True, "user": {**({"enterprise_user": enterprise} if teams else {}), **user.json(space.team)}}


def _groups(call: Call) -> Answer:
    space, found = call.workspace, []
    for each, users in space.usergroups.items():
        is_disabled = each in space.disabled_usergroups
        if not is_disabled or call.flag("include_disabled"):
            shown: Answer = {"id": each, "team_id": space.team, "is_usergroup": True, "name": each.lower()}
            shown |= {"handle": each.lower(), "date_delete": int(is_disabled), "user_count": len(users)}
            found.append(shown | ({"users": sorted(users)} if call.flag("include_users") else {}))
    return {"ok": True, "usergroups": found}


def _group_users(call: Call) -> Answer:
    wanted, space = call.required("usergroup"), call.workspace
    if wanted not in space.usergroups:
        raise SlackRefusal("no_such_subteam")
    if wanted in space.disabled_usergroups and not call.flag("include_disabled"):
        raise SlackRefusal("subteam_disabled")
    return {"ok": True, "users": sorted(space.usergroups[wanted])}


def _open_view(call: Call) -> Answer:
    """Both are looked at before the trigger is used up."""
    trigger_id = call.required("trigger_id")
    body = _body(call, Surface.MODAL)
    trigger = call.world.triggers.use(trigger_id)
    if trigger.team != call.workspace.team and not call.grant.is_org:
        raise SlackRefusal("invalid_trigger_id")
    return _shown(call, call.world.views.show(trigger.team, trigger.user, body))


def _update_view(call: Call) -> Answer:
    view = call.world.views.get(call.required("view_id"))
    if view is None or view.team != call.workspace.team:
        raise SlackRefusal("not_found")
    body = _body(call, Surface.HOME if view.is_home else Surface.MODAL)
    return _shown(call, call.world.views.update(view, body))


def _publish_view(call: Call) -> Answer:
    if not call.world.app.has_home:
        raise SlackRefusal("not_enabled")
    user = call.workspace.people.get(call.required("user_id"))
    if user is None or user.deleted or user.is_bot:
        raise invalid("invalid user_id [json-pointer:/user_id]")
    body = _body(call, Surface.HOME)
    return _shown(call, call.world.views.show(call.workspace.team, user.user_id, body))


def _body(call: Call, surface: Surface) -> dict[str, object]:
    call.required("view")
    view = call.structure("view")
    refuse(check_view(view, surface))
    return dict(view) if isinstance(view, dict) else {}


def _shown(call: Call, view: View) -> Answer:
    return {"ok": True, "view": view.json(call.world.app.app_id)}


def _set_status(call: Call) -> Answer:
    """In turn with the text, up to ten others may be shown."""
    place, found = _place(call), call.structure("loading_messages") or []
    if not isinstance(found, list) or len(found) > MOST_LOADING:
        raise invalid("no more than 10 items allowed [json-pointer:/loading_messages]")
    if "status" not in call.arguments:
        raise invalid("missing required field: status")
    call.world.threads.set_status(place, call.text("status"))
    return {"ok": True}


def _place(call: Call) -> Place:
    channel, thread = call.channel("channel_id"), call.text("thread_ts")
    if not thread and not channel.is_im:
        raise invalid("missing required field: thread_ts")
    if BOT not in channel.members:
        raise SlackRefusal("not_in_channel")
    return call.workspace.team, channel.channel_id, thread


def _auth_test(call: Call) -> Answer:
    space, grant = call.workspace, call.grant
    return {
        "ok": True, "url": f"{call.world.base_url}/", "team": space.name, "user": "adpolicy",
        "team_id": grant.enterprise if grant.is_org else space.team, "user_id": grant.bot_user, "bot_id": BOT_ID,
        "is_enterprise_install": grant.is_org, **({"enterprise_id": space.enterprise} if space.enterprise else {}),
    }  # fmt: skip


def _revoke(call: Call) -> Answer:
    if not call.flag("test"):
        call.world.grants.end(call.grant.token)
        call.world.uninstalled(call.workspace.team)
    return {"ok": True, "revoked": not call.flag("test")}


def _teams(call: Call) -> Answer:
    spaces = [each for each in call.world.workspaces.values() if call.grant.covers(each.team, each.enterprise)]
    return call.page([{"id": each.team, "name": each.name} for each in spaces], "teams")


METHODS = {
    "assistant.threads.setStatus": Method(_set_status, ("chat:write", "assistant:write"), tier=0),
    "auth.revoke": Method(_revoke, tier=3),
    "auth.teams.list": Method(_teams, tier=2),
    "auth.test": Method(_auth_test, tier=0),
    "conversations.history": Method(_history, _HISTORY),
    "conversations.info": Method(_info, _READ),
    "conversations.members": Method(
        lambda call: call.page(sorted(call.channel(scope="read").members), "members"), _READ, tier=4
    ),
    "conversations.open": Method(_open_direct, ("im:write", "mpim:write")),
    "conversations.replies": Method(_replies, _HISTORY),
    "usergroups.list": Method(_groups, ("usergroups:read",), tier=2, by_team=True),
    "usergroups.users.list": Method(_group_users, ("usergroups:read",), tier=2, by_team=True),
    "users.info": Method(_user, ("users:read",), tier=4),
    "views.open": Method(_open_view, tier=4),
    "views.publish": Method(_publish_view, tier=4),
    "views.update": Method(_update_view, tier=4),
}
