"""All of the pretended Teams: tenants, people, teams, conversations, and what stands in them."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ops.sandbox.teams.limits import Limits, Meter
from ops.sandbox.teams.messages import Clock, Messages, Streams

TENANT = "11111111-1111-1111-1111-111111111111"
OTHER_TENANT = "22222222-2222-2222-2222-222222222222"
TEAM = "33333333-3333-3333-3333-333333333333"
TEAM_THREAD = "19:general@thread.tacv2"
CHANNEL = "19:ads@thread.tacv2"
GROUP_CHAT = "19:talk@thread.v2"


class PersonKind(StrEnum):
    """MEMBER of the tenant. GUEST: has an account of his own in it. FEDERATED: of another organisation, without one.
    ANONYMOUS: joined by a link."""

    MEMBER = "user"
    GUEST = "guest"
    FEDERATED = "federated"
    ANONYMOUS = "anonymous"


class PlaceKind(StrEnum):
    """`conversationType` of an activity."""

    PERSONAL = "personal"
    GROUP = "groupChat"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Account:
    """`user`: the `29:` id that bots see. `tenant`: the one in which he is met; `home`: his own organisation's."""

    number: int
    name: str
    tenant: str
    home: str
    kind: PersonKind = PersonKind.MEMBER

    @property
    def user(self) -> str:
        return f"29:user-{self.number}"

    @property
    def object_id(self) -> str:
        """In Entra; who has no account in the tenant has none there."""
        return "" if self.kind in (PersonKind.FEDERATED, PersonKind.ANONYMOUS) else object_id(self.number)

    @property
    def personal_chat(self) -> str:
        return f"a:chat-{self.number}"

    def sender(self) -> dict[str, object]:
        """`from` of an activity."""
        found: dict[str, object] = {"id": self.user, "name": self.name}
        if self.object_id:
            found["aadObjectId"] = self.object_id
        if self.home != self.tenant:
            found["tenantId"] = self.home
        return found

    def member(self) -> Mapping[str, object]:
        """As the roster of a conversation lists him."""
        first, _, last = self.name.partition(" ")
        is_elsewhere = self.kind is PersonKind.FEDERATED
        found: dict[str, object] = {
            "id": self.user, "name": self.name, "givenName": first, "surname": last,
            "tenantId": self.home if is_elsewhere else self.tenant, "userRole": "user" if is_elsewhere else self.kind,
        }  # fmt: skip
        if self.object_id:
            found |= dict.fromkeys(("aadObjectId", "objectId"), self.object_id)
            found |= dict.fromkeys(("email", "userPrincipalName"), f"person{self.number}@example.com")
        return found


def object_id(number: int) -> str:
    return f"{number:08d}-0000-0000-0000-000000000000"


@dataclass(slots=True)
class Team:
    """`group`: its id in Entra; `thread`: its `19:` id, which is that of its General channel. `hears_all`: the
    resource-specific consent `ChannelMessage.Read.Group` is granted, messages without a mention are told."""

    group: str
    thread: str
    name: str
    tenant: str
    visibility: str = "private"
    members: set[int] = field(default_factory=set)
    owners: set[int] = field(default_factory=set)
    is_installed: bool = False
    hears_all: bool = False


@dataclass(slots=True)
class Place:
    """One conversation, a channel with all its threads. `members`: people by number; a standard channel has its
    team's. `is_opened`: a personal chat that the bot began, where the app is installed in a team or chat of the
    person's."""

    id: str
    kind: PlaceKind
    name: str
    tenant: str
    team: Team | None = None
    own_members: set[int] | None = None
    is_installed_here: bool = False
    is_opened: bool = False
    is_blocked: bool = False
    is_deleted: bool = False
    hears_all_here: bool = False

    @property
    def members(self) -> set[int]:
        if self.own_members is not None:
            return self.own_members
        return self.team.members if self.team else set()

    @property
    def is_installed(self) -> bool:
        return self.team.is_installed if self.team else self.is_installed_here

    @property
    def hears_all(self) -> bool:
        """Whether the bot is told of messages that do not mention it."""
        if self.kind is PlaceKind.PERSONAL:
            return True
        return self.team.hears_all if self.team else self.hears_all_here


def base_of(conversation: str) -> str:
    """A conversation id without its thread."""
    return conversation.partition(";")[0]


def thread_of(conversation: str) -> str:
    """The root message's id; "" for none."""
    return conversation.partition(";messageid=")[2].partition(";")[0]


def threaded(conversation: str, root: str) -> str:
    return f"{conversation};messageid={root}" if root else conversation


@dataclass(slots=True)
class World:
    """May be changed at any time; the bot is told only of what people do through `Person` and of the stand-in's own
    events. Places are found by id, without thread, or by name. `tenants`: to the region in the service url.

    `page_size`: entries in a page of `pagedmembers`, at most. `splits_messages`: "Messages in bot conversations" says
    that a message with text and attachments becomes two, and that no id is answered; Teams as it is shows one."""

    app_id: str
    clock: Clock
    limits: Limits
    monotonic: Callable[[], float]
    bot_name: str = "AdPolicy"
    base_url: str = ""
    tenants: dict[str, str] = field(default_factory=dict)
    accounts: dict[int, Account] = field(default_factory=dict)
    teams: dict[str, Team] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    messages: Messages = field(init=False)
    streams: Streams = field(init=False)
    meter: Meter = field(init=False)
    page_size: int = 200
    splits_messages: bool = False
    _events: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _names: dict[str, str] = field(default_factory=dict)
    _users: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.messages = Messages(self.clock)
        self.meter = Meter(self.limits, self.monotonic)
        self.streams = Streams(self.clock, self.monotonic, self.limits.chunk_seconds)

    @property
    def bot(self) -> str:
        return f"28:{self.app_id}"

    def event_id(self) -> str:
        """Of what is no message: events, invokes."""
        return f"f:{next(self._events):019d}"

    def service_url(self, tenant: str) -> str:
        return f"{self.base_url}/{self.tenants[tenant]}/{tenant}/"

    def add_person(
        self, number: int, *, kind: PersonKind = PersonKind.MEMBER, tenant: str = TENANT, name: str = ""
    ) -> Account:
        """Of the tenant, unless he is a guest or federated."""
        home = OTHER_TENANT if kind in (PersonKind.GUEST, PersonKind.FEDERATED) else tenant
        made = self.accounts[number] = Account(number, name or f"Person {number}", tenant, home, kind)
        self._users |= {each: number for each in (made.user, made.object_id) if each}
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
        made = Place(person.personal_chat, PlaceKind.PERSONAL, "", person.tenant, None, {number})
        return self.places.get(person.personal_chat) or self._add(made)

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


def settle(world: World, *, installed: bool) -> None:
    """A tenant with three people, a team of two channels and a group chat; a second tenant with nobody."""
    world.tenants |= {TENANT: "emea", OTHER_TENANT: "amer"}
    team = world.teams[TEAM] = Team(TEAM, TEAM_THREAD, "Marketing", TENANT, members={1, 2, 3}, owners={1})
    world.add_channel(team, TEAM_THREAD, "general")
    world.add_channel(team, CHANNEL, "ads")
    chat = world.add_chat(GROUP_CHAT, "talk", {1, 2, 3})
    team.is_installed = chat.is_installed_here = installed
    for number in (1, 2, 3):
        world.add_person(number)
        world.personal_chat(number).is_installed_here = installed
