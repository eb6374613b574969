"""What happens in a workspace, as events for the app: only what it subscribed to, and has the scopes for."""

import itertools
from collections.abc import Mapping

from ops.sandbox.slack.channels import Channel
from ops.sandbox.slack.deliveries import Delivery
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.limits import EventMeter
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.sending import Sending
from ops.sandbox.slack.shapes import message_json
from ops.sandbox.slack.workspace import Change, Message, Workspace
from ops.sandbox.slack.world import World

Event = dict[str, object]

_SUBSCRIPTIONS = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}


class Events:
    """Listens to workspaces (`changed`), and tells the app by `Sending`."""

    def __init__(self, world: World, sending: Sending, meter: EventMeter) -> None:
        self._world = world
        self._meter = meter
        self._sending = sending
        self._numbers = itertools.count(1)

    def changed(self, workspace: Workspace, change: Change) -> None:
        channel = workspace.channels.get(change.channel)
        if channel is None or BOT not in channel.members:
            return
        if change.what == "joined":
            self._joined(workspace, channel, change.user)
        elif change.what == "posted":
            self._posted(workspace, channel, change.message)
        elif change.what == "changed":
            self._edited(workspace, channel, change)
        elif change.previous is not None and not change.previous.visible_to:
            self._deleted(workspace, channel, change.previous)

    def opened_home(self, workspace: Workspace, user: str, tab: str) -> None:
        direct = workspace.conversation(frozenset({BOT, user}))
        event: Event = {
            "type": "app_home_opened",
            "user": user,
            "channel": direct.channel_id,
            "tab": tab,
            "event_ts": workspace.next_ts(),
        }
        home = self._world.views.home(workspace.team, user)
        if tab == "home" and home is not None:
            event["view"] = home.json(self._world.app.app_id)
        self.tell(workspace, "app_home_opened", event)

    def ended(self, workspace: Workspace, grant: Grant, *, uninstalled: bool) -> None:
        """The token ended; with `uninstalled` the app has left the workspace as well."""
        revoked: Event = {
            "type": "tokens_revoked",
            "tokens": {"oauth": [], "bot": [grant.bot_user]},
            "event_ts": workspace.next_ts(),
        }
        self.tell(workspace, "tokens_revoked", revoked, grant)
        if uninstalled:
            gone: Event = {"type": "app_uninstalled", "event_ts": workspace.next_ts()}
            self.tell(workspace, "app_uninstalled", gone, grant)

    def tell(
        self,
        workspace: Workspace,
        subscription: str,
        event: Mapping[str, object],
        grant: Grant | None = None,
        channel: Channel | None = None,
    ) -> None:
        """Sends `event` if the app is subscribed and installed."""
        acting = grant or self._world.grants.live(workspace.team, workspace.enterprise)
        if acting is None or subscription not in self._world.app.events:
            return
        if not self._meter.passes(workspace.team):
            self._tell_rate_limited(workspace)
            return
        shared = channel is not None and channel.is_ext_shared
        self._sending.publish(
            Delivery(
                "events_api",
                self._envelope(workspace, event, acting, shared),
                workspace.team,
                str(event.get("channel") or ""),
                str(event.get("user") or ""),
            )
        )

    def _tell_rate_limited(self, workspace: Workspace) -> None:
        minute = self._meter.minute_to_tell(workspace.team)
        if minute is not None:
            told = {
                "type": "app_rate_limited",
                "token": "deprecated",
                "team_id": workspace.team,
                "minute_rate_limited": minute,
                "api_app_id": self._world.app.app_id,
            }
            self._sending.publish(Delivery("events_api", told, workspace.team))

    def _posted(self, workspace: Workspace, channel: Channel, message: Message | None) -> None:
        if message is None or message.visible_to:
            return
        if not channel.is_im and f"<@{BOT}>" in message.text and message.author != BOT:
            self._mentioned(workspace, channel, message)
        event = {**self._message(workspace, message), "event_ts": message.ts}
        if message.is_broadcast and message.thread_ts:
            root = workspace.find(message.channel, message.thread_ts)
            event["root"] = self._message(workspace, root) if root else {}
        self._tell_message(workspace, channel, event)

    def _mentioned(self, workspace: Workspace, channel: Channel, message: Message) -> None:
        if self._has_scope(workspace, "app_mentions:read"):
            event = {**self._message(workspace, message), "type": "app_mention", "channel": channel.channel_id}
            event.pop("subtype", None)
            event["event_ts"] = workspace.next_ts() if message.edited else message.ts
            self.tell(workspace, "app_mention", event, channel=channel)

    def _edited(self, workspace: Workspace, channel: Channel, change: Change) -> None:
        new, old = change.message, change.previous
        if new is None or old is None or new.visible_to:
            return
        named = f"<@{BOT}>"
        if not channel.is_im and named in new.text and named not in old.text and new.author != BOT:
            self._mentioned(workspace, channel, new)
        event: Event = {
            "type": "message",
            "subtype": "message_changed",
            "hidden": True,
            "message": self._message(workspace, new),
            "previous_message": self._message(workspace, old),
        }
        self._tell_message(workspace, channel, event)

    def _deleted(self, workspace: Workspace, channel: Channel, message: Message) -> None:
        event: Event = {
            "type": "message",
            "subtype": "message_deleted",
            "hidden": True,
            "deleted_ts": message.ts,
            "previous_message": self._message(workspace, message),
        }
        self._tell_message(workspace, channel, event)

    def _tell_message(self, workspace: Workspace, channel: Channel, event: Event) -> None:
        if not self._has_scope(workspace, f"{channel.scopes}:history"):
            return
        now = workspace.next_ts()
        whole = {"ts": now, "event_ts": now, **event, "channel": channel.channel_id, "channel_type": channel.kind}
        self.tell(workspace, _SUBSCRIPTIONS[channel.kind], whole, channel=channel)

    def _joined(self, workspace: Workspace, channel: Channel, user: str) -> None:
        event: Event = {
            "type": "member_joined_channel",
            "user": user,
            "channel": channel.channel_id,
            "channel_type": "C" if channel.kind == "channel" else "G",
            "team": workspace.team,
            "event_ts": workspace.next_ts(),
        }
        if self._has_scope(workspace, f"{channel.scopes}:read"):
            self.tell(workspace, "member_joined_channel", event, channel=channel)

    def _has_scope(self, workspace: Workspace, scope: str) -> bool:
        grant = self._world.grants.live(workspace.team, workspace.enterprise)
        return grant is not None and scope in grant.scopes

    def _message(self, workspace: Workspace, message: Message) -> Event:
        return message_json(workspace, message, self._world.app.app_id)

    def _envelope(
        self, workspace: Workspace, event: Mapping[str, object], grant: Grant, shared: bool
    ) -> Mapping[str, object]:
        app_id = self._world.app.app_id
        by: Event = {
            "enterprise_id": workspace.enterprise or None,
            "team_id": workspace.team,
            "user_id": grant.bot_user,
            "is_bot": True,
            "is_enterprise_install": grant.is_org,
        }
        organisation = {"enterprise_id": workspace.enterprise} if workspace.enterprise else {}
        return {
            "token": "deprecated",
            "team_id": workspace.team,
            **organisation,
            "context_team_id": workspace.team,
            "context_enterprise_id": workspace.enterprise or None,
            "api_app_id": app_id,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev{next(self._numbers):09d}",
            "event_time": int(self._world.clock().timestamp()),
            "authorizations": [by],
            "is_ext_shared_channel": shared,
            "event_context": f"4-{workspace.team}-{app_id}",
        }
