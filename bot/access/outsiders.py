"""Guests, people of other organisations and channels that these read: who is answered, and from what, on any platform.

- A channel that another organisation reads, and whoever is no full member: not answered, or (if the operator allows it)
  from public documents only;
- while the platform does not say: whoever and whatever was known to be outside stays so; everybody else gets answers
  from public documents only, which are all that outside people could ever get: an outage silences no member.
"""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from enum import StrEnum

from bot.model.outcomes import Admitted
from rag_core.deadlines import within
from rag_core.errors import Rejected, Unavailable

_REMEMBERED = 10_000
_REMEMBERED_SECONDS = 24 * 3600.0


class Outside(StrEnum):
    """What an event says for itself: others than the workspace's people read the channel, or the person is none of
    them."""

    CHANNEL = "channel"
    PERSON = "person"


class Outsiders:
    """`external`: outside people are answered from public documents. Remembers for a day who and what is outside, for
    when the platform does not say; ids of people and of channels must differ."""

    def __init__(self, *, external: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._external = external
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()

    def channel(self, workspace: str, channel: str) -> Admitted:
        """Of one that others read."""
        return self._outside(workspace, channel, Admitted.NOT_HERE)

    def person(self, workspace: str, person: str) -> Admitted:
        """Of one who is no full member."""
        return self._outside(workspace, person, Admitted.NOT_TO_GUESTS)

    def ruled(
        self,
        workspace: str,
        channel: str,
        person: str,
        *,
        is_member: bool | None,
        is_shared: bool | None,
        said: str = "",
    ) -> Admitted:
        """`is_member`, `is_shared`: as the platform says it now, None where it did not. `said`: an Outside, or ""."""
        if is_shared or (is_shared is None and self._was_outside(workspace, channel)):
            return self.channel(workspace, channel)
        unsure = is_member is None and (said == Outside.PERSON or self._was_outside(workspace, person))
        if is_member is False or unsure:
            return self.person(workspace, person)
        if is_member is None or is_shared is None:
            return Admitted.PUBLIC_ONLY
        self._known.pop((workspace, person), None)
        self._known.pop((workspace, channel), None)
        return Admitted.ALLOWED

    def _outside(self, workspace: str, id_: str, refused: Admitted) -> Admitted:
        self._known[workspace, id_] = self._clock() + _REMEMBERED_SECONDS
        self._known.move_to_end((workspace, id_))
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return Admitted.PUBLIC_ONLY if self._external else refused

    def _was_outside(self, workspace: str, id_: str) -> bool:
        return self._clock() < self._known.get((workspace, id_), 0.0)


async def asked(call: Awaitable[bool], seconds: float) -> bool | None:
    """None: the platform did not say within `seconds`, or refuses to."""
    try:
        async with within(seconds):
            return await call
    except (Unavailable, Rejected, TimeoutError):
        return None
