"""What people do with an app, as payloads: commands, clicks, modals, shortcuts; what their answers change; and the
`response_url`s that come with them."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from aiohttp import web

from ops.sandbox import wording
from ops.sandbox.slack.block_kit import Surface, check_message, check_view, elements_of
from ops.sandbox.slack.deliveries import Acknowledgement, Delivery, Sending, command_fields
from ops.sandbox.slack.people import BOT, SLACKBOT, Channel
from ops.sandbox.slack.views import State, Values, View, chosen, initial_values, is_empty, named
from ops.sandbox.slack.workspace import Message, Workspace, message_json
from ops.sandbox.slack.world import World
from ops.sandbox.troubles import Troubles

MOST_USES = 5
LIFETIME = timedelta(minutes=30)


@dataclass(slots=True)
class _Ticket:
    space: Workspace
    channel: str
    user: str
    issued_at: datetime
    original: str = ""
    uses: int = 0

    @property
    def over(self) -> str:
        """Slack's code for why it is good for nothing more."""
        if self.space.clock() - self.issued_at > LIFETIME:
            return "expired_url"
        if self.uses >= MOST_USES:
            return "used_url"
        return "is_archived" if self.space.channels[self.channel].is_archived else ""


class ResponseUrls:
    """Gives out addresses and takes what is posted there. Refusals answer 404 with Slack's error code."""

    def __init__(self, workspace: Workspace, troubles: Troubles) -> None:
        self._workspace = workspace
        self._troubles = troubles
        self._tickets: dict[str, _Ticket] = {}

    def issue(
        self, base_url: str, channel: str, user: str, *, workspace: Workspace | None = None, original: str = ""
    ) -> str:
        """`original`: ts of the message that was clicked on, which may be replaced or deleted."""
        space = workspace or self._workspace
        secret = secrets.token_urlsafe(16)
        self._tickets[secret] = _Ticket(space, channel, user, space.clock(), original)
        return f"{base_url}/{'actions' if original else 'commands'}/{space.team}/{secret}"

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.text()
        return await self._troubles.answer(
            "response_url", request, lambda: self._take(request.match_info["secret"], body)
        )

    def _take(self, secret: str, body: str) -> web.Response:
        ticket = self._tickets.get(secret)
        over = ticket.over if ticket else "no_service"
        if ticket is None or over:
            return _refusal(404, over)
        try:
            payload = json.loads(body)
        except ValueError:
            payload = None
        if not isinstance(payload, dict):
            return _refusal(400, "invalid_payload")
        original = ticket.space.find(ticket.channel, ticket.original)
        if payload.get("delete_original") is True and original is not None:
            ticket.space.delete(original)
        elif refused := check_message(payload):
            return _refusal(400, refused.code)
        else:
            _show(ticket, payload, original)
        ticket.uses += 1
        return web.Response(text="ok")


def _show(ticket: _Ticket, payload: Mapping[str, object], original: Message | None) -> None:
    if payload.get("replace_original") is True and original is not None:
        ticket.space.change(original, {**original.payload, "blocks": [], **payload}, BOT)
        return
    visible_to = None if payload.get("response_type") == "in_channel" else ticket.user
    ticket.space.post(ticket.channel, BOT, "response_url", payload, visible_to=visible_to)


def _refusal(status: int, code: str) -> web.Response:
    return web.json_response({"ok": False, "error": code}, status=status)


Payload = dict[str, object]
HALVES = ("positive_button", "negative_button")


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a form. `errors`: block_id -> what stands beside it; `problem`: what Slack itself says.

    `acknowledgement` is None when Slack did not send the form, because something in it is missing.
    """

    acknowledgement: Acknowledgement | None
    errors: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Clickable:
    """An element that can be clicked or chosen, or `half` of feedback buttons."""

    block: Mapping[str, object]
    element: Mapping[str, object]
    half: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What people may call it: its text, ids, value."""
        found = self._button
        text = found.get("text")
        shown = text.get("text") if isinstance(text, dict) else None
        half = self.half.removesuffix("_button")
        names = (half, shown, found.get("action_id"), found.get("value"), found.get("accessibility_label"))
        return tuple(str(each) for each in names if each)

    def is_at(self, block_id: str, action_id: str, half: str) -> bool:
        mine = (self.block.get("block_id"), self.element.get("action_id"), self.half)
        return mine == (block_id, action_id, half)

    def action(self, value: object, now: float) -> tuple[Payload, State | None]:
        """As it stands in `actions` of the payload, set to `value`; and what stays chosen, None for buttons."""
        kind = str(self.element.get("type"))
        action: Payload = {"type": kind, "block_id": self.block.get("block_id")}
        action |= {"action_id": self.element.get("action_id"), "action_ts": f"{now:.6f}"}
        if self.half or kind == "button":
            kept = ("text", "value") if self.half else ("text", "value", "style", "url")
            return action | {name: self._button[name] for name in kept if name in self._button}, None
        state = chosen(self.element, value)
        return action | state, state

    @property
    def _button(self) -> Mapping[str, object]:
        found = self.element.get(self.half) if self.half else self.element
        return found if isinstance(found, dict) else {}


