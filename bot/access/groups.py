"""Access: the groups of the people an answer is shown to, from directories whose replies are cached."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bot.model.cache import Expiring
from bot.model.messages import Actor, Conversation
from bot.ports import Directory
from rag_core.deadlines import within
from rag_core.errors import Unavailable

GROUPS = "groups"
"""In a reply's `degraded`: a directory did not answer, so only public documents were looked at."""

MOST_SECONDS = 4.0
"""How long an answer waits for a directory."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The operator's groups of whoever reads the answer; none: public documents only. `missing`: who did not answer."""

    groups: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()


class Access:
    """Finds audiences. `members`: group name -> who belongs to it, as the catalogue says; `directories` by platform.

    Nobody belongs to a group unless a directory, or the credentials he came with, say so. Who has not answered within
    `seconds` counts as down: the answer must not wait for it.
    """

    def __init__(
        self,
        members: Mapping[str, frozenset[str]],
        directories: Mapping[str, Directory],
        *,
        seconds: float = MOST_SECONDS,
    ) -> None:
        self._members = members
        self._directories = directories
        self._seconds = seconds

    def named(self, held: frozenset[str]) -> frozenset[str]:
        """The groups of somebody who holds these ids (`oidc:legal`)."""
        return frozenset(name for name, members in self._members.items() if members & held)

    def declared(self, names: frozenset[str]) -> frozenset[str]:
        """Those of `names` that are groups of the catalogue."""
        return names & self._members.keys()

    async def audience(self, actor: Actor, conversation: Conversation | None, *, private: bool) -> Audience:
        """Those of the asker, or (unless `private`) those that he and everybody who reads the conversation are in."""
        directory = self._directories.get(actor.platform)
        wanted = frozenset() if directory is None else members_of_kind(self._members, directory.kind)
        if directory is None or not wanted:
            return Audience()
        try:
            async with within(self._seconds):
                groups = self.named(await directory.of_person(actor, wanted))
                if groups and not private:
                    groups &= await self._of_readers(directory, conversation, wanted)
        except (Unavailable, TimeoutError):
            return Audience(missing=(GROUPS,))
        return Audience(groups)

    async def everyone(self, conversation: Conversation) -> Audience:
        """The groups that everybody who reads the conversation is in: for what nobody asked for."""
        directory = self._directories.get(conversation.platform)
        wanted = frozenset() if directory is None else members_of_kind(self._members, directory.kind)
        if directory is None or not wanted:
            return Audience()
        try:
            async with within(self._seconds):
                return Audience(await self._of_readers(directory, conversation, wanted))
        except (Unavailable, TimeoutError):
            return Audience(missing=(GROUPS,))

    async def _of_readers(
        self, directory: Directory, conversation: Conversation | None, wanted: frozenset[str]
    ) -> frozenset[str]:
        """Each reader may be in a group by another id of it; where nobody is known to read, nobody may."""
        if conversation is None:
            return frozenset()
        readers = await directory.of_each_reader(conversation, wanted)
        if not readers:
            return frozenset()
        return frozenset.intersection(*(self.named(held) for held in readers))


def members_of_kind(members: Mapping[str, frozenset[str]], kind: str) -> frozenset[str]:
    """The ids of all groups that the directory `kind` ("slack", "entra") answers for."""
    return frozenset(each for ids in members.values() for each in ids if each.startswith(f"{kind}:"))


_Held = frozenset[str]


class CachedDirectory:
    """A Directory before another one: what it says is believed for `seconds`, then never again. Uses the other one,
    does not close it."""

    def __init__(
        self, directory: Directory, seconds: float, *, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._directory = directory
        self._people: Expiring[tuple[Actor, _Held], _Held] = Expiring(seconds, most=most, clock=clock)
        self._readers: Expiring[tuple[Conversation, _Held], frozenset[_Held] | None] = Expiring(
            seconds, most=most, clock=clock
        )

    @property
    def kind(self) -> str:
        return self._directory.kind

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        return await self._people.get((actor, members), lambda: self._directory.of_person(actor, members))

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        channel = replace(conversation, thread="")  # who reads the one reads the other
        return await self._readers.get((channel, members), lambda: self._directory.of_each_reader(channel, members))

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        return await self._directory.empty(members)

    async def aclose(self) -> None:
        """Gives up what is being asked for."""
        await self._people.aclose()
        await self._readers.aclose()
