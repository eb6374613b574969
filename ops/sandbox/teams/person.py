"""Somebody in Teams who writes, clicks, searches and fills in."""

import html
from collections.abc import Mapping
from dataclasses import replace

from ops.sandbox.teams.cards import shown_ids
from ops.sandbox.teams.clicking import Clicking, Dialog, Found, Means
from ops.sandbox.teams.deliveries import Answered, not_sent
from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.world import Account, Place, PlaceKind

NOT_HEARD = "not heard"
"""`Answered.error` of what the bot is not told of."""


class Person:
    """Every act returns when the bot has answered over HTTP, or failed to; `Answered.message` is what was written.

    `where` is a conversation's id or name. Raises LookupError where a person could not do it: not in there, no such
    button, not their message.
    """

    def __init__(self, means: Means, account: Account) -> None:
        self._means = means
        self._clicking = Clicking(means, account)
        self.account = account

    @property
    def chat(self) -> Place:
        """The person's own chat with the bot."""
        return self._means.world.personal_chat(self.account.number)

    @property
    def dialog(self) -> Dialog | None:
        """What stands open."""
        return self._means.dialogs.get(self.account.number)

    @property
    def told(self) -> list[str]:
        """What Teams showed to this person alone: texts in answer to clicks, and errors."""
        return self._means.told.setdefault(self.account.number, [])

    async def writes_to_bot(self, text: str, **more: object) -> Answered:
        """In the person's own chat with the bot."""
        return await self._write(self.chat, text, "", mentions=False, more=more)

    async def mentions(self, text: str, where: str = "ads", thread: str = "", **more: object) -> Answered:
        """`text` after the bot's name, or around it where it has `@bot`. `thread`: the message that it begins with,
        "" for a new post."""
        return await self._write(self._place(where), text, thread, mentions=True, more=more)

    async def says(self, text: str, where: str = "ads", thread: str = "", **more: object) -> Answered:
        """Without a mention: the bot is told only where it may read everything."""
        return await self._write(self._place(where), text, thread, mentions=False, more=more)

    async def writes_in_group(self, text: str, where: str = "talk", *, mentions: bool = True) -> Answered:
        return await self._write(self._place(where), text, "", mentions=mentions, more={})

    async def attaches_file(self, name: str, text: str = "") -> Answered:
        """A file, to the bot. Teams sends files in personal chats only."""
        link = f"https://files.example/{name}"
        content = {"downloadUrl": link, "uniqueId": name, "fileType": name.rpartition(".")[2]}
        kind = "application/vnd.microsoft.teams.file.download.info"
        file = {"contentType": kind, "contentUrl": link, "name": name, "content": content}
        return await self._write(self.chat, text, "", mentions=False, more={"attachments": [file]})

    async def edits(self, message: Message, text: str) -> Answered:
        current, place = self._own(message)
        entities = current.activity.get("entities")
        had_mention = isinstance(entities, list) and bool(entities)
        changed = self._means.world.messages.change(current, self._said(text, mentions=had_mention))
        return await self._changed(changed, place, "messageUpdate", "editMessage")

    async def deletes(self, message: Message) -> Answered:
        current, place = self._own(message)
        gone = self._means.world.messages.put(replace(current, is_deleted=True))
        return await self._changed(gone, place, "messageDelete", "softDeleteMessage")

    async def undeletes(self, message: Message) -> Answered:
        current, place = self._own(message, deleted=True)
        back = self._means.world.messages.put(replace(current, is_deleted=False))
        return await self._changed(back, place, "messageUpdate", "undeleteMessage")

    async def reacts(self, message: Message, kind: str = "like", *, removed: bool = False) -> Answered:
        """The bot is told of reactions to its own messages."""
        current, place = self._visible(message)
        if not current.is_by_bot:
            return not_sent(NOT_HEARD, current)
        made = self._means.activities.made("messageReaction", place, self.account, root=current.root)
        made |= {"replyToId": current.id, "reactionsRemoved" if removed else "reactionsAdded": [{"type": kind}]}
        return await self._means.deliver(made, current)

    async def clicks(self, target: Message | Dialog, what: str, inputs: Mapping[str, object] | None = None) -> Answered:
        """A button by title, id or verb, or a suggested action. Of a link nothing is sent; `error` is its address."""
        if isinstance(target, Dialog):
            return await self._clicking.in_dialog(target, what, inputs or {})
        return await self._clicking.on_message(self._visible(target)[0], what, inputs or {})

    def is_shown(self, message: Message, element_id: str) -> bool:
        """Whether this person sees an element of a message's card, as he has folded and unfolded it."""
        folded = self._means.folded.get((self.account.number, message.id), {})
        return any(element_id in shown_ids(each, folded) for each in message.cards)

    async def submits(self, dialog: Dialog, inputs: Mapping[str, object] | None = None, what: str = "") -> Answered:
        """By the button `what`, or the first one that submits."""
        return await self._clicking.submit(dialog, inputs or {}, what)

    def closes(self) -> None:
        """The dialog; the bot is not told."""
        self._means.dialogs.pop(self.account.number, None)

    async def rates(self, message: Message, rating: str = "like", comment: str = "") -> Answered:
        """ "like" or "dislike", below the message. Where the bot has a form of its own it opens: fill it in by
        `submits`."""
        return await self._clicking.rate(self._visible(message)[0], rating, comment)

    def stops(self) -> None:
        """The Stop button below a message that is streamed."""
        self._means.world.streams.stop(self.chat.id)

    async def searches(self, text: str, where: str = "", **more: str) -> list[Found]:
        """By the message extension, in the compose box of `where` (the own chat with the bot by default)."""
        return await self._clicking.search(text, self._place(where) if where else self.chat, **more)

    async def inserts(self, found: Found, where: str = "", thread: str = "") -> Message:
        """Sends the card of a result."""
        return await self._clicking.insert(found, self._place(where) if where else self.chat, thread)

    async def uses_action_on(self, message: Message, command: str = "checkMessage") -> Answered:
        current, place = self._visible(message)
        return await self._clicking.use_action(current, place, command)

    async def installs(self, where: str = "") -> list[Answered]:
        """In the own chat, or in a team (by one of its channels) or group chat."""
        return await self._install(where, added=True)

    async def uninstalls(self, where: str = "") -> list[Answered]:
        return await self._install(where, added=False)

    def blocks_bot(self, *, blocked: bool = True) -> None:
        self.chat.is_blocked = blocked

    def sees(self, where: str = "", thread: str = "") -> list[Message]:
        """What stands there now."""
        place = self._place(where) if where else self.chat
        found = self._means.world.messages.listed(place.id)
        return [each for each in found if thread in ("", each.thread, each.id)]

    async def _install(self, where: str, *, added: bool) -> list[Answered]:
        place = self._place(where) if where else self.chat
        if place.team is not None:
            place.team.is_installed = added
        else:
            place.is_installed_here = added
            place.is_opened = place.is_opened and added
        activities, bot = self._means.activities, {"id": self._means.world.bot, "name": self._means.world.bot_name}
        told = [activities.installed(place, self.account, "add" if added else "remove")]
        who = bot if added or place.kind is not PlaceKind.PERSONAL else self.account.sender()
        update = activities.members(place, self.account, [who], added)
        told = [update, *told] if added else [*told, update]
        return [await self._means.deliver(each) for each in told]

    async def _write(
        self, place: Place, text: str, thread: str, *, mentions: bool, more: Mapping[str, object]
    ) -> Answered:
        """`more`: fields of the message, which win; attachments join those that it has by itself."""
        world, said = self._means.world, self._said(text, mentions=mentions)
        given, own = more.get("attachments", []), said["attachments"]
        if isinstance(given, list) and isinstance(own, list):
            said |= {**more, "attachments": [*given, *own]}
        heard = place.is_installed and (mentions or place.hears_all)
        if place.kind is PlaceKind.PERSONAL:
            heard = (place.is_installed or place.is_opened) and not place.is_blocked
        written = world.messages.post(place.id, self.account.user, said, thread=thread, heard=heard)
        if not heard:
            return not_sent(NOT_HEARD, written)
        return await self._means.deliver(self._means.activities.message(place, self.account, written), written)

    def _said(self, text: str, *, mentions: bool) -> dict[str, object]:
        """As Teams puts it: every message has itself as HTML among its attachments."""
        world = self._means.world
        tag = f"<at>{world.bot_name}</at>"
        whole = text
        if mentions:
            whole = text.replace("@bot", tag, 1) if "@bot" in text else f"{tag} {text}"
        body = f"<div><div>{html.escape(text)}</div></div>"
        said: dict[str, object] = {
            "text": whole,
            "textFormat": "plain",
            "attachments": [{"contentType": "text/html", "content": body}],
        }
        if mentions:
            mention = {"type": "mention", "mentioned": {"id": world.bot, "name": world.bot_name}, "text": tag}
            said["entities"] = [mention]
        return said

    async def _changed(self, message: Message, place: Place, kind: str, event: str) -> Answered:
        if not message.heard or not (place.is_installed or place.is_opened):
            return not_sent(NOT_HEARD, message)
        made = self._means.activities.message(place, self.account, message, kind, event)
        return await self._means.deliver(made, message)

    def _place(self, where: str) -> Place:
        place = self._means.world.place(where)
        if self.account.number not in place.members or place.is_deleted:
            raise LookupError(f"{self.account.name} is not in {where}")
        return place

    def _visible(self, message: Message, *, deleted: bool = False) -> tuple[Message, Place]:
        place = self._place(message.conversation)
        current = self._means.world.messages.find(message.conversation, message.id)
        if current is None or current.is_deleted is not deleted:
            raise LookupError(f"{self.account.name} does not see {message.id} in {message.conversation}")
        return current, place

    def _own(self, message: Message, *, deleted: bool = False) -> tuple[Message, Place]:
        current, place = self._visible(message, deleted=deleted)
        if current.author != self.account.user:
            raise LookupError(f"{self.account.name} did not write {message.id}")
        return current, place
