"""One request after another for each host."""

from collections.abc import Awaitable, Callable

_MOST_HOSTS = 10_000


class HostPace:
    """Hands out turns: two requests to one host begin at least the interval apart. Clock and sleep in seconds."""

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._free_at: dict[str, float] = {}

    async def turn(self, host: str, interval: float) -> None:
        """Waits until a request may begin; the next one comes no sooner than `interval` after it."""
        now = self._clock()
        if len(self._free_at) > _MOST_HOSTS:
            self._free_at = {name: at for name, at in self._free_at.items() if at > now}
        begin = max(now, self._free_at.get(host, now))
        self._free_at[host] = begin + interval
        if begin > now:
            await self._sleep(begin - now)
