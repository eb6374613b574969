"""chat.*: posting, changing and removing messages; and streams, messages that grow while people read them."""

from collections.abc import Mapping
from dataclasses import replace

from ops.sandbox.slack.block_kit import LONGEST_MARKDOWN, blocks_of, check_message, check_metadata
from ops.sandbox.slack.calls import Answer, Call, Method, invalid, refuse
from ops.sandbox.slack.limits import SlackRefusal
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.slack.workspace import Message

LONGEST_UPDATE = 4_000
_KEPT = (
    *("text", "blocks", "attachments", "metadata", "thread_ts", "reply_broadcast"),
    *("unfurl_links", "unfurl_media", "mrkdwn", "parse", "link_names"),
)


def _post(call: Call) -> Answer:
    channel = _writable(call)
    call.world.meter.post(call.workspace.team, channel.channel_id)
    return call.shown(call.workspace.post(channel.channel_id, BOT, "chat.postMessage", _payload(call)))


def _post_ephemeral(call: Call) -> Answer:
    user = call.required("user")
    channel = _writable(call)
    if user not in channel.members:
        raise SlackRefusal("user_not_in_channel")
    message = call.workspace.post(channel.channel_id, BOT, "chat.postEphemeral", _payload(call), visible_to=user)
    return {"ok": True, "message_ts": message.ts}


def _update(call: Call) -> Answer:
    message = _own(call, "cant_update_message")
    if call.world.is_streaming(message):
        raise SlackRefusal("streaming_state_conflict")
    if call.workspace.channels[message.channel].is_archived:
        raise SlackRefusal("is_inactive")
    before = {name: value for name, value in message.payload.items() if name in ("blocks", "metadata", "text")}
    payload = _payload(call, before, LONGEST_UPDATE)
    return call.shown(call.workspace.change(replace(message, is_streaming=False), payload, BOT))


def _delete(call: Call) -> Answer:
    message = _own(call, "cant_delete_message")
    call.workspace.delete(message)
    return {"ok": True, "channel": message.channel, "ts": message.ts}


def _start(call: Call) -> Answer:
    channel, thread = _writable(call), call.text("thread_ts")
    if channel.kind in ("im", "mpim"):
        if not thread:
            raise invalid("missing required field: thread_ts")
    else:
        _check_recipient(call)
    payload = _grown({"thread_ts": thread} if thread else {}, call.text("markdown_text"))
    message = call.workspace.post(channel.channel_id, BOT, "chat.startStream", payload, is_streaming=True)
    return {"ok": True, "channel": channel.channel_id, "ts": message.ts}


def _append(call: Call) -> Answer:
    message, text = _streaming(call), call.text("markdown_text")
    if not text:
        raise SlackRefusal("no_text")
    call.workspace.change(message, _grown(message.payload, text), BOT, quietly=True)
    return {"ok": True, "channel": message.channel, "ts": message.ts}


def _stop(call: Call) -> Answer:
    """The end of it: from here on the message is one like any other."""
    message = _streaming(call)
    payload = dict(_grown(message.payload, call.text("markdown_text")))
    at_the_end = call.structure("blocks") or []
    refuse(check_message({"text": "x", "blocks": at_the_end}))
    if isinstance(at_the_end, list):
        payload["blocks"] = [*(blocks_of(payload) or []), *at_the_end]
    refuse(check_metadata(call.arguments))
    if call.text("metadata"):
        payload["metadata"] = call.structure("metadata")
    refuse(check_message(payload))
    return call.shown(call.workspace.store(replace(message, payload=payload, is_streaming=False), previous=message))


def _writable(call: Call) -> Channel:
    """Where the bot may post, and in what thread: nobody can answer to what only one person sees. A user's id stands
    for the direct message with them."""
    user = call.workspace.people.get(call.text("channel"))
    is_known = user is not None and not user.deleted
    channel = call.workspace.conversation(frozenset({BOT, call.text("channel")})) if is_known else call.channel()
    if channel.is_archived:
        raise SlackRefusal("is_archived")
    if channel.is_im and not call.world.app.has_messages_tab:
        raise SlackRefusal("messages_tab_disabled")
    if BOT not in channel.members and not (channel.kind == "channel" and "chat:write.public" in call.grant.scopes):
        raise SlackRefusal("not_in_channel")
    parent = call.workspace.find(channel.channel_id, call.text("thread_ts"))
    if parent is not None and parent.visible_to:
        raise SlackRefusal("cannot_reply_to_message")
    return channel


def _own(call: Call, refused: str) -> Message:
    """A message of the bot's that everybody sees."""
    message = call.message(call.channel())
    if message.author != BOT:
        raise SlackRefusal(refused)
    return message


def _streaming(call: Call) -> Message:
    message = _own(call, "message_not_owned_by_app")
    if call.workspace.channels[message.channel].is_archived:
        raise SlackRefusal("is_archived")
    if not call.world.is_streaming(message):
        raise SlackRefusal("message_not_in_streaming_state")
    return message


def _check_recipient(call: Call) -> None:
    """In channels Slack wants to know for whom."""
    for name in ("recipient_team_id", "recipient_user_id"):
        if not call.text(name):
            raise SlackRefusal(f"missing_{name}")
    if call.text("recipient_user_id") not in call.workspace.people:
        raise SlackRefusal("user_not_found")


def _payload(call: Call, before: Mapping[str, object] | None = None, longest: int = 40_000) -> Mapping[str, object]:
    """The message that is asked for; on an update, blocks and metadata that are not mentioned stay as `before`."""
    asked = {name: call.arguments[name] for name in _KEPT if name in call.arguments}
    if text := call.text("markdown_text"):
        if asked.get("text") or asked.get("blocks"):
            raise SlackRefusal("markdown_text_conflict")
        asked |= {"text": text, "blocks": _markdown_blocks(text)}
    refuse(check_metadata(asked))
    if before is not None and not (asked.get("text") or asked.get("blocks")):
        raise SlackRefusal("no_text")
    payload = {**(before or {}), **asked}
    refuse(check_message(payload, longest))
    if "metadata" in asked:
        payload["metadata"] = call.structure("metadata")
    return {**payload, "blocks": blocks_of(payload)}


def _markdown_blocks(text: str) -> list[object]:
    """What Slack makes of `markdown_text`."""
    if len(text) > LONGEST_MARKDOWN:
        raise SlackRefusal("msg_too_long")
    return [{"type": "markdown", "text": text}]


def _grown(payload: Mapping[str, object], text: str) -> Mapping[str, object]:
    """The message with what is new: text joins the markdown block at its end, or begins one."""
    blocks = blocks_of(payload) or []
    if text:
        last = blocks[-1] if blocks else None
        begun = str(last["text"]) if isinstance(last, dict) and last.get("type") == "markdown" else None
        blocks = [*(blocks[:-1] if begun is not None else blocks), *_markdown_blocks((begun or "") + text)]
    made = {**payload, "text": str(payload.get("text") or "") + text, "blocks": blocks}
    if made["text"] or blocks:
        refuse(check_message(made))
    return made


_WRITE = ("chat:write",)
METHODS = {
    "chat.postMessage": Method(_post, _WRITE, tier=0),
    "chat.postEphemeral": Method(_post_ephemeral, _WRITE, tier=4),
    "chat.update": Method(_update, _WRITE, tier=3),
    "chat.delete": Method(_delete, _WRITE, tier=3),
    "chat.startStream": Method(_start, _WRITE, tier=2),
    "chat.appendStream": Method(_append, _WRITE, tier=4),
    "chat.stopStream": Method(_stop, _WRITE, tier=2),
}
