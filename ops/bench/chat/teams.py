"""`python -m ops bench teams`."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

from ops.bench.chat.load import Act, Asked, Line, Load, Way, looked_for, token_fetches
from ops.bench.chat.measuring import WORKERS, Attempt, Played, bench_platform
from ops.config import Config
from ops.sandbox.teams import TeamsStandIn, teams_stand_in
from ops.sandbox.teams.deliveries import Answered
from ops.sandbox.teams.limits import Limits
from ops.sandbox.teams.messages import Message

_TOO_LATE = 500
_CHATS = 20
_MALFORMED = (
    b"{",
    b"[]",
    b"null",
    b'{"type": "message"}',
    b'{"type": "message", "conversation": {"id": 7}, "from": {"id": "29:x"}, "serviceUrl": "https://x.example/"}',
    b'{"type": "invoke", "name": null, "conversation": null}',
    b"\xff\xfe",
    b"payload=%7B%22type%22%3A%22message%22%7D",
)


async def bench_teams(config: Config, without: frozenset[str], *, smallest: bool = False) -> int:
    """As `bench_platform`. `without` "consent": nobody lets the bot look for what it sent."""
    opened = partial(_opened, consents="consent" not in without)
    return await bench_platform(config, "teams", opened, smallest=smallest)


@asynccontextmanager
async def _opened(bot_url: str, *, consents: bool) -> AsyncIterator[tuple[Played, Mapping[str, str]]]:
    async with teams_stand_in(bot_url, limits=Limits()) as teams:
        yield PlayedTeams(teams, consents=consents), teams.settings


class PlayedTeams:
    """`Played`: people in the stand-in's team, chats and own chats. Which question a message answers is read from what
    it replies to, as it was sent: nothing that the bot keeps is asked. `consents`: team and chats let it read their
    messages; personal chats never do."""

    def __init__(self, teams: TeamsStandIn, *, consents: bool = True) -> None:
        self.asked: list[Asked] = []
        self.broken = 0
        self._consents = consents
        self._teams = teams
        self._roots: dict[str, str] = {}

    @property
    def attempts(self) -> Sequence[Attempt]:
        return [Attempt(each.status, each.seconds) for each in self._teams.attempts]

    def populate(self, load: Load) -> None:
        """Channels of one team, group chats, and full members in all of them."""
        world, people = self._teams.world, set(range(1, load.people + 1))
        for number in people:
            self._teams.person(number)
        [team] = world.teams.values()
        team.members |= people
        team.hears_all = self._consents
        for number in range(load.channels):
            world.add_channel(team, f"19:bench-{number}@thread.tacv2", f"bench-{number}")
        for number in range(_CHATS):
            chat = world.add_chat(f"19:talk-{number}@thread.v2", f"talk-{number}", people)
            chat.is_installed_here, chat.hears_all_here = True, self._consents

    async def act(self, act: Act) -> None:
        channel, person = f"bench-{act.channel}", self._teams.person(act.person + 1)
        root = self._roots.get(channel, "")
        match act.way:
            case Way.MALFORMED:
                status = await self._teams.post_raw(_MALFORMED[act.number % len(_MALFORMED)])
                self.broken += not 0 < status < _TOO_LATE
            case Way.COMMAND:  # there are none in Teams: asked in a group chat
                await self._wrote(await person.writes_in_group(act.question, f"talk-{act.number % _CHATS}"), act)
            case Way.DIRECT:
                await self._wrote(await person.writes_to_bot(act.question), act)
            case Way.FOLLOW_UP if root:
                await self._wrote(await person.mentions(act.question, channel, root), act)
            case _:
                answered = await person.mentions(act.question, channel)
                self._roots[channel] = answered.written.id
                await self._wrote(answered, act)

    async def catch_up(self) -> None:
        await self._teams.catch_up()

    def shown(self) -> Sequence[tuple[str, float]]:
        listed = self._teams.world.messages.everywhere()
        return [(_answers(each), each.at.timestamp()) for each in listed if each.is_by_bot and not each.is_streaming]

    def named(self, question_ids: Mapping[str, str]) -> Mapping[str, str]:
        return {each.claim_key: each.claim_key for each in self.asked}

    def figures(self, name: str) -> Iterable[Line]:
        """Graph has tokens of its own, and only who looks for an answer asks for one."""
        scopes = [scope for _, scope in self._teams.token_fetches]
        yield token_fetches(max(map(scopes.count, scopes), default=0), WORKERS)
        if name == "killed":
            pages = sum("/messages" in each for each in self._teams.graph.calls)
            yield looked_for(pages, consented=self._consents)

    async def _wrote(self, answered: Answered, act: Act) -> None:
        message = answered.written
        self.asked.append(Asked(f"{message.conversation}:{message.id}", message.at.timestamp()))
        if act.again:
            await self._teams.redeliver(answered)


def _answers(message: Message) -> str:
    return f"{message.conversation}:{message.activity.get('replyToId')}"
