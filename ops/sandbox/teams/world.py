"""All of the pretended Teams: tenants, people, teams, conversations, and what stands in them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ops.sandbox.teams.limits import Limits, Meter
from ops.sandbox.teams.messages import Clock, Messages, Numbers
from ops.sandbox.teams.people import OTHER_TENANT, TENANT, Account, PersonKind
from ops.sandbox.teams.places import (
    CHANNEL,
    GROUP_CHAT,
    TEAM,
    TEAM_THREAD,
    Place,
    PlaceKind,
    Team,
    base_of,
)
from ops.sandbox.teams.streams import Streams


@dataclass(slots=True)
class World:
    """May be changed at any time; the bot is told only of what people do through `Person` and of the stand-in's own
    events. Places are found by id, without thread, or by name."""

    app_id: str
    clock: Clock
    limits: Limits
    monotonic: Callable[[], float]
    bot_name: str = "AdPolicy"
    base_url: str = ""
    tenants: dict[str, str] = field(default_factory=dict)
    """Tenant -> its region in the service url."""
    accounts: dict[int, Account] = field(default_factory=dict)
    teams: dict[str, Team] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    messages: Messages = field(init=False)
    streams: Streams = field(init=False)
    meter: Meter = field(init=False)
    numbers: Numbers = field(default_factory=Numbers)
    page_size: int = 200
    """Entries in a page of `pagedmembers`, at most."""
    splits_messages: bool = False
    """ "Messages in bot conversations" says that a message with text and attachments becomes two, and that no id is
    answered; Teams as it is shows one."""
    _names: dict[str, str] = field(default_factory=dict)
    _users: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.messages = Messages(self.clock)
        self.meter = Meter(self.limits, self.monotonic)
        self.streams = Streams(self.clock, self.monotonic, self.limits.chunk_seconds)

    @property
    def bot(self) -> str:
        return f"28:{self.app_id}"

    def service_url(self, tenant: str) -> str:
        return f"{self.base_url}/{self.tenants[tenant]}/{tenant}/"

    def add_tenant(self, tenant: str, region: str = "emea") -> None:
        self.tenants[tenant] = region

    def add_person(
        self, number: int, *, kind: PersonKind = PersonKind.MEMBER, tenant: str = TENANT, home: str = "", name: str = ""
    ) -> Account:
        """`home`: his own organisation; the tenant's, unless he is a guest or federated."""
        elsewhere = kind in (PersonKind.GUEST, PersonKind.FEDERATED)
        made = Account(
            number, name or f"Person {number}", tenant, home or (OTHER_TENANT if elsewhere else tenant), kind
        )
        self.accounts[number] = made
        for each in (made.user, made.object_id):
            if each:
                self._users[each] = number
        return made

    def add_team(
        self, group: str, thread: str, name: str, members: Iterable[int], *, tenant: str = TENANT, **more: object
    ) -> Team:
        """With its General channel."""
        made = Team(group, thread, name, tenant, members=set(members), **more)  # type: ignore[arg-type]
        self.teams[group] = made
        self.add_channel(made, thread, "general")
        return made

    def add_channel(self, team: Team, id_: str, name: str, members: Iterable[int] | None = None) -> Place:
        """`members`: of a private or shared channel; None for a standard one."""
        own = None if members is None else set(members)
        return self._add(Place(id_, PlaceKind.CHANNEL, name, team.tenant, team, own))

    def add_chat(self, id_: str, name: str, members: Iterable[int], *, tenant: str = TENANT) -> Place:
        return self._add(Place(id_, PlaceKind.GROUP, name, tenant, None, set(members)))

    def personal_chat(self, number: int) -> Place:
        """Made where there is none yet."""
        person = self.accounts[number]
        found = self.places.get(person.personal_chat)
        made = Place(person.personal_chat, PlaceKind.PERSONAL, "", person.tenant, None, {number})
        return found or self._add(made)

    def place(self, where: str) -> Place:
        """Raises LookupError."""
        id_ = base_of(where)
        found = self.places.get(id_) or self.places.get(self._names.get(id_, ""))
        if found is None:
            raise LookupError(f"there is no conversation {where}; there are {sorted(self._names)}")
        return found

    def account(self, id_: str) -> Account | None:
        """By `29:` id or object id."""
        number = self._users.get(id_) or self._users.get(id_.lower().removeprefix("8:orgid:"))
        return None if number is None else self.accounts[number]

    def _add(self, place: Place) -> Place:
        self.places[place.id] = place
        if place.name:
            self._names.setdefault(place.name, place.id)
        return place


def settled(world: World, *, installed: bool) -> None:
    """A tenant with three people, a team of two channels and a group chat; a second tenant with nobody."""
    world.add_tenant(TENANT)
    world.add_tenant(OTHER_TENANT, "amer")
    for number in (1, 2, 3):
        world.add_person(number)
    team = world.add_team(TEAM, TEAM_THREAD, "Marketing", {1, 2, 3}, owners={1})
    world.add_channel(team, CHANNEL, "ads")
    chat = world.add_chat(GROUP_CHAT, "talk", {1, 2, 3})
    team.is_installed = chat.is_installed_here = installed
    for number in (1, 2, 3):
        world.personal_chat(number).is_installed_here = installed
