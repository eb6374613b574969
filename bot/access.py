"""Who may see what: the operator's groups of those an answer is shown to."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.messages import Actor, Conversation
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
