"""Who may see what: the operator's groups of those an answer is shown to."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.messages import Actor, Conversation
from bot.ports import Directory
from rag_core.errors import Unavailable

GROUPS = "groups"
"""In a reply's `degraded`: a directory did not answer, so only public documents were looked at."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The operator's groups of whoever reads the answer; none: public documents only. `missing`: who did not answer."""

    groups: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()


class Access:
    """Finds audiences. `members`: group name -> who belongs to it, as the catalogue says; `directories` by platform.

    Nobody belongs to a group unless a directory, or the credentials he came with, say so.
    """

    def __init__(self, members: Mapping[str, frozenset[str]], directories: Mapping[str, Directory]) -> None:
        self._members = members
        self._directories = directories

    def named(self, held: frozenset[str]) -> frozenset[str]:
        """The groups of somebody who holds these ids (`oidc:legal`)."""
        return frozenset(name for name, members in self._members.items() if members & held)

    async def audience(self, actor: Actor, conversation: Conversation | None, *, private: bool) -> Audience:
        """Those of the asker, or (unless `private`) those that he and everybody who reads the conversation are in."""
        directory = self._directories.get(actor.platform)
        prefix = f"{actor.platform}:"
        wanted = frozenset(each for members in self._members.values() for each in members if each.startswith(prefix))
        if directory is None or not wanted:
            return Audience()
        try:
            groups = self.named(await directory.of_person(actor, wanted))
            if groups and not private:
                groups &= await self._of_readers(directory, conversation, wanted)
        except Unavailable:
            return Audience(missing=(GROUPS,))
        return Audience(groups)

    async def _of_readers(
        self, directory: Directory, conversation: Conversation | None, wanted: frozenset[str]
    ) -> frozenset[str]:
        if conversation is None:
            return frozenset()
        return self.named(await directory.of_everybody_in(conversation, wanted))
