"""Somebody in a workspace who types, clicks, edits and fills in."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ops.sandbox.slack import wording
from ops.sandbox.slack.block_kit.blocks import elements_of
from ops.sandbox.slack.channels import Channel
from ops.sandbox.slack.deliveries import Acknowledgement
from ops.sandbox.slack.elements import Picked, pick, pick_at
from ops.sandbox.slack.events import Events
from ops.sandbox.slack.forms import chosen, named
from ops.sandbox.slack.interactions import Interactions, Submitted
from ops.sandbox.slack.people import BOT, SLACKBOT
from ops.sandbox.slack.sending import Sending
from ops.sandbox.slack.typed_text import typed
from ops.sandbox.slack.views import View
from ops.sandbox.slack.workspace import Message, Workspace
from ops.sandbox.slack.world import World

Result = TypeVar("Result")


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
        refused = ""
        if command not in self._means.world.app.commands:
            refused = wording.unknown_command(command)
        elif thread_ts:
            refused = wording.no_command_in_thread(command)
        if refused:
            shown = {"text": refused, "thread_ts": thread_ts}
            self.workspace.post(channel, SLACKBOT, "slack", shown, visible_to=self.user)
            return Acknowledgement(delivery, 0, "", 0.0, "not_sent")
        seen = await self._means.sending.once(delivery)
        interactions.show(self.workspace, seen)
        return seen

    async def says(self, text: str, channel: str = "C1", thread_ts: str = "", *, broadcast: bool = False) -> Message:
        """A message as typed: addresses, @names and @channel become what Slack makes of them."""
        self._channel(channel)
        payload: dict[str, object] = {"text": typed(self.workspace, text)}
        if thread_ts:
            payload |= {"thread_ts": thread_ts, "reply_broadcast": broadcast}
        message = await self._told(lambda: self.workspace.post(channel, self.user, "person", payload))
        if f"<@{BOT}>" in message.text and BOT not in self.workspace.channels[channel].members:
            shown = {"text": wording.bot_not_here("adpolicy"), "thread_ts": thread_ts}
            self.workspace.post(channel, SLACKBOT, "slack", shown, visible_to=self.user)
        return message

    async def mentions(self, text: str, channel: str = "C1", thread_ts: str = "") -> Message:
        return await self.says(f"@adpolicy {text}", channel, thread_ts)

    async def writes_to_bot(self, text: str, thread_ts: str = "") -> Message:
        """In the direct message with the bot."""
        return await self.says(text, self.direct.channel_id, thread_ts)

    async def edits(self, message: Message, text: str) -> Message:
        current = self._own(message)
        return await self._told(
            lambda: self.workspace.change(current, {**current.payload, "text": typed(self.workspace, text)}, self.user)
        )

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
        return await self._acts(target, lambda found: found.click(what))

    async def chooses(self, target: Message | View, action_id: str, value: object) -> Acknowledgement:
        """An option by its value, a person or channel by id, a date as YYYY-MM-DD."""
        return await self._acts(target, lambda found: found.choose(action_id, value))

    async def acts_at(
        self, target: Message | View, block_id: str, action_id: str, half: str = "", value: object = None
    ) -> Acknowledgement:
        """A click on the element of these ids; `half` of feedback buttons by its name."""
        return await self._acts(target, lambda found: found.at(block_id, action_id, half, value))

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

    async def closes(self, view: View, *, everything: bool = False) -> list[Acknowledgement]:
        return await self._means.interactions.close(self.workspace, self._current(view), everything=everything)

    async def looks_up(self, target: Message | View, action_id: str, beginning: str) -> list[dict[str, object]]:
        """The options that the app offers for what is typed in an external menu."""
        current = self._current(target) if isinstance(target, View) else self._visible(target)
        block, element = _field(named(current.blocks), action_id)
        suggest = self._means.interactions.suggest
        return await suggest(self.workspace, self.user, current, block, element, beginning)

    async def uses_shortcut(self, callback_id: str) -> Acknowledgement:
        if callback_id not in self._means.world.app.shortcuts:
            raise LookupError(f"the app has no shortcut {callback_id}")
        return await self._means.interactions.shortcut(self.workspace, self.user, callback_id)

    async def uses_message_shortcut(self, callback_id: str, message: Message) -> Acknowledgement:
        if callback_id not in self._means.world.app.message_shortcuts:
            raise LookupError(f"the app has no message shortcut {callback_id}")
        self._channel(message.channel)
        return await self._means.interactions.message_shortcut(self.workspace, self.user, callback_id, message)

    @property
    def direct(self) -> Channel:
        """The direct message with the bot."""
        return self.workspace.conversation(frozenset({BOT, self.user}))

    @property
    def modal(self) -> View | None:
        """The modal on top."""
        found = self._means.world.views.stack(self.workspace.team, self.user)
        return found[-1] if found else None

    @property
    def modals(self) -> list[View]:
        return self._means.world.views.stack(self.workspace.team, self.user)

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

    async def _acts(self, target: Message | View, find: "Callable[[_Elements], Picked]") -> Acknowledgement:
        if isinstance(target, View):
            view = self._current(target)
            found = find(_Elements(view.blocks, self.workspace.clock().timestamp()))
            return await self._means.interactions.act_in_view(self.workspace, view, found.action, found.state)
        message = self._visible(target)
        found = find(_Elements(named(message.blocks), self.workspace.clock().timestamp()))
        act = self._means.interactions.act_in_message
        return await act(self.workspace, self.user, message, found.action, found.state)

    async def _told(self, act: Callable[[], Result]) -> Result:
        with self._means.sending.collecting() as tasks:
            done = act()
        if tasks:
            await asyncio.wait(tasks)
        return done

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
        if current.author != self.user or not self.workspace.may_edit(current):
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


@dataclass(frozen=True, slots=True)
class _Elements:
    blocks: list[dict[str, object]]
    now: float

    def click(self, what: str) -> Picked:
        return pick(self.blocks, what, None, self.now)

    def at(self, block_id: str, action_id: str, half: str, value: object) -> Picked:
        return pick_at(self.blocks, block_id, action_id, half, value, self.now)

    def choose(self, action_id: str, value: object) -> Picked:
        return pick(self.blocks, action_id, value, self.now)


def _field(blocks: Sequence[object], name: str) -> tuple[Mapping[str, object], dict[str, object]]:
    for block, element in elements_of(blocks):
        block_id, action_id = str(block.get("block_id")), str(element.get("action_id"))
        if name in (block_id, action_id, f"{block_id}/{action_id}"):
            return block, element
    there = [f"{block.get('block_id')}/{element.get('action_id')}" for block, element in elements_of(blocks)]
    raise LookupError(f"no field {name!r}; there are {there}")
