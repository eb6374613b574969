"""User groups, channels and people of a Slack workspace as members of the operator's groups."""

import asyncio
import re
from collections.abc import Iterable

from adapters.slack.lookups import SlackLookups
from bot.messages import Actor, Conversation

MOST_READERS = 200
"""Of a channel with more readers it is not known who they are: each would have to be looked at."""

MOST_BOTS = 20
"""Readers in none of the groups who may turn out to be bots; where there are more, one of them is a person."""

_MEMBER = re.compile(r"slack:([A-Z0-9]+)/(usergroup|channel|user)/([A-Z0-9]+)")


class SlackDirectory:
    """A `bot.ports.Directory` of the one workspace that the token belongs to.

    Members are `slack:TEAM/usergroup/ID`, `slack:TEAM/channel/ID` and `slack:TEAM/user/ID`. Nobody outside this
    workspace and no guest belongs to any, whatever channel he is in. A public channel is read by all the workspace, so
    it is not known who; a private channel and a direct message (that the bot is in) by their members, of whom bots are
    left out; one that is shared with another company, or about to be, not at all.
    """

    def __init__(self, lookups: SlackLookups) -> None:
        self._lookups = lookups

    @property
    def kind(self) -> str:
        return "slack"

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        mine = await self._of_own_team(actor.workspace, members)
        people = await self._people(mine)
        held = frozenset(each for each in mine if actor.person in people[each])
        person = await self._lookups.person(actor.person) if held else None
        return held if person is not None and person.is_full else frozenset()

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        mine = await self._of_own_team(conversation.workspace, members)
        readers = await self._lookups.readers(conversation.channel, MOST_READERS) if mine else None
        if readers is None:
            return None
        people = await self._people(mine)
        held = {reader: frozenset(each for each in mine if reader in people[each]) for reader in readers}
        strangers = [reader for reader, ids in held.items() if not ids]
        if len(strangers) > MOST_BOTS:
            return frozenset({frozenset()})
        return await self._of_those_who_read(held)

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        team = await self._lookups.team()
        mine = frozenset(each for each in members if _parts(each)[0] == team)
        people = await self._people(mine)
        persons = [each for each in mine if _parts(each)[1] == "user"]
        known = await asyncio.gather(*(self._lookups.person(_parts(each)[2]) for each in persons))
        gone = {each for each, person in zip(persons, known, strict=True) if person is None or not person.is_full}
        return (members - mine) | gone | {each for each in mine if not people[each]}

    async def _of_own_team(self, workspace: str, members: Iterable[str]) -> frozenset[str]:
        """The members that the workspace's own people can be; none in another one than the token's."""
        mine = frozenset(each for each in members if _parts(each)[0] == workspace)
        return mine if mine and workspace == await self._lookups.team() else frozenset()

    async def _people(self, members: frozenset[str]) -> dict[str, frozenset[str]]:
        """Who each of them is."""
        listed = sorted(members)
        found = await asyncio.gather(*(self._listed(each) for each in listed))
        return dict(zip(listed, found, strict=True))

    async def _listed(self, member: str) -> frozenset[str]:
        _, what, id_ = _parts(member)
        match what:
            case "usergroup":
                return await self._lookups.usergroup(id_)
            case "channel":
                return await self._lookups.channel(id_)
            case _:
                return frozenset({id_})

    async def _of_those_who_read(self, held: dict[str, frozenset[str]]) -> frozenset[frozenset[str]]:
        """What each reader belongs to; a guest and somebody Slack does not know belong to nothing."""
        readers = sorted(held)
        found = await asyncio.gather(*(self._lookups.person(each) for each in readers))
        each_reader: set[frozenset[str]] = set()
        for reader, person in zip(readers, found, strict=True):
            if person is None or person.reads:
                each_reader.add(held[reader] if person is not None and person.is_full else frozenset())
        return frozenset(each_reader)


def _parts(member: str) -> tuple[str, str, str]:
    """Team, kind and id; nothing of any team for what is no member of Slack's."""
    match = _MEMBER.fullmatch(member)
    return (match[1], match[2], match[3]) if match else ("", "", "")
