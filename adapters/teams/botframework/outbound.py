"""Writing to conversations through botbuilder's turns."""

from dataclasses import replace

from botbuilder.core import TurnContext

from adapters.teams.addresses import TeamsReference
from adapters.teams.botframework.connecting import Turns
from adapters.teams.botframework.whole import WholeActivity
from adapters.teams.ports import Activity
from rag_core.errors import Unavailable

_TYPING: Activity = {"type": "typing"}


class BotFrameworkOutbound:
    """A `TeamsOutbound`. `once`: turns on a `Wire` that sends nothing again which may have been taken."""

    def __init__(self, turns: Turns, once: Turns) -> None:
        self._turns = turns
        self._once = once

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        ids: list[str] = []

        async def turn(context: TurnContext) -> None:
            sent = await context.send_activity(WholeActivity(activity))
            ids.append((sent.id if sent else "") or "")

        await (self._once if once else self._turns).run(to, turn)
        return ids[0]

    async def update(self, to: TeamsReference, activity_id: str, activity: Activity) -> None:
        async def turn(context: TurnContext) -> None:
            await context.update_activity(WholeActivity(activity, activity_id))

        await self._turns.run(to, turn)

    async def delete(self, to: TeamsReference, activity_id: str) -> None:
        async def turn(context: TurnContext) -> None:
            await context.delete_activity(activity_id)

        await self._turns.run(to, turn)

    async def typing(self, to: TeamsReference) -> None:
        await self.send(to, _TYPING)

    async def resume(self, to: TeamsReference, person: str) -> TeamsReference:
        conversation = await self._turns.open(to, person)
        if not conversation:
            raise Unavailable("teams_error", error="no_conversation", delivered="unknown")
        return replace(to, conversation=conversation)
