"""assistant.threads.*: status, suggested prompts and title of a conversation with the app."""

from ops.sandbox.slack.methods.calling import Answer, Call, Method
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.thread_state import Place

MOST_LOADING = 10
MOST_PROMPTS = 4


def set_status(call: Call) -> Answer:
    place = _place(call)
    found = call.structure("loading_messages") or []
    if not isinstance(found, list) or len(found) > MOST_LOADING:
        raise SlackRefusal(
            "invalid_arguments", ["[ERROR] no more than 10 items allowed [json-pointer:/loading_messages]"]
        )
    if "status" not in call.arguments:
        raise SlackRefusal("invalid_arguments", ["[ERROR] missing required field: status"])
    call.world.threads.set_status(place, call.text("status"), [str(each) for each in found])
    return {"ok": True}


def set_prompts(call: Call) -> Answer:
    place = _place(call)
    prompts = call.structure("prompts")
    if not isinstance(prompts, list) or not all(isinstance(each, dict) for each in prompts):
        raise SlackRefusal("invalid_arguments", ["[ERROR] must be a list [json-pointer:/prompts]"])
    if len(prompts) > MOST_PROMPTS:
        raise SlackRefusal("invalid_arguments", ["[ERROR] no more than 4 items allowed [json-pointer:/prompts]"])
    if not all(each.get("title") and each.get("message") for each in prompts):
        raise SlackRefusal("invalid_arguments", ["[ERROR] missing required field: message [json-pointer:/prompts]"])
    call.world.threads.prompts[place] = prompts
    return {"ok": True}


def set_title(call: Call) -> Answer:
    place = _place(call)
    call.world.threads.titles[place] = call.required("title")
    return {"ok": True}


def _place(call: Call) -> Place:
    channel, thread = call.channel("channel_id"), call.text("thread_ts")
    if not thread and not channel.is_im:
        raise SlackRefusal("invalid_arguments", ["[ERROR] missing required field: thread_ts"])
    if BOT not in channel.members:
        raise SlackRefusal("not_in_channel")
    return call.workspace.team, channel.channel_id, thread


METHODS = {
    "assistant.threads.setStatus": Method(set_status, ("chat:write", "assistant:write"), tier=0),
    "assistant.threads.setSuggestedPrompts": Method(set_prompts, ("assistant:write",)),
    "assistant.threads.setTitle": Method(set_title, ("assistant:write",)),
}
