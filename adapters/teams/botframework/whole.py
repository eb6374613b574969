"""Activities that reach the connector as they were given: botbuilder's models drop what they do not know (of entities
all but their type, unknown fields of attachments and of the activity itself)."""

from collections.abc import Mapping
from typing import Any

from botbuilder.schema import Activity as BotActivity
from botframework.connector import models
from msrest import Serializer

from adapters.teams.ports import Activity

MODELS = {name: each for name, each in vars(models).items() if isinstance(each, type)}
_MESSAGE = "message"


class WholeActivity(BotActivity):
    """What botbuilder sends along: it looks at the fields of the model, and `WholeSerializer` writes `given`."""

    def __init__(self, given: Activity, activity_id: str = "") -> None:
        super().__init__(type=str(given.get("type") or _MESSAGE), id=activity_id or None)
        self.given = given

    def __deepcopy__(self, memo: object) -> "WholeActivity":
        """botbuilder copies every activity before it puts its address in."""
        return WholeActivity(self.given, self.id or "")

    def as_json(self) -> dict[str, object]:
        """`given`, with where it goes and who speaks."""
        addressed: dict[str, object] = {
            "type": self.type,
            "channelId": self.channel_id,
            "serviceUrl": self.service_url,
            "from": {"id": self.from_property.id},
            "conversation": {"id": self.conversation.id},
        }
        if self.id:
            addressed["id"] = self.id
        return {**self.given, **addressed}


class WholeSerializer(Serializer):
    """msrest's, but for whole activities."""

    def __init__(self) -> None:
        super().__init__(MODELS)

    def body(self, data: object, data_type: str, **given: Any) -> Mapping[str, object]:
        if isinstance(data, WholeActivity):
            return data.as_json()
        found: Mapping[str, object] = super().body(data, data_type, **given)
        return found
