"""chat.*Stream: a message that grows while people read it. It expires after five minutes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ops.sandbox.slack.block_kit import check_message, check_metadata
from ops.sandbox.slack.block_kit.messages import parsed
from ops.sandbox.slack.methods.calling import Answer, Call, Method, refuse
from ops.sandbox.slack.methods.chat import check_thread, markdown_blocks, writable
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.shapes import message_json
from ops.sandbox.slack.workspace import Message

_TASK_STATES = ("pending", "in_progress", "complete", "error")


def start(call: Call) -> Answer:
    channel = writable(call)
    thread = call.text("thread_ts")
    if channel.kind in ("im", "mpim"):
        if not thread:
            raise SlackRefusal("invalid_arguments", ["[ERROR] missing required field: thread_ts"])
    else:
        _check_recipient(call)
    check_thread(call, channel)
    payload = _grown({"thread_ts": thread} if thread else {}, _written(call))
    message = call.workspace.post(channel.channel_id, BOT, "chat.startStream", payload, is_streaming=True)
    return {"ok": True, "channel": channel.channel_id, "ts": message.ts}


def append(call: Call) -> Answer:
    message = _streaming(call)
    written = _written(call)
    if not written.text and not written.blocks and not call.structure("chunks"):
        raise SlackRefusal("no_text")
    call.workspace.change(message, _grown(message.payload, written), BOT, quietly=True)
    return {"ok": True, "channel": message.channel, "ts": message.ts}


def stop(call: Call) -> Answer:
    """The end of it: from here on the message is one like any other."""
    message = _streaming(call)
    payload = dict(_grown(message.payload, _written(call)))
    at_the_end = call.structure("blocks") or []
    refuse(check_message({"text": "x", "blocks": at_the_end}))
    if isinstance(at_the_end, list):
        payload["blocks"] = [*_blocks(payload), *at_the_end]
    refuse(check_metadata(call.arguments))
    if call.text("metadata"):
        payload["metadata"] = call.structure("metadata")
    refuse(check_message(payload))
    whole = replace(message, payload=payload, is_streaming=False)
    changed = call.workspace.store(whole, previous=message)
    shown = message_json(call.workspace, changed, call.world.app.app_id, with_metadata=True)
    return {"ok": True, "channel": message.channel, "ts": message.ts, "message": shown}


def _check_recipient(call: Call) -> None:
    """In channels Slack wants to know for whom."""
    for name in ("recipient_team_id", "recipient_user_id"):
        if not call.text(name):
            raise SlackRefusal(f"missing_{name}")
    if call.text("recipient_user_id") not in call.workspace.people:
        raise SlackRefusal("user_not_found")


def _streaming(call: Call) -> Message:
    channel = call.channel()
    message = call.workspace.find(channel.channel_id, call.required("ts"))
    if message is None or message.visible_to:
        raise SlackRefusal("message_not_found")
    if message.author != BOT:
        raise SlackRefusal("message_not_owned_by_app")
    if channel.is_archived:
        raise SlackRefusal("is_archived")
    if not call.world.is_streaming(message):
        raise SlackRefusal("message_not_in_streaming_state")
    return message


@dataclass(frozen=True, slots=True)
class _Written:
    text: str = ""
    blocks: tuple[object, ...] = ()


def _written(call: Call) -> _Written:
    """What is new: `markdown_text`, or the chunks. What chunks say of tasks is checked and not kept."""
    chunks = call.structure("chunks")
    text = call.text("markdown_text")
    if chunks is None or chunks == []:
        return _Written(text)
    if text or not isinstance(chunks, list):
        raise SlackRefusal("invalid_chunks")
    found = [_chunk(each) for each in chunks]
    return _Written("".join(each.text for each in found), tuple(block for each in found for block in each.blocks))


def _chunk(chunk: object) -> _Written:
    found = chunk if isinstance(chunk, dict) else {}
    kind, blocks = found.get("type"), found.get("blocks")
    if kind == "markdown_text" and isinstance(found.get("text"), str):
        return _Written(found["text"])
    if kind == "blocks" and isinstance(blocks, list):
        refuse(check_message({"text": "x", "blocks": blocks}))
        return _Written("", tuple(blocks))
    planned = kind == "plan_update" and isinstance(found.get("title"), str)
    task = kind == "task_update" and found.get("id") and found.get("title") and found.get("status") in _TASK_STATES
    if planned or task:
        return _Written()
    raise SlackRefusal("invalid_chunks")


def _blocks(payload: Mapping[str, object]) -> list[object]:
    found = parsed(payload.get("blocks"))
    return found if isinstance(found, list) else []


def _grown(payload: Mapping[str, object], written: _Written) -> Mapping[str, object]:
    """The message with what is new: text joins the markdown block at its end, or begins one."""
    text, blocks = str(payload.get("text") or "") + written.text, _blocks(payload)
    if written.text:
        last = blocks[-1] if blocks else None
        begun = str(last["text"]) if isinstance(last, dict) and last.get("type") == "markdown" else None
        blocks = [*(blocks[:-1] if begun is not None else blocks), *markdown_blocks((begun or "") + written.text)]
    made = {**payload, "text": text, "blocks": [*blocks, *written.blocks]}
    if text or made["blocks"]:
        refuse(check_message(made))
    return made


METHODS = {
    "chat.startStream": Method(start, ("chat:write",), tier=2),
    "chat.appendStream": Method(append, ("chat:write",), tier=4),
    "chat.stopStream": Method(stop, ("chat:write",), tier=2),
}
