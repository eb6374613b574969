"""views.*: modals and home tabs."""

from ops.sandbox.slack.block_kit import check_view
from ops.sandbox.slack.block_kit.blocks import Surface
from ops.sandbox.slack.methods.calling import Answer, Call, Method, refuse
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.triggers import Trigger
from ops.sandbox.slack.views import View


def open_view(call: Call) -> Answer:
    trigger, body = _trigger_and_body(call)
    return _shown(call, call.world.views.open(trigger, body))


def push(call: Call) -> Answer:
    trigger, body = _trigger_and_body(call)
    return _shown(call, call.world.views.push(trigger, body))


def update(call: Call) -> Answer:
    if not (call.text("view_id") or call.text("external_id")):
        raise SlackRefusal("invalid_arguments", ["[ERROR] missing required field: view_id"])
    view = call.world.views.find(call.workspace.team, call.text("view_id"), call.text("external_id"))
    body = _body(call, Surface.HOME if view.is_home else Surface.MODAL)
    return _shown(call, call.world.views.update(view, body, call.text("hash")))


def publish(call: Call) -> Answer:
    if not call.world.app.has_home:
        raise SlackRefusal("not_enabled")
    user = call.workspace.people.get(call.required("user_id"))
    if user is None or user.deleted or user.is_bot:
        raise SlackRefusal("invalid_arguments", ["[ERROR] invalid user_id [json-pointer:/user_id]"])
    body = _body(call, Surface.HOME)
    return _shown(call, call.world.views.publish(call.workspace.team, user.user_id, body, call.text("hash")))


def _trigger_and_body(call: Call) -> tuple[Trigger, dict[str, object]]:
    """Both are looked at before the trigger is used up."""
    trigger_id = call.required("trigger_id")
    body = _body(call, Surface.MODAL)
    trigger = call.world.triggers.use(trigger_id)
    if trigger.team != call.workspace.team and not call.grant.is_org:
        raise SlackRefusal("invalid_trigger_id")
    return trigger, body


def _body(call: Call, surface: Surface) -> dict[str, object]:
    call.required("view")
    view = call.structure("view")
    refuse(check_view(view, surface))
    return dict(view) if isinstance(view, dict) else {}


def _shown(call: Call, view: View) -> Answer:
    return {"ok": True, "view": view.json(call.world.app.app_id)}


METHODS = {
    "views.open": Method(open_view, tier=4),
    "views.push": Method(push, tier=4),
    "views.update": Method(update, tier=4),
    "views.publish": Method(publish, tier=4),
}
