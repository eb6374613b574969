"""chat.*: posting, changing and removing messages."""

from collections.abc import Mapping
from dataclasses import replace

from ops.sandbox.slack.block_kit import blocks_of, check_message, check_metadata
from ops.sandbox.slack.block_kit.blocks import LONGEST_MARKDOWN
from ops.sandbox.slack.channels import Channel
from ops.sandbox.slack.methods.calling import Answer, Call, Method, refuse
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.shapes import message_json
from ops.sandbox.slack.workspace import Message

LONGEST_UPDATE = 4_000
_KEPT = (
    *("text", "blocks", "attachments", "metadata", "thread_ts", "reply_broadcast"),
    *("unfurl_links", "unfurl_media", "mrkdwn", "parse", "link_names"),
)


def post_message(call: Call) -> Answer:
    channel = writable(call)
    call.world.meter.post(call.workspace.team, channel.channel_id)
    payload = _payload(call)
    check_thread(call, channel)
    message = call.workspace.post(channel.channel_id, BOT, "chat.postMessage", payload)
    shown = message_json(call.workspace, message, call.world.app.app_id, with_metadata=True)
    return {"ok": True, "channel": channel.channel_id, "ts": message.ts, "message": shown}


def post_ephemeral(call: Call) -> Answer:
    user = call.required("user")
    channel = writable(call)
    if user not in channel.members:
        raise SlackRefusal("user_not_in_channel")
    payload = _payload(call)
    check_thread(call, channel)
    message = call.workspace.post(channel.channel_id, BOT, "chat.postEphemeral", payload, visible_to=user)
    return {"ok": True, "message_ts": message.ts}


def update(call: Call) -> Answer:
    message = _own(call, "cant_update_message")
    if call.world.is_streaming(message):
        raise SlackRefusal("streaming_state_conflict")
    if call.workspace.channels[message.channel].is_archived:
        raise SlackRefusal("is_inactive")
    if not call.workspace.may_edit(message):
        raise SlackRefusal("edit_window_closed")
    before = {name: value for name, value in message.payload.items() if name in ("blocks", "metadata", "text")}
    payload = _payload(call, before, LONGEST_UPDATE)
    changed = call.workspace.change(replace(message, is_streaming=False), payload, BOT)
    shown = message_json(call.workspace, changed, call.world.app.app_id, with_metadata=True)
    return {"ok": True, "channel": message.channel, "ts": message.ts, "text": changed.text, "message": shown}


def delete(call: Call) -> Answer:
    message = _own(call, "cant_delete_message")
    call.workspace.delete(message)
    return {"ok": True, "channel": message.channel, "ts": message.ts}


def permalink(call: Call) -> Answer:
    channel = call.channel()
    message = call.workspace.find(channel.channel_id, call.required("message_ts"))
    if message is None or message.visible_to:
        raise SlackRefusal("message_not_found")
    thread = f"?thread_ts={message.thread_ts}&cid={channel.channel_id}" if message.thread_ts else ""
    address = f"{call.world.base_url}/archives/{channel.channel_id}/p{message.ts.replace('.', '')}{thread}"
    return {"ok": True, "channel": channel.channel_id, "permalink": address}


def writable(call: Call) -> Channel:
    """Where the bot may post. A user's id stands for the direct message with them."""
    user = call.workspace.people.get(call.text("channel"))
    if user is not None and not user.deleted:
        channel = call.workspace.conversation(frozenset({BOT, user.user_id}))
    else:
        channel = call.channel()
    if channel.is_archived:
        raise SlackRefusal("is_archived")
    if channel.is_im and not call.world.app.has_messages_tab:
        raise SlackRefusal("messages_tab_disabled")
    if BOT not in channel.members and not (channel.kind == "channel" and "chat:write.public" in call.grant.scopes):
        raise SlackRefusal("not_in_channel")
    return channel


def check_thread(call: Call, channel: Channel) -> None:
    """Nobody can answer to what only one person sees."""
    parent = call.workspace.find(channel.channel_id, call.text("thread_ts"))
    if parent is not None and parent.visible_to:
        raise SlackRefusal("cannot_reply_to_message")


def markdown_blocks(text: str) -> list[object]:
    """What Slack makes of `markdown_text`."""
    if len(text) > LONGEST_MARKDOWN:
        raise SlackRefusal("msg_too_long")
    return [{"type": "markdown", "text": text}]


def _own(call: Call, refused: str) -> Message:
    """A message of the bot's that everybody sees."""
    channel = call.channel()
    message = call.workspace.find(channel.channel_id, call.required("ts"))
    if message is None or message.visible_to or message.subtype == "tombstone":
        raise SlackRefusal("message_not_found")
    if message.author != BOT:
        raise SlackRefusal(refused)
    return message


def _payload(call: Call, before: Mapping[str, object] | None = None, longest: int = 40_000) -> Mapping[str, object]:
    """The message that is asked for; on an update, blocks and metadata that are not mentioned stay as `before`."""
    asked = {name: call.arguments[name] for name in _KEPT if name in call.arguments}
    if call.text("markdown_text"):
        if asked.get("text") or asked.get("blocks"):
            raise SlackRefusal("markdown_text_conflict")
        asked |= {"text": call.text("markdown_text"), "blocks": markdown_blocks(call.text("markdown_text"))}
    refuse(check_metadata(asked))
    if before is not None and not (asked.get("text") or asked.get("blocks")):
        raise SlackRefusal("no_text")
    payload = {**(before or {}), **asked}
    refuse(check_message(payload, longest))
    if "metadata" in asked:
        payload["metadata"] = call.structure("metadata")
    return {**payload, "blocks": blocks_of(payload)}


METHODS = {
    "chat.postMessage": Method(post_message, ("chat:write",), tier=0),
    "chat.postEphemeral": Method(post_ephemeral, ("chat:write",), tier=4),
    "chat.update": Method(update, ("chat:write",), tier=3),
    "chat.delete": Method(delete, ("chat:write",), tier=3),
    "chat.getPermalink": Method(permalink, tier=0),
}
