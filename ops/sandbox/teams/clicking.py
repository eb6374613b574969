"""What happens in Teams when somebody clicks on a card, in a dialog, below a message, or uses the message extension."""

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ops.sandbox.teams.activities import Activities, stamp
from ops.sandbox.teams.cards import ADAPTIVE_CARD, Folded, Pressed, actions_of, filled, press, toggled
from ops.sandbox.teams.checks import FAILED, SAID, problem
from ops.sandbox.teams.deliveries import Answered, Delivery, Sending, not_sent
from ops.sandbox.teams.messages import Message, objects
from ops.sandbox.teams.tokens import Bad
from ops.sandbox.teams.world import Account, Place, PlaceKind, World

Json = Mapping[str, object]
SEARCH = "searchPolicies"
_CONTEXT = {"theme": "default"}


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that stands open. `answers`: the invoke that submitting it sends, with what goes along in its value.
    `value` as the bot gave it; its `card` is what is seen."""

    title: str
    card: Json
    value: Json
    place: Place
    message: Message | None
    answers: str = "task/submit"
    along: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """One result of the message extension. `title`: what its preview shows; `card`: what is inserted."""

    attachment: Json

    @property
    def title(self) -> str:
        return str(self.preview.get("title") or self.preview.get("text") or "")

    @property
    def preview(self) -> Json:
        found = self.attachment.get("preview")
        content = found.get("content") if isinstance(found, dict) else self.attachment.get("content")
        return content if isinstance(content, dict) else {}

    @property
    def tap(self) -> Json | None:
        """What the bot is asked when it is picked; None where it is inserted as it is."""
        tap = self.preview.get("tap")
        value = tap.get("value") if isinstance(tap, dict) and tap.get("type") == "invoke" else None
        return value if isinstance(value, dict) else None

    @property
    def card(self) -> Json:
        found = self.attachment.get("content")
        return found if isinstance(found, dict) else {}


@dataclass(slots=True)
class Means:
    """What people act through. `dialogs`: what each person has open. `told`: what Teams showed each of them alone:
    texts in place of a card or a dialog, and errors. `folded`: what each has folded and unfolded, by message. `bad`:
    what is wrong with the tokens of the next deliveries."""

    world: World
    sending: Sending
    activities: Activities
    dialogs: dict[int, Dialog] = field(default_factory=dict)
    told: dict[int, list[str]] = field(default_factory=dict)
    folded: dict[tuple[int, str], Folded] = field(default_factory=dict)
    bad: Bad | None = None

    async def deliver(self, activity: Json, message: Message | None = None) -> Answered:
        return (await self.sending.deliver(Delivery(activity, self.bad))).about(message)

    async def invoke(
        self, name: str, value: Json, place: Place, person: Account, message: Message | None = None
    ) -> Answered:
        """With `error` set where Teams would not take the answer; the person is told so."""
        seen = await self.deliver(self.activities.invoke(name, value, place, person, message), message)
        wrong = seen.error or problem(name, seen.status, seen.json, seen.body)
        if wrong:
            self.tell(person, f"Something went wrong: {wrong}")
        return replace(seen, error=wrong)

    def tell(self, person: Account, text: str) -> None:
        self.told.setdefault(person.number, []).append(text)


class Clicking:
    """Of one person. Answers are shown as Teams shows them: cards are replaced, dialogs opened, texts told."""

    def __init__(self, means: Means, person: Account) -> None:
        self._means = means
        self._person = person

    async def on_message(self, message: Message, what: str, inputs: Json) -> Answered:
        """A button of its cards, or a suggested action, by title."""
        if what in message.suggestions:
            return await self._says(message, what)
        place, key = self._means.world.place(message.conversation), (self._person.number, message.id)
        folded = self._means.folded.get(key, {})
        card, pressed = _press_any(message, what, inputs, folded)
        if pressed.kind == "Action.ToggleVisibility":
            self._means.folded[key] = toggled(card, pressed.action, folded)
        return await self._pressed(pressed, message, place)

    async def in_dialog(self, dialog: Dialog, what: str, inputs: Json) -> Answered:
        pressed = press(dialog.card, what, inputs)
        if pressed.kind == "Action.Submit":
            return await self._submit(dialog, pressed.data)
        return await self._pressed(pressed, dialog.message, dialog.place)

    async def submit(self, dialog: Dialog, inputs: Json, what: str = "") -> Answered:
        """Presses `what`, or the first button that submits; a form without one is sent by the dialog's own."""
        buttons = [str(each.get("title")) for each in actions_of(dialog.card) if each.get("type") == "Action.Submit"]
        if what or buttons:
            return await self.in_dialog(dialog, what or buttons[0], inputs)
        data = filled(dialog.card, inputs)
        if "Input." not in json.dumps(dialog.card):
            raise LookupError("nothing in this dialog submits it")
        return await self._submit(dialog, data)

    async def rate(self, message: Message, rating: str, comment: str) -> Answered:
        """With the default form at once; a custom one opens."""
        if not message.feedback:
            raise LookupError("this message cannot be rated")
        place, reaction = self._means.world.place(message.conversation), {"reaction": rating}
        if message.feedback == "custom":
            said = {"actionName": "feedback", "actionValue": reaction}
            return await self._fetch("message/fetchTask", said, place, message, "message/submitAction", reaction)
        form = json.dumps({"feedbackText": comment})
        value = {"actionName": "feedback", "actionValue": {**reaction, "feedback": form}}
        return await self._means.invoke("message/submitAction", value, place, self._person, message)

    async def search(self, text: str, place: Place, *, skip: str = "0") -> list[Found]:
        """By the message extension; `text` "" is what Teams asks when it is opened."""
        said = {"name": "query", "value": text} if text else {"name": "initialRun", "value": "true"}
        value = {"commandId": SEARCH, "parameters": [said], "queryOptions": {"skip": int(skip), "count": 25}}
        answer = await self._extension("composeExtension/query", value, place)
        if answer.get("type") == "message":
            self._means.tell(self._person, str(answer.get("text")))
        return [Found(each) for each in objects(answer.get("attachments"))]

    async def insert(self, found: Found, place: Place, thread: str) -> Message:
        """Where picking it asks the bot (`tap` of the preview), what the bot answers is inserted."""
        picked = found.attachment
        if found.tap is not None:
            answer = await self._extension("composeExtension/selectItem", found.tap, place)
            listed = objects(answer.get("attachments"))
            if not listed:
                raise LookupError("nothing came of picking this")
            picked = listed[0]
        card = {name: each for name, each in picked.items() if name != "preview"}
        return self._means.world.messages.post(place.id, self._person.user, {"attachments": [card]}, thread=thread)

    async def use_action(self, message: Message, place: Place, command: str) -> Answered:
        """The command's dialog, or what the bot shows in its place."""
        along = {"commandId": command, "commandContext": "message", "messagePayload": self._payload(message)}
        value, answers = {**along, "context": _CONTEXT}, "composeExtension/submitAction"
        return await self._fetch("composeExtension/fetchTask", value, place, message, answers, along)

    async def _extension(self, name: str, value: Json, place: Place) -> Json:
        seen = await self._means.invoke(name, value, place, self._person)
        answer = seen.json.get("composeExtension")
        return answer if isinstance(answer, dict) and not seen.error else {}

    async def _fetch(
        self, name: str, value: Json, place: Place, message: Message | None, answers: str, along: Json
    ) -> Answered:
        """Something that a dialog answers."""
        seen = await self._means.invoke(name, value, place, self._person, message)
        self._show_task(seen, place, message, answers, along)
        return seen

    def _show_task(self, seen: Answered, place: Place, message: Message | None, answers: str, along: Json) -> None:
        """Opens, replaces or closes the dialog as the bot answered."""
        self._means.dialogs.pop(self._person.number, None)
        task = seen.json.get("task")
        if seen.error or not isinstance(task, dict):
            return
        value = task.get("value")
        if task.get("type") == "message":
            self._means.tell(self._person, str(value))
        elif isinstance(value, dict):
            card = value.get("card")
            content = card.get("content") if isinstance(card, dict) else {}
            shown, title = content if isinstance(content, dict) else {}, str(value.get("title") or "")
            self._means.dialogs[self._person.number] = Dialog(title, shown, value, place, message, answers, along)

    async def _pressed(self, pressed: Pressed, message: Message | None, place: Place) -> Answered:
        if pressed.kind == "Action.Execute":
            return await self._execute(pressed, message, place)
        if pressed.kind == "Action.Submit":
            return await self._submitted(pressed, message, place)
        return not_sent(str(pressed.action.get("url") or "not sent"), message)  # links and what the client does alone

    async def _execute(self, pressed: Pressed, message: Message | None, place: Place) -> Answered:
        action = {name: each for name, each in pressed.action.items() if name in ("type", "id", "title", "verb")}
        value = {"action": {**action, "data": pressed.data}, "trigger": "manual"}
        seen = await self._means.invoke("adaptiveCard/action", value, place, self._person, message)
        kind, shown, messages = seen.json.get("type"), seen.json.get("value"), self._means.world.messages
        if seen.error:
            return seen
        if kind == ADAPTIVE_CARD and message is not None:
            current = messages.find(message.conversation, message.id)
            if current is not None and not current.is_deleted:
                card = {"contentType": ADAPTIVE_CARD, "content": shown}
                messages.change(current, {**current.activity, "attachments": [card]})
        elif kind in (SAID, FAILED):
            self._means.tell(self._person, str(shown.get("message") if isinstance(shown, dict) else shown))
        return seen

    async def _submitted(self, pressed: Pressed, message: Message | None, place: Place) -> Answered:
        """Action.Submit of a message: a dialog, words in the person's mouth, or data."""
        kind = pressed.msteams.get("type")
        if kind == "task/fetch":
            value = {"data": pressed.data, "context": _CONTEXT}
            return await self._fetch("task/fetch", value, place, message, "task/submit", {})
        if kind == "imBack" and message is not None:
            return await self._says(message, str(pressed.msteams.get("value") or ""))
        made = self._means.activities.made("message", place, self._person, root=message.root if message else "")
        made |= {"value": pressed.data, "replyToId": message.id if message else ""}
        if kind == "messageBack":
            made |= {"text": str(pressed.msteams.get("text") or ""), "value": pressed.msteams.get("value")}
        return await self._means.deliver(made, message)

    async def _submit(self, dialog: Dialog, data: Json) -> Answered:
        value: dict[str, object] = {"data": dict(data), "context": _CONTEXT, **dialog.along}
        if dialog.answers == "message/submitAction":
            form = {"reaction": dialog.along["reaction"], "feedback": json.dumps(data)}
            value = {"actionName": "feedback", "actionValue": form}
        return await self._fetch(dialog.answers, value, dialog.place, dialog.message, dialog.answers, dialog.along)

    async def _says(self, message: Message, text: str) -> Answered:
        """imBack: as if the person had typed it."""
        world = self._means.world
        place = world.place(message.conversation)
        thread = message.root if place.kind is PlaceKind.CHANNEL else ""
        said = {"text": text, "textFormat": "plain"}
        written = world.messages.post(place.id, self._person.user, said, thread=thread, heard=True)
        return await self._means.deliver(self._means.activities.message(place, self._person, written), written)

    def _payload(self, message: Message) -> dict[str, object]:
        """As Graph describes a message."""
        world = self._means.world
        author = world.account(message.author)
        user = author and {"userIdentityType": "aadUser", "id": author.object_id, "displayName": author.name}
        bot = {"applicationIdentityType": "bot", "id": world.app_id, "displayName": world.bot_name}
        return {
            "id": message.id, "replyToId": message.thread or None, "createdDateTime": stamp(message.at),
            "lastModifiedDateTime": stamp(world.clock()) if message.is_edited else None,
            "deleted": message.is_deleted, "messageType": "message", "importance": "normal", "locale": "en-gb",
            "body": {"contentType": "html", "content": f"<div>{html.escape(message.text)}</div>"},
            "from": {"device": None, "conversation": None, "user": user, "application": None if user else bot},
            "reactions": [], "mentions": [],
            "attachments": [dict(each) for each in message.attachments if each.get("contentType") != "text/html"],
        }  # fmt: skip


def _press_any(message: Message, what: str, inputs: Json, folded: Folded) -> tuple[Json, Pressed]:
    wrong = LookupError(f"no button {what!r}: the message has no card")
    for each in message.cards:
        try:
            return each, press(each, what, inputs, folded)
        except LookupError as exc:
            wrong = exc
    raise wrong
