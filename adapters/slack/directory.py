"""User groups, channels and people of a Slack workspace as members of the operator's groups."""

import asyncio
import re
from collections.abc import Callable, Iterable

from adapters.slack.lookups import NOT_INSTALLED, SlackLookups
from bot.model.messages import Actor, Conversation
from rag_core.errors import Unavailable

MOST_READERS = 200
"""Of a channel with more readers it is not known who they are: each would have to be looked at."""

MOST_BOTS = 20
"""Readers in none of the groups who may turn out to be bots; where there are more, one of them is a person."""

_MEMBER = re.compile(r"slack:([A-Z0-9]+)/(usergroup|channel|user)/([A-Z0-9]+)")


class SlackDirectory:
    """A `bot.ports.Directory` of the workspaces that there are tokens for; `lookups_of` each one by its own.

    Members are `slack:TEAM/usergroup/ID`, `slack:TEAM/channel/ID` and `slack:TEAM/user/ID`. Nobody outside a
    workspace and no guest belongs to any, whatever channel he is in. A public channel is read by all the workspace, so
    it is not known who; a private channel and a direct message (that the bot is in) by their members, of whom bots are
    left out; one that is shared with another company, or about to be, not at all.
    """

    def __init__(self, lookups_of: Callable[[str], SlackLookups]) -> None:
        self._lookups_of = lookups_of

    @property
    def kind(self) -> str:
        return "slack"

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        lookups = self._lookups_of(actor.workspace)
        mine = await _of_own_team(lookups, actor.workspace, members)
        people = await _people(lookups, mine)
        held = frozenset(each for each in mine if actor.person in people[each])
        person = await lookups.person(actor.person) if held else None
        return held if person is not None and person.is_full else frozenset()

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        lookups = self._lookups_of(conversation.workspace)
        mine = await _of_own_team(lookups, conversation.workspace, members)
        readers = await lookups.readers(conversation.channel, MOST_READERS) if mine else None
        if readers is None:
            return None
        people = await _people(lookups, mine)
        held = {reader: frozenset(each for each in mine if reader in people[each]) for reader in readers}
        strangers = [reader for reader, ids in held.items() if not ids]
        if len(strangers) > MOST_BOTS:
            return frozenset({frozenset()})
        return await _of_those_who_read(lookups, held)

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        teams = sorted({_parts(each)[0] for each in members} - {""})
        found = await asyncio.gather(*(self._empty_in(team, members) for team in teams))
        return frozenset(each for each in members if not _parts(each)[0]).union(*found)

    async def _empty_in(self, team: str, members: frozenset[str]) -> frozenset[str]:
        """Those of one workspace; all of them where the app is not installed."""
        lookups, of_team = self._lookups_of(team), frozenset(each for each in members if _parts(each)[0] == team)
        try:
            mine = await _of_own_team(lookups, team, of_team)
        except Unavailable as exc:
            if exc.details.get("error") == NOT_INSTALLED:
                return of_team
            raise
        people = await _people(lookups, mine)
        persons = [each for each in mine if _parts(each)[1] == "user"]
        known = await asyncio.gather(*(lookups.person(_parts(each)[2]) for each in persons))
        gone = {each for each, person in zip(persons, known, strict=True) if person is None or not person.is_full}
        return (of_team - mine) | gone | {each for each in mine if not people[each]}


async def _of_own_team(lookups: SlackLookups, workspace: str, members: Iterable[str]) -> frozenset[str]:
    """The members that the workspace's own people can be; none where the token is another workspace's."""
    mine = frozenset(each for each in members if _parts(each)[0] == workspace)
    return mine if mine and workspace == await lookups.team() else frozenset()


async def _people(lookups: SlackLookups, members: frozenset[str]) -> dict[str, frozenset[str]]:
    """Who each of them is."""
    listed = sorted(members)
    found = await asyncio.gather(*(_listed(lookups, each) for each in listed))
    return dict(zip(listed, found, strict=True))


async def _listed(lookups: SlackLookups, member: str) -> frozenset[str]:
    _, what, id_ = _parts(member)
    match what:
        case "usergroup":
            return await lookups.usergroup(id_)
        case "channel":
            return await lookups.channel(id_)
        case _:
            return frozenset({id_})


async def _of_those_who_read(lookups: SlackLookups, held: dict[str, frozenset[str]]) -> frozenset[frozenset[str]]:
    """What each reader belongs to; a guest and somebody Slack does not know belong to nothing."""
    readers = sorted(held)
    found = await asyncio.gather(*(lookups.person(each) for each in readers))
    each_reader: set[frozenset[str]] = set()
    for reader, person in zip(readers, found, strict=True):
        if person is None or person.reads:
            each_reader.add(held[reader] if person is not None and person.is_full else frozenset())
    return frozenset(each_reader)


def _parts(member: str) -> tuple[str, str, str]:
    """Team, kind and id; nothing of any team for what is no member of Slack's."""
    match = _MEMBER.fullmatch(member)
    return (match[1], match[2], match[3]) if match else ("", "", "")
