"""The external rule, as a test wants it."""

from collections.abc import Sequence

from adapters.slack.access import SECONDS
from bot.model.outcomes import Admitted, Rejection
from bot.wording import rejection

NOT_HERE = rejection(Rejection(Admitted.NOT_HERE.code, {})).detail
NOT_TO_GUESTS = rejection(Rejection(Admitted.NOT_TO_GUESTS.code, {})).detail


class FakeRule:
    """An ExternalRule. `says` of everybody from now on; `then`: of the calls after the first. `asked`: (team, channel,
    user, enterprise, outside) of each call; `seconds`: the longest time that was given."""

    def __init__(self) -> None:
        self.says = Admitted.ALLOWED
        self.then: Admitted | None = None
        self.asked: list[Sequence[str]] = []
        self.seconds = 0.0

    async def __call__(
        self, team: str, channel: str, user: str, *, enterprise: str = "", outside: str = "", seconds: float = SECONDS
    ) -> Admitted:
        found = self.says
        if self.then is not None:
            self.says, self.then = self.then, None
        self.asked.append((team, channel, user, enterprise, outside))
        self.seconds = max(self.seconds, seconds)
        return found