def clickables(blocks: Sequence[object]) -> Iterator[Clickable]:
    for block, element in elements_of(blocks):
        halves = HALVES if element.get("type") == "feedback_buttons" else ("",)
        yield from (Clickable(block, element, half) for half in halves)


class Interactions:
    """Each is sent once: Slack does not repeat what a person can do again."""

    def __init__(self, world: World, sending: Sending, response_urls: ResponseUrls) -> None:
        self._world = world
        self._sending = sending
        self._response_urls = response_urls
        self._filled: dict[tuple[str, str, str], Values] = {}
        """What is chosen in messages: (team, channel, ts)."""

    def command(
        self, space: Workspace, channel: str, user: str, command: str, text: str, trigger_id: str = ""
    ) -> Delivery:
        response_url = self._response_url(space, channel, user)
        trigger = self._world.triggers.issue(space.team, user, trigger_id)
        fields = command_fields(
            team=space.team,
            channel=channel,
            channel_name=str(_channel(space.channels[channel])["name"]),
            user=user,
            command=command,
            text=text,
            response_url=response_url,
            trigger_id=trigger,
            app_id=self._world.app.app_id,
            enterprise=space.enterprise,
            is_org=self._is_org(space),
        )
        return Delivery("slash_commands", fields, space.team, channel, user, command, trigger, response_url)

    def show(self, space: Workspace, seen: Acknowledgement) -> None:
        """What people see of an acknowledged command."""
        sent, error, message = seen.delivery, seen.error, seen.message
        if not error and message is not None and check_message(message):
            error = "dispatch_failed"
        if error:
            shown: Payload = {"text": wording.command_failed(sent.command, error)}
            space.post(sent.channel, SLACKBOT, "slack", shown, visible_to=sent.user)
        elif message is not None:
            visible_to = None if message.get("response_type") == "in_channel" else sent.user
            space.post(sent.channel, BOT, "acknowledgement", message, visible_to=visible_to)

    async def act(
        self, space: Workspace, user: str, target: Message | View, action: Payload, state: State | None
    ) -> Acknowledgement:
        """A click in a message, a modal or a home tab."""
        block, name = str(action["block_id"]), str(action["action_id"])
        if isinstance(target, View):
            view = self._world.views.fill(target, block, name, state) if state is not None else target
            values, where, channel = view.values, self._in_view(view), ""
        else:
            place, channel = (space.team, target.channel, target.ts), target.channel
            values = {**initial_values(named(target.blocks)), **self._filled.get(place, {})}
            if state is not None:
                self._filled[place] = values = {**values, block: {**values.get(block, {}), name: state}}
            where = self._in_message(space, target)
            where["response_url"] = self._response_url(space, channel, user, target.ts)
        more = {"state": {"values": values}, "actions": [action]}
        return await self._send(space, user, "block_actions", where | more, channel)

    async def submit(self, space: Workspace, view: View) -> Submitted:
        """Sends a filled form, and does what the app answers."""
        missing = _missing(view)
        if missing:
            return Submitted(None, missing)
        told: Payload = {"view": view.json(self._world.app.app_id), "response_urls": self._asked_urls(space, view)}
        seen = await self._send(space, view.user, "view_submission", told)
        errors = None if seen.error else self._answered(view, seen)
        return Submitted(seen, {}, wording.FORM_FAILED) if errors is None else Submitted(seen, errors)

    async def close(self, space: Workspace, view: View) -> list[Acknowledgement]:
        """A person closes a modal; the app is told where it asked for that."""
        self._world.views.close(view)
        if view.body.get("notify_on_close") is not True:
            return []
        told: Payload = {"view": view.json(self._world.app.app_id), "is_cleared": False}
        return [await self._send(space, view.user, "view_closed", told, trigger=False)]

    async def shortcut(
        self, space: Workspace, user: str, callback_id: str, message: Message | None = None
    ) -> Acknowledgement:
        """A global one, or one of a message."""
        told: Payload = {"callback_id": callback_id, "action_ts": f"{self._world.clock().timestamp():.6f}"}
        if message is None:
            return await self._send(space, user, "shortcut", told)
        told |= {
            "message_ts": message.ts,
            "channel": _channel(space.channels[message.channel]),
            "message": message_json(space, message, self._world.app.app_id),
            "response_url": self._response_url(space, message.channel, user, message.ts),
        }
        return await self._send(space, user, "message_action", told, message.channel)

    def _in_view(self, view: View) -> Payload:
        return {
            "container": {"type": "view", "view_id": view.view_id},
            "view": view.json(self._world.app.app_id),
        }

    def _in_message(self, space: Workspace, message: Message) -> Payload:
        """Where in a channel; an ephemeral message is named, not shown."""
        is_ephemeral = message.visible_to is not None
        container = {
            "type": "message", "message_ts": message.ts, "channel_id": message.channel, "is_ephemeral": is_ephemeral,
            **({"thread_ts": message.thread_ts} if message.thread_ts else {}),
        }  # fmt: skip
        found: Payload = {"container": container, "channel": _channel(space.channels[message.channel])}
        shown = {**message_json(space, message, self._world.app.app_id), "blocks": named(message.blocks)}
        return found if is_ephemeral else found | {"message": shown}

    def _answered(self, view: View, seen: Acknowledgement) -> Mapping[str, str] | None:
        """`response_action`, by Slack's rules: errors beside fields; None for what breaks the rules, which is shown to
        the person as trouble."""
        answer, views = seen.json, self._world.views
        action, body, found = answer.get("response_action"), answer.get("view"), answer.get("errors")
        is_clear = action == "clear" or (action is None and (answer or seen.body.strip() in ("", "{}")))
        if action == "errors" and isinstance(found, dict) and found:
            asked = {str(each["block_id"]) for each in view.blocks if each.get("type") == "input"}
            return {str(name): str(text) for name, text in found.items()} if found.keys() <= asked else None
        if action == "update" and isinstance(body, dict) and not check_view(body, Surface.MODAL):
            views.update(view, body)
        elif is_clear:
            views.close(view)
        else:
            return None
        return {}

    def _asked_urls(self, space: Workspace, view: View) -> list[Payload]:
        """Addresses for the channels that were picked where the app asked for one."""
        found: list[Payload] = []
        for block, element in elements_of(view.blocks):
            block_id, action_id = str(block.get("block_id")), str(element.get("action_id"))
            state = view.values.get(block_id, {}).get(action_id, {})
            channel = state.get("selected_conversation") or state.get("selected_channel")
            if element.get("response_url_enabled") is True and isinstance(channel, str):
                url = self._response_url(space, channel, view.user)
                at = {"block_id": block_id, "action_id": action_id, "channel_id": channel}
                found.append({**at, "response_url": url})
        return found

    async def _send(
        self, space: Workspace, user: str, kind: str, told: Payload, channel: str = "", *, trigger: bool = True
    ) -> Acknowledgement:
        person = space.people.get(user)
        name, home = (person.handle, person.team or space.team) if person else (user.lower(), space.team)
        trigger_id = self._world.triggers.issue(space.team, user) if trigger else ""
        payload: Payload = {
            "type": kind, "token": "deprecated", "api_app_id": self._world.app.app_id,
            "team": {"id": space.team, "domain": space.domain}, "enterprise": space.organisation,
            "is_enterprise_install": self._is_org(space),
            "user": {"id": user, "username": name, "name": name, "team_id": home},
            **({"trigger_id": trigger_id} if trigger else {}), **told,
        }  # fmt: skip
        delivery = Delivery("interactive", payload, space.team, channel, user, "", trigger_id)
        if not self._world.app.is_interactive:
            return Acknowledgement(delivery, error="interactivity_disabled")
        return await self._sending.once(delivery)

    def _is_org(self, space: Workspace) -> bool:
        grant = self._world.grants.live(space.team, space.enterprise)
        return grant is not None and grant.is_org

    def _response_url(self, space: Workspace, channel: str, user: str, original: str = "") -> str:
        return self._response_urls.issue(self._world.base_url, channel, user, workspace=space, original=original)


def _channel(channel: Channel) -> Payload:
    named_as = {"im": "directmessage", "group": "privategroup"}.get(channel.kind, channel.name)
    return {"id": channel.channel_id, "name": named_as}


def _missing(view: View) -> dict[str, str]:
    """What Slack itself asks for before it sends a form."""
    found = {}
    for block, element in elements_of(view.blocks):
        if block.get("type") == "input":
            block_id = str(block["block_id"])
            state = view.values.get(block_id, {}).get(str(element.get("action_id")))
            complaint = _complaint(element, state or {}, optional=block.get("optional") is True)
            if complaint:
                found[block_id] = complaint
    return found


def _complaint(element: Mapping[str, object], state: State, *, optional: bool) -> str:
    if is_empty(state):
        return "" if optional else wording.PLEASE_FILL_IN
    value, least, most = str(state.get("value") or ""), element.get("min_length"), element.get("max_length")
    if isinstance(least, int) and len(value) < least:
        return wording.too_short(least)
    return wording.too_long(most) if isinstance(most, int) and len(value) > most else ""
