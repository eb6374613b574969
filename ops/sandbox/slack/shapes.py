"""Messages and workspaces as Slack's API and events show them."""

from ops.sandbox.slack.forms import rich_text
from ops.sandbox.slack.people import BOT, BOT_ID, SLACKBOT
from ops.sandbox.slack.workspace import Message, Workspace


def message_json(
    workspace: Workspace, message: Message, app_id: str, *, with_metadata: bool = False
) -> dict[str, object]:
    """A message in history, events and payloads; metadata only where it was asked for."""
    found: dict[str, object] = {"type": "message", "text": message.text, "ts": message.ts, "team": workspace.team}
    found |= _author(workspace, message, app_id) | _thread(workspace, message)
    if message.subtype:
        found["subtype"] = message.subtype
    if message.blocks:
        found["blocks"] = message.blocks
    elif message.via == "person":
        found["blocks"] = [{"block_id": "rt", **rich_text(message.text)}]
    if message.edited:
        found["edited"] = {"user": message.edited[0], "ts": message.edited[1]}
    if with_metadata and message.metadata:
        found["metadata"] = dict(message.metadata)
    if message.is_streaming:
        found["streaming_state"] = "in_progress"
    return found


def _author(workspace: Workspace, message: Message, app_id: str) -> dict[str, object]:
    if message.author == BOT:
        profile = {"id": BOT_ID, "app_id": app_id, "name": "adpolicy", "team_id": workspace.team, "deleted": False}
        return {"user": BOT, "bot_id": BOT_ID, "app_id": app_id, "bot_profile": profile}
    if message.bot_id:
        return {"bot_id": message.bot_id, "username": message.author}
    person = workspace.people.get(message.author)
    home = person.team if person and person.team else workspace.team
    shared = {} if home == workspace.team else {"team": home, "user_team": home, "source_team": home}
    return {"user": message.author, "client_msg_id": f"msg-{message.channel}-{message.ts}", **shared}


def _thread(workspace: Workspace, message: Message) -> dict[str, object]:
    if not message.thread_ts:
        return {}
    parent = workspace.find(message.channel, message.thread_ts)
    known = parent is not None and parent.author != SLACKBOT
    return {"thread_ts": message.thread_ts, **({"parent_user_id": parent.author} if parent and known else {})}


def with_replies(workspace: Workspace, message: Message, found: dict[str, object]) -> dict[str, object]:
    """What history adds to the first message of a thread."""
    replies = workspace.replies(message.channel, message.ts)
    if not replies:
        return found
    users = list(dict.fromkeys(each.author for each in replies))
    return {
        **found,
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users": users,
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts,
        "is_locked": False,
        "subscribed": False,
    }


def team_json(workspace: Workspace) -> dict[str, object]:
    organisation: dict[str, object] = {}
    if workspace.enterprise:
        organisation = {"enterprise_id": workspace.enterprise, "enterprise_name": "Sandbox organisation"}
    return {"id": workspace.team, "name": workspace.name, "domain": workspace.domain, **organisation}


def enterprise_json(workspace: Workspace) -> dict[str, object] | None:
    return {"id": workspace.enterprise, "name": "Sandbox organisation"} if workspace.enterprise else None
