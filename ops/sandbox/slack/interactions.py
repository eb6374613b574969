"""What people do with an app, as payloads: commands, clicks, modals, shortcuts; and what their answers change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ops.sandbox.slack import wording
from ops.sandbox.slack.block_kit import check_message, check_view
from ops.sandbox.slack.block_kit.blocks import Surface, elements_of
from ops.sandbox.slack.channels import Channel
from ops.sandbox.slack.deliveries import Acknowledgement, Delivery, acknowledged_message, command_fields
from ops.sandbox.slack.forms import State, Values, initial_values, is_empty, named
from ops.sandbox.slack.people import BOT, SLACKBOT
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.response_urls import ResponseUrls
from ops.sandbox.slack.sending import Sending
from ops.sandbox.slack.shapes import enterprise_json, message_json
from ops.sandbox.slack.views import View
from ops.sandbox.slack.workspace import Message, Workspace
from ops.sandbox.slack.world import World

Payload = dict[str, object]


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a form. `errors`: block_id -> what stands beside it; `problem`: what Slack itself says.

    `acknowledgement` is None when Slack did not send the form, because something in it is missing.
    """

    acknowledgement: Acknowledgement | None
    errors: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


class Interactions:
    """Each is sent once: Slack does not repeat what a person can do again."""

    def __init__(self, world: World, sending: Sending, response_urls: ResponseUrls) -> None:
        self._world = world
        self._sending = sending
        self._response_urls = response_urls
        self._filled: dict[tuple[str, str, str], Values] = {}
        """What is chosen in messages: (team, channel, ts)."""

    def command(
        self, workspace: Workspace, channel: str, user: str, command: str, text: str, trigger_id: str = ""
    ) -> Delivery:
        response_url = self._response_url(workspace, channel, user)
        trigger = self._world.triggers.issue(workspace.team, user, trigger_id=trigger_id)
        grant = self._world.grants.live(workspace.team, workspace.enterprise)
        fields = command_fields(
            team=workspace.team,
            channel=channel,
            channel_name=str(_channel(workspace.channels[channel])["name"]),
            user=user,
            command=command,
            text=text,
            response_url=response_url,
            trigger_id=trigger,
            app_id=self._world.app.app_id,
            enterprise=workspace.enterprise,
            is_org=grant is not None and grant.is_org,
        )
        return Delivery("slash_commands", fields, workspace.team, channel, user, command, trigger, response_url)

    def show(self, workspace: Workspace, seen: Acknowledgement) -> None:
        """What people see of an acknowledged command."""
        sent, error = seen.delivery, seen.error
        message = acknowledged_message(seen.body)
        if not error and message is not None and check_message(message):
            error = "dispatch_failed"
        if error:
            shown: Payload = {"text": wording.command_failed(sent.command, error)}
            workspace.post(sent.channel, SLACKBOT, "slack", shown, visible_to=sent.user)
        elif message is not None:
            visible_to = None if message.get("response_type") == "in_channel" else sent.user
            workspace.post(sent.channel, BOT, "acknowledgement", message, visible_to=visible_to)

    async def act_in_message(
        self, workspace: Workspace, user: str, message: Message, action: Payload, state: State | None
    ) -> Acknowledgement:
        """A click in a message."""
        place = (workspace.team, message.channel, message.ts)
        blocks = named(message.blocks)
        values = {**initial_values(blocks), **self._filled.get(place, {})}
        if state is not None:
            block, name = str(action["block_id"]), str(action["action_id"])
            values[block] = {**values.get(block, {}), name: state}
            self._filled[place] = values
        payload: Payload = {
            **self._base("block_actions", workspace, user),
            **self._in_message(workspace, message),
            "state": {"values": values},
            "response_url": self._response_url(workspace, message.channel, user, message.ts),
            "actions": [action],
        }
        return await self._send(workspace, user, payload, message.channel)

    async def act_in_view(
        self, workspace: Workspace, view: View, action: Payload, state: State | None
    ) -> Acknowledgement:
        """A click in a modal or a home tab."""
        if state is not None:
            view = self._world.views.fill(view, str(action["block_id"]), str(action["action_id"]), state)
        payload: Payload = {
            **self._base("block_actions", workspace, view.user, view.view_id),
            **self._in_view(view),
            "state": {"values": view.values},
            "actions": [action],
        }
        return await self._send(workspace, view.user, payload)

    async def submit(self, workspace: Workspace, view: View) -> Submitted:
        """Sends a filled form, and does what the app answers."""
        missing = _missing(view)
        if missing:
            return Submitted(None, missing)
        payload: Payload = {
            **self._base("view_submission", workspace, view.user, view.view_id),
            "view": view.json(self._world.app.app_id),
            "response_urls": self._asked_urls(workspace, view),
        }
        seen = await self._send(workspace, view.user, payload)
        if seen.error:
            return Submitted(seen, {}, wording.form_failed())
        return self._answered(view, seen)

    async def close(self, workspace: Workspace, view: View, *, everything: bool = False) -> list[Acknowledgement]:
        """A person closes a modal; `everything` with the cross, which takes the whole stack."""
        everything = everything or view.body.get("clear_on_close") is True
        closed = self._world.views.close_all(view.team, view.user) if everything else [view]
        self._world.views.close(view)
        told = [each for each in closed if each.body.get("notify_on_close") is True]
        return [await self._tell_closed(workspace, each, everything) for each in told]

    async def suggest(
        self,
        workspace: Workspace,
        user: str,
        target: View | Message,
        block: Mapping[str, object],
        element: Mapping[str, object],
        typed: str,
    ) -> list[dict[str, object]]:
        """The options that the app offers for what was typed in an external menu."""
        where: Payload = self._in_view(target) if isinstance(target, View) else self._in_message(workspace, target)
        payload: Payload = {
            **self._base("block_suggestion", workspace, user),
            **where,
            "block_id": block.get("block_id"),
            "action_id": element.get("action_id"),
            "value": typed,
        }
        payload.pop("trigger_id")
        found = (await self._send(workspace, user, payload)).json.get("options")
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    async def shortcut(self, workspace: Workspace, user: str, callback_id: str) -> Acknowledgement:
        payload = {**self._base("shortcut", workspace, user), "callback_id": callback_id, "action_ts": self._now()}
        return await self._send(workspace, user, payload)

    async def message_shortcut(
        self, workspace: Workspace, user: str, callback_id: str, message: Message
    ) -> Acknowledgement:
        payload: Payload = {
            **self._base("message_action", workspace, user),
            "callback_id": callback_id,
            "action_ts": self._now(),
            "message_ts": message.ts,
            "channel": _channel(workspace.channels[message.channel]),
            "message": message_json(workspace, message, self._world.app.app_id),
            "response_url": self._response_url(workspace, message.channel, user, message.ts),
        }
        return await self._send(workspace, user, payload, message.channel)

    def _in_view(self, view: View) -> Payload:
        return {
            "container": {"type": "view", "view_id": view.view_id},
            "view": view.json(self._world.app.app_id),
        }

    def _in_message(self, workspace: Workspace, message: Message) -> Payload:
        """Where in a channel; an ephemeral message is named, not shown."""
        is_ephemeral = message.visible_to is not None
        shown = {**message_json(workspace, message, self._world.app.app_id), "blocks": named(message.blocks)}
        return {
            "container": {
                "type": "message",
                "message_ts": message.ts,
                "channel_id": message.channel,
                "is_ephemeral": is_ephemeral,
                **({"thread_ts": message.thread_ts} if message.thread_ts else {}),
            },
            "channel": _channel(workspace.channels[message.channel]),
            **({} if is_ephemeral else {"message": shown}),
        }

    def _answered(self, view: View, seen: Acknowledgement) -> Submitted:
        """`response_action`, by Slack's rules: what breaks them is shown to the person as trouble."""
        answer = seen.json
        action, views = answer.get("response_action"), self._world.views
        failed = Submitted(seen, {}, wording.form_failed())
        if seen.body and not answer and seen.body.strip() != "{}":
            return failed
        if action == "errors":
            found = answer.get("errors")
            errors = {str(name): str(text) for name, text in found.items()} if isinstance(found, dict) else {}
            return Submitted(seen, errors) if errors and errors.keys() <= _inputs(view) else failed
        if action in ("update", "push"):
            body = answer.get("view")
            if not isinstance(body, dict) or check_view(body, Surface.MODAL):
                return failed
            try:
                views.update(view, body) if action == "update" else views.pushed_on(view, body)
            except SlackRefusal:
                return failed
        elif action == "clear":
            views.close_all(view.team, view.user)
        elif action is None:
            views.close(view)
        else:
            return failed
        return Submitted(seen)

    def _asked_urls(self, workspace: Workspace, view: View) -> list[Payload]:
        """Addresses for the channels that were picked where the app asked for one."""
        found: list[Payload] = []
        for block, element in elements_of(view.blocks):
            if element.get("response_url_enabled") is True:
                block_id, action_id = str(block["block_id"]), str(element["action_id"])
                state = view.values.get(block_id, {}).get(action_id, {})
                channel = state.get("selected_conversation") or state.get("selected_channel")
                if isinstance(channel, str):
                    url = self._response_url(workspace, channel, view.user)
                    found.append(
                        {"block_id": block_id, "action_id": action_id, "channel_id": channel, "response_url": url}
                    )
        return found

    async def _tell_closed(self, workspace: Workspace, view: View, is_cleared: bool) -> Acknowledgement:
        shown = view.json(self._world.app.app_id)
        base = self._base("view_closed", workspace, view.user)
        base.pop("trigger_id")
        return await self._send(workspace, view.user, {**base, "view": shown, "is_cleared": is_cleared})

    async def _send(self, workspace: Workspace, user: str, payload: Payload, channel: str = "") -> Acknowledgement:
        trigger = str(payload.get("trigger_id") or "")
        delivery = Delivery("interactive", payload, workspace.team, channel, user, "", trigger)
        if not self._world.app.is_interactive:
            return Acknowledgement(delivery, 0, "", 0.0, "interactivity_disabled")
        return await self._sending.once(delivery)

    def _base(self, kind: str, workspace: Workspace, user: str, view_id: str = "") -> Payload:
        person = workspace.people.get(user)
        name = person.handle if person else user.lower()
        home = person.team if person and person.team else workspace.team
        grant = self._world.grants.live(workspace.team, workspace.enterprise)
        return {
            "type": kind,
            "token": "deprecated",
            "api_app_id": self._world.app.app_id,
            "team": {"id": workspace.team, "domain": workspace.domain},
            "enterprise": enterprise_json(workspace),
            "is_enterprise_install": grant is not None and grant.is_org,
            "user": {"id": user, "username": name, "name": name, "team_id": home},
            "trigger_id": self._world.triggers.issue(workspace.team, user, view_id),
        }

    def _response_url(self, workspace: Workspace, channel: str, user: str, original: str = "") -> str:
        return self._response_urls.issue(self._world.base_url, channel, user, workspace=workspace, original=original)

    def _now(self) -> str:
        return f"{self._world.clock().timestamp():.6f}"


def _channel(channel: Channel) -> Payload:
    named_as = {"im": "directmessage", "group": "privategroup"}.get(channel.kind, channel.name)
    return {"id": channel.channel_id, "name": named_as}


def _inputs(view: View) -> set[str]:
    return {str(each["block_id"]) for each in view.blocks if each.get("type") == "input"}


def _missing(view: View) -> dict[str, str]:
    """What Slack itself asks for before it sends a form."""
    found = {}
    for block, element in elements_of(view.blocks):
        if block.get("type") != "input":
            continue
        state = view.values.get(str(block["block_id"]), {}).get(str(element.get("action_id")))
        if is_empty(state):
            if block.get("optional") is not True:
                found[str(block["block_id"])] = wording.please_fill_in()
        elif complaint := _out_of_bounds(element, state or {}):
            found[str(block["block_id"])] = complaint
    return found


def _out_of_bounds(element: Mapping[str, object], state: Mapping[str, object]) -> str:
    value = str(state.get("value") or "")
    least, most = element.get("min_length"), element.get("max_length")
    if isinstance(least, int) and len(value) < least:
        return wording.too_short(least)
    if isinstance(most, int) and len(value) > most:
        return wording.too_long(most)
    return ""
