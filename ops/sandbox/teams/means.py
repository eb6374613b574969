"""What people act through."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ops.sandbox.teams.checks.invokes import problem
from ops.sandbox.teams.deliveries import Answered, Delivery
from ops.sandbox.teams.issuing import Bad
from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.people import Account
from ops.sandbox.teams.places import Place
from ops.sandbox.teams.sending import Sending
from ops.sandbox.teams.telling import Telling
from ops.sandbox.teams.world import World


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that stands open. `answers`: the invoke that submitting it sends, with what goes along in its value.
    `value` as the bot gave it; its `card` is what is seen."""

    title: str
    card: Mapping[str, object]
    value: Mapping[str, object]
    place: Place
    message: Message | None
    answers: str = "task/submit"
    along: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class Means:
    """`dialogs`: what each person has open. `told`: what Teams showed each of them alone: texts in place of a card or
    a dialog, and errors. `bad`: what is wrong with the tokens of the next deliveries."""

    world: World
    sending: Sending
    telling: Telling
    dialogs: dict[int, Dialog] = field(default_factory=dict)
    told: dict[int, list[str]] = field(default_factory=dict)
    bad: Bad | None = None
    folded: dict[tuple[int, str], dict[str, bool]] = field(default_factory=dict)
    """What each person has folded and unfolded, by message: element -> whether it is visible."""

    async def deliver(self, activity: Mapping[str, object], message: Message | None = None) -> Answered:
        seen = await self.sending.deliver(Delivery(activity, self.bad))
        return seen.about(message)

    async def invoke(
        self, name: str, value: Mapping[str, object], place: Place, person: Account, message: Message | None = None
    ) -> Answered:
        """With `error` set where Teams would not take the answer; the person is told so."""
        activity = self.telling.invoke(name, value, place, person, message)
        seen = await self.deliver(activity, message)
        wrong = seen.error or problem(name, seen.status, seen.json, seen.body)
        if wrong:
            self.tell(person, f"Something went wrong: {wrong}")
        return Answered(seen.delivery, seen.status, seen.body, seen.seconds, wrong, seen.attempt, message)

    def tell(self, person: Account, text: str) -> None:
        self.told.setdefault(person.number, []).append(text)
