"""Somebody in a workspace who types, clicks, edits and fills in."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ops.sandbox import wording
from ops.sandbox.slack.block_kit import elements_of
from ops.sandbox.slack.deliveries import Acknowledgement, Events, Sending, escaped
from ops.sandbox.slack.interactions import Clickable, Interactions, Submitted, clickables
from ops.sandbox.slack.people import BOT, SLACKBOT, Channel
from ops.sandbox.slack.views import View, chosen, named
from ops.sandbox.slack.workspace import Message, Workspace
from ops.sandbox.slack.world import World

Result = TypeVar("Result")
_ADDRESS = re.compile(r"https?://[^\s<>|]+")
_HANDLE = re.compile(r"(?<!\w)@([a-z0-9][a-z0-9._-]*)", re.IGNORECASE)
_ANGLED = re.compile(r"<([^<>]*)>")


def typed(workspace: Workspace, text: str) -> str:
    """What Slack makes of what people type: addresses, @names and @channel in angle brackets, all else escaped."""
    handles = {each.handle: f"<@{each.user_id}>" for each in workspace.people.values()}
    handles |= {each: f"<!{each}>" for each in ("channel", "here", "everyone")}
    bracketed = _ADDRESS.sub(lambda found: f"<{found[0]}>", escaped(text))
    return _HANDLE.sub(lambda found: handles.get(found[1].lower(), found[0]), bracketed)


def as_typed(workspace: Workspace, text: str) -> str:
    """The way back: what a person sees when they edit."""

    def plain(found: re.Match[str]) -> str:
        target = found[1].partition("|")[0]
        user = workspace.people.get(target.removeprefix("@"))
        return f"@{user.handle}" if user else target.replace("!", "@", 1) if target.startswith("!") else target

    return _ANGLED.sub(plain, text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@dataclass(frozen=True, slots=True)
class Means:
    """What people act through."""

    world: World
    sending: Sending
    events: Events
    interactions: Interactions


class Person:
    """Every act returns when the app has acknowledged what it was told of it, or failed to.

    Raises LookupError where a person could not do it: not in the channel, no such button, not their message.
    """

    def __init__(self, means: Means, workspace: Workspace, user: str) -> None:
        self._means = means
        self.workspace = workspace
        self.user = user

    async def types(self, text: str, channel: str = "C1", thread_ts: str = "") -> Message | Acknowledgement:
        """A message, or a command if it begins with a slash."""
        if not text.startswith("/"):
            return await self.says(text, channel, thread_ts)
        command, _, rest = text.partition(" ")
        return await self.commands(command, rest, channel, thread_ts)

    async def commands(
        self, command: str, text: str, channel: str = "C1", thread_ts: str = "", trigger_id: str = ""
    ) -> Acknowledgement:
        """Slack takes no commands in threads, and none that no app has: nothing is sent then."""
        interactions = self._means.interactions
        delivery = interactions.command(self.workspace, channel, self.user, command, text, trigger_id)
        if command not in self._means.world.app.commands:
            self._told_by_slack(wording.unknown_command(command), channel, thread_ts)
        elif thread_ts:
            self._told_by_slack(wording.no_command_in_thread(command), channel, thread_ts)
        else:
            seen = await self._means.sending.once(delivery)
            interactions.show(self.workspace, seen)
            return seen
        return Acknowledgement(delivery, error="not_sent")

    async def says(self, text: str, channel: str = "C1", thread_ts: str = "", *, broadcast: bool = False) -> Message:
        """A message as typed: addresses, @names and @channel become what Slack makes of them."""
        there = self._channel(channel)
        payload: dict[str, object] = {"text": typed(self.workspace, text)}
        if thread_ts:
            payload |= {"thread_ts": thread_ts, "reply_broadcast": broadcast}
        message = await self._told(lambda: self.workspace.post(channel, self.user, "person", payload))
        if f"<@{BOT}>" in message.text and BOT not in there.members:
            self._told_by_slack(wording.bot_not_here("adpolicy"), channel, thread_ts)
        return message

    async def mentions(self, text: str, channel: str = "C1", thread_ts: str = "") -> Message:
        return await self.says(f"@adpolicy {text}", channel, thread_ts)

    async def writes_to_bot(self, text: str, thread_ts: str = "") -> Message:
        """In the direct message with the bot."""
        return await self.says(text, self.direct.channel_id, thread_ts)

    async def edits(self, message: Message, text: str) -> Message:
        current = self._own(message)
        payload = {**current.payload, "text": typed(self.workspace, text)}
        return await self._told(lambda: self.workspace.change(current, payload, self.user))

    async def deletes(self, message: Message) -> None:
        current = self._own(message)
        await self._told(lambda: self.workspace.delete(current))

    async def joins(self, channel: str) -> None:
        await self._told(lambda: self.workspace.join(channel, self.user))

    async def invites_bot(self, channel: str) -> None:
        await self._told(lambda: self.workspace.join(channel, BOT))

    async def opens_home(self, tab: str = "home") -> View | None:
        """Looks at the app; its home tab as it is after the app was told."""
        await self._told(lambda: self._means.events.opened_home(self.workspace, self.user, tab))
        return self.home

    async def clicks(self, target: Message | View, what: str) -> Acknowledgement:
        """A button or half of feedback buttons, by its text, action_id or value."""
        return await self.chooses(target, what, None)

    async def chooses(self, target: Message | View, what: str, value: object) -> Acknowledgement:
        """An option by its value, a person or channel by id, a date as YYYY-MM-DD."""
        return await self._acts(target, lambda each: what in each.names, value)

    async def acts_at(
        self, target: Message | View, block_id: str, action_id: str, half: str = "", value: object = None
    ) -> Acknowledgement:
        """A click on the element of these ids; `half` of feedback buttons by its name."""
        return await self._acts(target, lambda each: each.is_at(block_id, action_id, half), value)

    def fills(self, view: View, values: Mapping[str, object]) -> View:
        """Fills in without sending: block_id or action_id -> value, or "block_id/action_id" -> value."""
        current = self._current(view)
        for name, value in values.items():
            block, element = _field(current.blocks, name)
            state = chosen(element, value)
            current = self._means.world.views.fill(current, str(block["block_id"]), str(element["action_id"]), state)
        return current

    async def submits(self, view: View, values: Mapping[str, object] | None = None) -> Submitted:
        return await self._means.interactions.submit(self.workspace, self.fills(view, values or {}))

    async def closes(self, view: View) -> list[Acknowledgement]:
        return await self._means.interactions.close(self.workspace, self._current(view))

    async def uses_shortcut(self, callback_id: str) -> Acknowledgement:
        if callback_id not in self._means.world.app.shortcuts:
            raise LookupError(f"the app has no shortcut {callback_id}")
        return await self._means.interactions.shortcut(self.workspace, self.user, callback_id)

    async def uses_message_shortcut(self, callback_id: str, message: Message) -> Acknowledgement:
        if callback_id not in self._means.world.app.message_shortcuts:
            raise LookupError(f"the app has no message shortcut {callback_id}")
        self._channel(message.channel)
        return await self._means.interactions.shortcut(self.workspace, self.user, callback_id, message)

    @property
    def direct(self) -> Channel:
        """The direct message with the bot."""
        return self.workspace.conversation(frozenset({BOT, self.user}))

    @property
    def modal(self) -> View | None:
        return self._means.world.views.modal(self.workspace.team, self.user)

    @property
    def home(self) -> View | None:
        return self._means.world.views.home(self.workspace.team, self.user)

    def sees(self, channel: str = "C1", thread_ts: str = "") -> list[Message]:
        """All messages of a channel that are shown to this person, or those of one thread."""
        found = self.workspace.seen_by(self.user, channel) if self._may_see(channel) else []
        return [each for each in found if thread_ts in ("", each.thread_ts, each.ts)]

    def ephemeral(self, channel: str = "C1") -> list[Message]:
        """What nobody else sees."""
        return [each for each in self.sees(channel) if each.visible_to == self.user]

    async def _acts(
        self, target: Message | View, is_meant: Callable[[Clickable], bool], value: object
    ) -> Acknowledgement:
        current = self._current(target) if isinstance(target, View) else self._visible(target)
        there = [*clickables(named(current.blocks))]
        for each in there:
            if is_meant(each):
                action, state = each.action(value, self.workspace.clock().timestamp())
                return await self._means.interactions.act(self.workspace, self.user, current, action, state)
        raise LookupError(f"no such element; there are {[each.names for each in there]}")

    async def _told(self, act: Callable[[], Result]) -> Result:
        """Does it, and waits for what the app is told of it."""
        before = set(self._means.sending.tasks.running)
        done = act()
        started = self._means.sending.tasks.running - before
        if started:
            await asyncio.wait(started)
        return done

    def _told_by_slack(self, text: str, channel: str, thread_ts: str) -> None:
        shown = {"text": text, "thread_ts": thread_ts}
        self.workspace.post(channel, SLACKBOT, "slack", shown, visible_to=self.user)

    def _may_see(self, channel: str) -> bool:
        found = self.workspace.channels.get(channel)
        return found is not None and found.found_by(self.user)

    def _channel(self, channel: str) -> Channel:
        found = self.workspace.channels.get(channel)
        if found is None or self.user not in found.members or found.is_archived:
            raise LookupError(f"{self.user} cannot write in {channel}")
        return found

    def _own(self, message: Message) -> Message:
        current = self._visible(message)
        if current.author != self.user:
            raise LookupError(f"{self.user} cannot change {message.ts}")
        return current

    def _visible(self, message: Message) -> Message:
        current = self.workspace.find(message.channel, message.ts)
        if current is None or current.visible_to not in (None, self.user) or not self._may_see(message.channel):
            raise LookupError(f"{self.user} does not see {message.ts} in {message.channel}")
        return current

    def _current(self, view: View) -> View:
        current = self._means.world.views.get(view.view_id)
        if current is None or current.user != self.user:
            raise LookupError(f"{self.user} does not have {view.view_id} open")
        return current


def _field(blocks: Sequence[object], name: str) -> tuple[Mapping[str, object], dict[str, object]]:
    for block, element in elements_of(blocks):
        block_id, action_id = str(block.get("block_id")), str(element.get("action_id"))
        if name in (block_id, action_id, f"{block_id}/{action_id}"):
            return block, element
    there = [f"{block.get('block_id')}/{element.get('action_id')}" for block, element in elements_of(blocks)]
    raise LookupError(f"no field {name!r}; there are {there}")
