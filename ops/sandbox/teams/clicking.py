"""What happens in Teams when somebody clicks on a card, in a dialog, or below a message."""

import json
from collections.abc import Mapping

from ops.sandbox.teams.checks.invokes import ERROR, MESSAGE
from ops.sandbox.teams.deliveries import Answered, not_sent
from ops.sandbox.teams.means import Dialog, Means
from ops.sandbox.teams.messages import ADAPTIVE_CARD, Message
from ops.sandbox.teams.people import Account
from ops.sandbox.teams.places import Place, PlaceKind
from ops.sandbox.teams.pressing import Folded, Pressed, actions_of, filled, inputs_of, press, toggled

_CONTEXT = {"theme": "default"}


class Clicking:
    """Of one person. Answers are shown as Teams shows them: cards are replaced, dialogs opened, texts told."""

    def __init__(self, means: Means, person: Account) -> None:
        self._means = means
        self._person = person

    async def on_message(self, message: Message, what: str, inputs: Mapping[str, object]) -> Answered:
        """A button of its cards, or a suggested action, by title."""
        if what in message.suggestions:
            return await self._says(message, what)
        folded = self._means.folded.get((self._person.number, message.id), {})
        card, pressed = _press_any(message, what, inputs, folded)
        if pressed.kind == "Action.ToggleVisibility":
            self._means.folded[self._person.number, message.id] = toggled(card, pressed.action, folded)
        return await self._pressed(pressed, message, self._means.world.place(message.conversation))

    async def in_dialog(self, dialog: Dialog, what: str, inputs: Mapping[str, object]) -> Answered:
        pressed = press(dialog.card, what, inputs)
        if pressed.kind == "Action.Submit":
            return await self._submit(dialog, pressed.data)
        return await self._pressed(pressed, dialog.message, dialog.place)

    async def rate(self, message: Message, rating: str, comment: str) -> Answered:
        """With the default form at once; a custom one opens."""
        if not message.feedback:
            raise LookupError("this message cannot be rated")
        place = self._means.world.place(message.conversation)
        said = {"actionName": "feedback", "actionValue": {"reaction": rating}}
        if message.feedback == "custom":
            seen = await self._means.invoke("message/fetchTask", said, place, self._person, message)
            self.show_task(seen, place, message, "message/submitAction", {"reaction": rating})
            return seen
        form = json.dumps({"feedbackText": comment})
        value = {"actionName": "feedback", "actionValue": {"reaction": rating, "feedback": form}}
        return await self._means.invoke("message/submitAction", value, place, self._person, message)

    def show_task(
        self, seen: Answered, place: Place, message: Message | None, answers: str, along: Mapping[str, object]
    ) -> None:
        """Opens, replaces or closes the dialog as the bot answered."""
        task = seen.json.get("task")
        if seen.error or not isinstance(task, dict):
            self._means.dialogs.pop(self._person.number, None)
            return
        value = task.get("value")
        if task.get("type") == "message":
            self._means.dialogs.pop(self._person.number, None)
            self._means.tell(self._person, str(value))
        elif isinstance(value, dict):
            card = value.get("card")
            content = card.get("content") if isinstance(card, dict) else {}
            shown = content if isinstance(content, dict) else {}
            title = str(value.get("title") or "")
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
        if not seen.error:
            self._show_answer(seen, message)
        return seen

    def _show_answer(self, seen: Answered, message: Message | None) -> None:
        answer = seen.json
        kind, value = answer.get("type"), answer.get("value")
        if kind == ADAPTIVE_CARD and message is not None and isinstance(value, dict):
            current = self._means.world.messages.find(message.conversation, message.id)
            if current is not None and not current.is_deleted:
                shown = {**current.activity, "attachments": [{"contentType": ADAPTIVE_CARD, "content": value}]}
                self._means.world.messages.change(current, shown)
        elif kind == MESSAGE:
            self._means.tell(self._person, str(value))
        elif kind == ERROR and isinstance(value, dict):
            self._means.tell(self._person, str(value.get("message")))

    async def _submitted(self, pressed: Pressed, message: Message | None, place: Place) -> Answered:
        """Action.Submit of a message: a dialog, words in the person's mouth, or data."""
        kind = str(pressed.msteams.get("type") or "")
        if kind == "task/fetch":
            value = {"data": pressed.data, "context": _CONTEXT}
            seen = await self._means.invoke("task/fetch", value, place, self._person, message)
            self.show_task(seen, place, message, "task/submit", {})
            return seen
        if kind == "imBack" and message is not None:
            return await self._says(message, str(pressed.msteams.get("value") or ""))
        root = message.root if message and place.kind is PlaceKind.CHANNEL else ""
        made = self._means.telling.activity("message", place, self._person, root=root)
        made |= {"value": pressed.data, "replyToId": message.id if message else ""}
        if kind == "messageBack":
            made |= {"text": str(pressed.msteams.get("text") or ""), "value": pressed.msteams.get("value")}
        return await self._means.deliver(made, message)

    async def _submit(self, dialog: Dialog, data: Mapping[str, object]) -> Answered:
        value: dict[str, object] = {"data": dict(data), "context": _CONTEXT, **dialog.along}
        if dialog.answers == "message/submitAction":
            form = {"reaction": dialog.along["reaction"], "feedback": json.dumps(data)}
            value = {"actionName": "feedback", "actionValue": form}
        seen = await self._means.invoke(dialog.answers, value, dialog.place, self._person, dialog.message)
        self.show_task(seen, dialog.place, dialog.message, dialog.answers, dialog.along)
        return seen

    async def submit(self, dialog: Dialog, inputs: Mapping[str, object], what: str = "") -> Answered:
        """Presses `what`, or the first button that submits."""
        if what:
            return await self.in_dialog(dialog, what, inputs)
        buttons = _submits(dialog.card)
        if not buttons and not inputs_of(dialog.card):
            raise LookupError("nothing in this dialog submits it")
        if not buttons:
            return await self._submit(dialog, filled(dialog.card, inputs))
        return await self.in_dialog(dialog, buttons[0], inputs)

    async def _says(self, message: Message, text: str) -> Answered:
        """imBack: as if the person had typed it."""
        world = self._means.world
        place = world.place(message.conversation)
        thread = message.root if place.kind is PlaceKind.CHANNEL else ""
        said = {"text": text, "textFormat": "plain"}
        written = world.messages.post(place.id, self._person.user, said, thread=thread, heard=True)
        return await self._means.deliver(self._means.telling.message(place, self._person, written), written)


def _press_any(
    message: Message, what: str, inputs: Mapping[str, object], folded: Folded
) -> tuple[Mapping[str, object], Pressed]:
    wrong = LookupError(f"no button {what!r}: the message has no card")
    for each in message.cards:
        try:
            return each, press(each, what, inputs, folded)
        except LookupError as exc:
            wrong = exc
    raise wrong


def _submits(card: Mapping[str, object]) -> list[str]:
    return [str(each.get("title")) for each in actions_of(card) if each.get("type") == "Action.Submit"]
