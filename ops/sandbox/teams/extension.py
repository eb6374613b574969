"""The message extension: searching from the compose box, inserting what was found, acting on a message."""

import html
from collections.abc import Mapping
from dataclasses import dataclass

from ops.sandbox.teams.clicking import Clicking
from ops.sandbox.teams.deliveries import Answered
from ops.sandbox.teams.means import Means
from ops.sandbox.teams.messages import Message, objects
from ops.sandbox.teams.people import Account
from ops.sandbox.teams.places import Place
from ops.sandbox.teams.telling import stamp

SEARCH = "searchPolicies"


@dataclass(frozen=True, slots=True)
class Found:
    """One result. `title`: what its preview shows; `card`: what is inserted."""

    title: str
    attachment: Mapping[str, object]

    @property
    def preview(self) -> Mapping[str, object]:
        found = self.attachment.get("preview")
        content = found.get("content") if isinstance(found, dict) else self.attachment.get("content")
        return content if isinstance(content, dict) else {}

    @property
    def tap(self) -> Mapping[str, object] | None:
        """What the bot is asked when it is picked; None where it is inserted as it is."""
        tap = self.preview.get("tap")
        value = tap.get("value") if isinstance(tap, dict) and tap.get("type") == "invoke" else None
        return value if isinstance(value, dict) else None

    @property
    def card(self) -> Mapping[str, object]:
        found = self.attachment.get("content")
        return found if isinstance(found, dict) else {}


class Extension:
    """Of one person."""

    def __init__(self, means: Means, person: Account, clicking: Clicking) -> None:
        self._means = means
        self._person = person
        self._clicking = clicking

    async def search(
        self, text: str, place: Place, *, command: str = SEARCH, parameter: str = "query", skip: str = "0"
    ) -> list[Found]:
        """`text` "" is what Teams asks when the extension is opened."""
        said = {"name": parameter, "value": text} if text else {"name": "initialRun", "value": "true"}
        options = {"skip": int(skip), "count": 25}
        value = {"commandId": command, "parameters": [said], "queryOptions": options}
        seen = await self._means.invoke("composeExtension/query", value, place, self._person)
        answer = seen.json.get("composeExtension")
        if seen.error or not isinstance(answer, dict):
            return []
        if answer.get("type") == "message":
            self._means.tell(self._person, str(answer.get("text")))
        return found_in(answer)

    async def insert(self, found: Found, place: Place, thread: str) -> Message:
        """Where picking it asks the bot (`tap` of the preview), what the bot answers is inserted."""
        picked = found.attachment
        if found.tap is not None:
            seen = await self._means.invoke("composeExtension/selectItem", found.tap, place, self._person)
            answer = seen.json.get("composeExtension")
            listed = found_in(answer) if isinstance(answer, dict) and not seen.error else []
            if not listed:
                raise LookupError("nothing came of picking this")
            picked = listed[0].attachment
        card = {name: each for name, each in picked.items() if name != "preview"}
        return self._means.world.messages.post(place.id, self._person.user, {"attachments": [card]}, thread=thread)

    async def use_action(self, message: Message, place: Place, command: str) -> Answered:
        """The command's dialog, or what the bot shows in its place."""
        value = {"commandId": command, "commandContext": "message", "context": {"theme": "default"}}
        value["messagePayload"] = self._payload(message)
        seen = await self._means.invoke("composeExtension/fetchTask", value, place, self._person, message)
        along = {name: each for name, each in value.items() if name != "context"}
        self._clicking.show_task(seen, place, message, "composeExtension/submitAction", along)
        return seen

    def _payload(self, message: Message) -> dict[str, object]:
        """As Graph describes a message."""
        world = self._means.world
        author = world.account(message.author)
        user = author and {"userIdentityType": "aadUser", "id": author.object_id, "displayName": author.name}
        bot = {"applicationIdentityType": "bot", "id": world.app_id, "displayName": world.bot_name}
        return {
            "id": message.id,
            "replyToId": message.thread or None,
            "createdDateTime": stamp(message.at),
            "lastModifiedDateTime": stamp(world.clock()) if message.is_edited else None,
            "deleted": message.is_deleted,
            "messageType": "message",
            "importance": "normal",
            "locale": "en-gb",
            "body": {"contentType": "html", "content": f"<div>{html.escape(message.text)}</div>"},
            "from": {"device": None, "conversation": None, "user": user, "application": None if user else bot},
            "reactions": [],
            "mentions": [],
            "attachments": [dict(each) for each in message.attachments if each.get("contentType") != "text/html"],
        }


def found_in(answer: Mapping[str, object]) -> list[Found]:
    made = [Found("", each) for each in objects(answer.get("attachments"))]
    return [Found(str(each.preview.get("title") or each.preview.get("text") or ""), each.attachment) for each in made]
