"""Whose groups an answer may be shown to."""

import asyncio
import time

import pytest

from bot.access.groups import Access, Audience, members_of_kind
from bot.model.messages import Actor, Conversation
from rag_core.deadlines import within
from tests.fakes.directories import FakeDirectory

GROUP, PERSON, TEAMS = "slack:T1/usergroup/S1", "slack:T1/user/U9", "entra:t/g"
MEMBERS = {
    "legal": frozenset({GROUP, PERSON, TEAMS, "oidc:legal"}),
    "finance": frozenset({GROUP}),
    "nobody": frozenset[str](),
}
HERE = Conversation("slack", "T1", "C1", "1.1")


def access(directory: FakeDirectory, platform: str = "slack", seconds: float = 4.0) -> Access:
    return Access(MEMBERS, {platform: directory}, seconds=seconds)


def slack() -> FakeDirectory:
    people = {"U1": frozenset({GROUP}), "U9": frozenset({PERSON}), "U2": frozenset[str]()}
    readers: dict[str, tuple[str, ...]] = {"C1": ("U1", "U9"), "C2": ("U1", "U2"), "C3": ("U1",), "C4": ()}
    return FakeDirectory(people, readers)


async def groups(made: Access, person: str, where: Conversation | None = None, *, private: bool = False) -> set[str]:
    audience = await made.audience(Actor("slack", "T1", person), where, private=private)
    assert audience.missing == ()
    return set(audience.groups)


async def test_alone_he_sees_what_he_may_see() -> None:
    made = access(slack())
    assert await groups(made, "U1", private=True) == {"legal", "finance"}
    assert await groups(made, "U9", private=True) == {"legal"}
    assert await groups(made, "U2", private=True) == set()
    assert await groups(made, "U404", private=True) == set()


async def test_before_others_he_sees_what_each_of_them_may_see_by_whatever_id() -> None:
    made = access(slack())
    assert await groups(made, "U1", HERE) == {"legal"}
    assert await groups(made, "U1", Conversation("slack", "T1", "C3")) == {"legal", "finance"}
    assert await groups(made, "U1", Conversation("slack", "T1", "C2")) == set()


@pytest.mark.parametrize("where", [None, Conversation("slack", "T1", "C404"), Conversation("slack", "T1", "C4")])
async def test_where_nobody_knows_who_reads_nobody_may(where: Conversation | None) -> None:
    assert await groups(access(slack()), "U1", where) == set()


async def test_who_is_in_no_group_costs_no_look_at_the_channel() -> None:
    directory = slack()
    await groups(access(directory), "U2", HERE)
    assert directory.calls == ["person U2"]


async def test_each_directory_is_asked_for_its_own_kind_of_ids() -> None:
    entra = FakeDirectory({"guid": frozenset({TEAMS, GROUP})}, kind="entra")
    found = await access(entra, "teams").audience(Actor("teams", "t", "guid"), None, private=True)
    assert found == Audience(frozenset({"legal"}))  # GROUP would be "finance" as well
    assert members_of_kind(MEMBERS, "entra") == {TEAMS}


async def test_a_platform_without_a_directory_has_no_groups() -> None:
    assert await access(slack()).audience(Actor("terminal", "", ""), None, private=True) == Audience()


async def test_where_no_group_has_members_there_nobody_is_asked() -> None:
    directory = slack()
    made = Access({"legal": frozenset({"oidc:legal"})}, {"slack": directory})
    assert await groups(made, "U1", private=True) == set()
    assert directory.calls == []


async def test_a_silent_directory_leaves_public_documents_and_is_named() -> None:
    directory = slack()
    directory.down = True
    found = await access(directory).audience(Actor("slack", "T1", "U1"), HERE, private=True)
    assert found == Audience(missing=("groups",))


async def test_a_directory_that_answers_for_the_person_only_leaves_public_documents() -> None:
    directory = slack()

    async def down_for_channels() -> None:
        directory.down = directory.calls[-1].startswith("channel")

    directory.before = down_for_channels
    found = await access(directory).audience(Actor("slack", "T1", "U1"), HERE, private=False)
    assert found == Audience(missing=("groups",))


async def test_a_directory_that_hangs_does_not_take_the_answers_time() -> None:
    directory = slack()
    directory.before = asyncio.Event().wait
    made, began = access(directory, seconds=0.05), time.monotonic()
    async with within(30):
        found = await made.audience(Actor("slack", "T1", "U1"), HERE, private=True)
    assert found == Audience(missing=("groups",))
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("channel", "expected"),
    [("C1", {"legal"}), ("C2", set()), ("C3", {"legal", "finance"}), ("C4", set()), ("C404", set())],
)
async def test_what_nobody_asked_for_is_for_the_groups_of_every_reader(channel: str, expected: set[str]) -> None:
    found = await access(slack()).everyone(Conversation("slack", "T1", channel))
    assert found == Audience(frozenset(expected))


@pytest.mark.parametrize(
    ("members", "platform"),
    [(MEMBERS, "teams"), ({"legal": frozenset({"oidc:legal"})}, "slack")],
    ids=["no directory", "no members there"],
)
async def test_what_nobody_asked_for_is_public_where_no_group_can_read_it(
    members: dict[str, frozenset[str]], platform: str
) -> None:
    directory = slack()
    found = await Access(members, {"slack": directory}).everyone(Conversation(platform, "T1", "C3"))
    assert (found, directory.calls) == (Audience(), [])


async def test_what_nobody_asked_for_is_public_while_the_directory_is_silent() -> None:
    directory = slack()
    directory.down = True
    assert await access(directory).everyone(HERE) == Audience(missing=("groups",))


def test_credentials_name_groups_without_a_directory() -> None:
    made = Access(MEMBERS, {})
    assert made.named(frozenset({"oidc:legal", "oidc:else"})) == {"legal"}
    assert made.named(frozenset()) == frozenset()
