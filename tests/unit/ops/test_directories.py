"""Which directories there are, what stands before them, and what `doctor` says of them and of groups."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from adapters.sql.chat.installations import SqlInstallations
from bot.access.groups import Audience
from bot.access.installations import Installation
from bot.audit.entries import administration
from bot.model.messages import Actor
from ops.backends import build_vault, open_engine
from ops.commands.groups_check import check_groups
from ops.config import Config
from ops.directories import GuardedDirectory, open_access, open_directories
from ops.monitoring.breakers import FAILURES, CircuitBreaker
from ops.monitoring.logs import ServiceEvents
from ops.monitoring.metrics import Metrics
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.troubles import Trouble
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.directories import FakeDirectory
from tests.fakes.graph import APP_ID, APP_SECRET, TENANT, FakeGraph, GraphDesk, graph_desk, group, person
from tests.fakes.slack import SIGNING_SECRET, FakeClock
from tests.fakes.slack_tokens import FakeTokens

SLACK, ENTRA = "slack:T1/usergroup/S1", f"entra:{TENANT}/{group(1)}"
TEAMS = {"teams_app_id": APP_ID, "teams_app_secret": SecretStr(APP_SECRET), "teams_tenants": TENANT}
TOKEN = {"slack_bot_token": SecretStr("xoxb-sandbox"), "slack_signing_secret": SecretStr(SIGNING_SECRET)}
NOBODY = Audience()


def config(folder: Path, groups: str, **settings: Any) -> Config:
    path = folder / "catalogue.yaml"
    path.write_text(f"groups: {groups}\nsources: []\n")
    return Config(data_dir=folder / "data", catalogue=path, **settings)


def events() -> ServiceEvents:
    return ServiceEvents(Metrics())


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    stand_in = SlackStandIn("http://127.0.0.1:1", SIGNING_SECRET, clock=FakeClock())
    stand_in.workspace.usergroups["S1"] = frozenset({"U1"})
    await stand_in.start()
    yield stand_in
    await stand_in.stop()


@asynccontextmanager
async def entra() -> AsyncIterator[GraphDesk]:
    async with graph_desk() as desk:
        desk.graph.add(1)
        desk.graph.groups[group(1)] = {person(1)}
        yield desk


def at(graph: FakeGraph) -> dict[str, Any]:
    return {**TEAMS, "teams_graph_url": f"{graph.url}/v1.0", "teams_login_url": graph.url}


@pytest.mark.parametrize(
    ("groups", "settings", "kinds"),
    [
        ("{}", {**TOKEN, **TEAMS}, set()),
        ("{legal: [oidc:legal]}", {**TOKEN, **TEAMS}, set()),
        (f"{{legal: ['{SLACK}', '{ENTRA}']}}", {}, set()),
        (f"{{legal: ['{SLACK}', '{ENTRA}']}}", TOKEN, {"slack"}),
        (f"{{legal: ['{SLACK}'], hr: ['{ENTRA}']}}", {**TOKEN, **TEAMS}, {"slack", "entra"}),
    ],
)
async def test_a_directory_is_there_where_it_is_set_up_and_named(
    tmp_path: Path, groups: str, settings: dict[str, Any], kinds: set[str]
) -> None:
    made = config(tmp_path, groups, **settings)
    members = {"all": frozenset(each for each in (SLACK, ENTRA) if each in groups)}
    async with open_directories(made, members) as found:
        assert set(found) == kinds
        assert {each.kind for each in found.values()} == kinds


@pytest.mark.parametrize("groups", ["{}", f"{{legal: ['{ENTRA}']}}"])
@pytest.mark.parametrize("missing", sorted(TEAMS))
async def test_a_directory_that_is_half_set_up_stops_the_start(tmp_path: Path, missing: str, groups: str) -> None:
    settings = {name: value for name, value in TEAMS.items() if name != missing}
    with pytest.raises(Misconfigured, match="setting_missing") as raised:
        async with open_access(config(tmp_path, groups, **settings), events()):
            pass
    assert raised.value.details["setting"] == f"ADPOLICY_{missing.upper()}"


@pytest.mark.parametrize("groups", ["{legal: everybody}", "{legal: ['*']}", "[legal]", "", "{Legal: [oidc:a]}"])
async def test_groups_that_cannot_be_read_stop_the_start(tmp_path: Path, groups: str) -> None:
    with pytest.raises(Misconfigured, match="catalogue_invalid"):
        async with open_access(config(tmp_path, groups), events()):
            pass


async def test_people_of_both_platforms_and_of_tokens_find_their_groups(tmp_path: Path, slack: SlackStandIn) -> None:
    groups = f"{{legal: ['{SLACK}', '{ENTRA}', 'oidc:legal']}}"
    async with entra() as desk:
        made = config(tmp_path, groups, **TOKEN, slack_api_url=slack.api_url, **at(desk.graph))
        async with open_access(made, events()) as access:
            asked = [Actor("slack", "T1", "U1"), Actor("teams", TENANT, person(1)), Actor("slack", TENANT, person(1))]
            found = [await access.audience(each, None, private=True) for each in asked]
            assert access.named(frozenset({"oidc:legal"})) == {"legal"}
    assert found == [Audience(frozenset({"legal"})), Audience(frozenset({"legal"})), NOBODY]


async def test_what_was_told_is_believed_for_the_time_set(tmp_path: Path, slack: SlackStandIn) -> None:
    for minutes, calls in ((10.0, 1), (0.0, 2)):
        settings = {**TOKEN, "slack_api_url": slack.api_url, "groups_minutes": minutes}
        slack.api_calls.clear()
        async with open_access(config(tmp_path, f"{{legal: ['{SLACK}']}}", **settings), events()) as access:
            for _ in range(2):
                await access.audience(Actor("slack", "T1", "U1"), None, private=True)
        assert slack.api_calls.count("usergroups.users.list") == calls


async def test_a_directory_that_does_not_answer_is_not_waited_for_again_and_again() -> None:
    directory = FakeDirectory({})
    directory.down = True
    guarded = GuardedDirectory(directory, lambda: CircuitBreaker("directory_slack", events()))
    for _ in range(FAILURES + 5):
        with pytest.raises(Unavailable):
            await guarded.of_person(Actor("slack", "T1", "U1"), frozenset({SLACK}))
    assert len(directory.calls) == FAILURES
    with pytest.raises(Unavailable):  # another workspace has nothing to do with it
        await guarded.of_person(Actor("slack", "T2", "U1"), frozenset({SLACK}))
    assert len(directory.calls) == FAILURES + 1


async def test_doctor_names_who_answers_and_which_groups_are_empty(
    tmp_path: Path, slack: SlackStandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    groups = f"{{legal: ['{SLACK}', '{ENTRA}'], gone: ['slack:T1/usergroup/S9'], none: [], web: ['oidc:web']}}"
    async with entra() as desk:
        settings = {**TOKEN, "slack_api_url": slack.api_url, **at(desk.graph)}
        code = await check_groups(config(tmp_path, groups, **settings), frozenset({"legal", "board"}))
    assert code == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok    directory Entra: answers for 1 id of the catalogue",
        "ok    directory Slack: answers for 2 ids of the catalogue",
        "note  groups: nobody belongs to gone, none: give them members under `groups` in the catalogue. documents name "
        "board, which the catalogue does not declare: nobody sees them.",
    ]


async def test_doctor_is_content_where_each_group_has_somebody(
    tmp_path: Path, slack: SlackStandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {**TOKEN, "slack_api_url": slack.api_url}
    assert await check_groups(config(tmp_path, f"{{legal: ['{SLACK}']}}", **settings), frozenset({"legal"})) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "ok    groups: 1 declared, each with members"
    assert await check_groups(config(tmp_path, "{}")) == 0
    assert "none declared: restricted documents are for nobody" in capsys.readouterr().out


async def test_doctor_says_why_a_directory_does_not_tell(
    tmp_path: Path, slack: SlackStandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    slack.lookups.scopes.discard("usergroups:read")
    settings = {**TOKEN, "slack_api_url": slack.api_url}
    assert await check_groups(config(tmp_path, f"{{legal: ['{SLACK}', '{ENTRA}']}}", **settings)) == 1
    said = capsys.readouterr().out
    assert "FAIL  directory Slack: Slack refuses to tell who belongs to what (missing_scope)" in said
    assert "FAIL  directory Entra: the catalogue names members there, but ADPOLICY_TEAMS_APP_ID" in said
    assert "nobody belongs to legal" not in said  # that is not known
    assert await check_groups(config(tmp_path, "everybody")) == 1
    assert "FAIL  groups: The catalogue" in capsys.readouterr().out


async def test_closing_leaves_nothing_running(tmp_path: Path, slack: SlackStandIn) -> None:
    settings = {**TOKEN, "slack_api_url": slack.api_url, "ask_seconds": 0.04}
    slack.trouble("usergroups.users.list", Trouble(delay=1.0), times=2)
    async with open_access(config(tmp_path, f"{{legal: ['{SLACK}']}}", **settings), events()) as access:
        assert await access.audience(Actor("slack", "T1", "U1"), None, private=True) == Audience(missing=("groups",))
        assert [each for each in asyncio.all_tasks() if "Expiring" in repr(each)]  # it goes on for the next who asks
    assert [each for each in asyncio.all_tasks() if "Expiring" in repr(each)] == []


@asynccontextmanager
async def installed(tmp_path: Path, slack: SlackStandIn) -> AsyncIterator[Config]:
    """In two workspaces by OAuth, and no token in the settings."""
    slack.add_workspace("T2", token="xoxb-two").usergroups["S2"] = frozenset({"U2"})
    groups = "{legal: [slack:T1/usergroup/S1, slack:T2/usergroup/S2], gone: [slack:T3/usergroup/S3]}"
    made = config(
        tmp_path, groups, slack_signing_secret=SecretStr(SIGNING_SECRET), slack_client_id="1.1",
        slack_client_secret=SecretStr("secret"), slack_workspaces="T1,T2",  # pragma: allowlist secret
        chat_url="https://bot.example", slack_api_url=slack.api_url,
    )  # fmt: skip
    async with open_engine(made) as engine:
        store = SqlInstallations(engine, build_vault(made))
        for team, token in (("T1", "xoxb-sandbox"), ("T2", "xoxb-two")):
            it = Installation(team, team, "", team, "UBOT", (), FakeClock()(), token)
            await store.save(it, administration(f"r{team}", "slack_installed", FakeClock()(), target=team))
    yield made


async def test_groups_of_each_workspace_are_read_with_the_token_it_gave(tmp_path: Path, slack: SlackStandIn) -> None:
    asked = [Actor("slack", team, user) for team in ("T1", "T2", "T3") for user in ("U1", "U2")]
    async with installed(tmp_path, slack) as made, open_access(made, events()) as access:
        found = [(await access.audience(each, None, private=True)).groups for each in asked]
    legal, nothing = frozenset({"legal"}), frozenset[str]()
    assert found == [legal, nothing, nothing, legal, nothing, nothing]


async def test_doctor_reads_them_so_as_well(
    tmp_path: Path, slack: SlackStandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    async with installed(tmp_path, slack) as made:
        assert await check_groups(made, frozenset({"legal"})) == 0
    said = capsys.readouterr().out
    assert "ok    directory Slack: answers for 3 ids of the catalogue" in said
    assert "nobody belongs to gone: " in said


async def test_tokens_that_are_open_already_are_used_and_nothing_else_is_opened(
    tmp_path: Path, slack: SlackStandIn
) -> None:
    tokens = FakeTokens(T1="xoxb-sandbox")
    async with installed(tmp_path, slack) as made:
        half = made.model_copy(update={"slack_workspaces": ""})  # with which nothing could be opened
        async with open_access(half, events(), tokens) as access:
            audience = await access.audience(Actor("slack", "T1", "U1"), None, private=True)
    assert audience == Audience(frozenset({"legal"}))
    assert {each for each, _ in tokens.asked} == {"T1"}


async def test_half_of_slack_stops_the_start_where_its_groups_are_named(tmp_path: Path) -> None:
    half = {"slack_bot_token": SecretStr("xoxb-sandbox")}
    with pytest.raises(Misconfigured, match="setting_missing") as raised:
        async with open_access(config(tmp_path, f"{{legal: ['{SLACK}']}}", **half), events()):
            pass
    assert raised.value.details["setting"] == "ADPOLICY_SLACK_SIGNING_SECRET"
    async with open_access(config(tmp_path, "{legal: ['oidc:legal']}", **half), events()) as access:
        assert access.named(frozenset({"oidc:legal"})) == {"legal"}
