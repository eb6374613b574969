"""The package of the Teams app: what Teams would refuse, and what the code hears and asks for."""

import io
import json
import struct
import zipfile
import zlib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from bot.commands.grammar import Ask, ShowHelp, ShowSettings, Subscribe, Unsubscribe, parse
from bot.render.teams.view import ExtensionCommand
from ops import cli
from ops.commands.teams import teams_package
from ops.config import Config
from ops.deploy import teams_icons
from ops.deploy.teams_icons import COLOR, OUTLINE, Picture
from ops.deploy.teams_manifest import COLOR_ICON, MANIFEST_VERSION, OUTLINE_ICON, SCHEMA, SCOPES, Wanted, manifest
from ops.deploy.teams_package import ICONS, MANIFEST, package
from ops.wording import general as wording
from ops.wording import teams_package as package_wording
from rag_core.errors import Misconfigured, PolicyBotError, Rejected

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "golden" / "teams_manifest" / "MicrosoftTeams.schema.json"
APP = "0A1B2C3D-0000-4000-8000-123456789abc"
WEBSITE = "https://policies.example.com"
WANTED = Wanted(APP, WEBSITE, hosts=("bot.example.com",))
FULL = Wanted(APP, WEBSITE, hosts=("bot.example.com",), reads_all=True, reads_chats=True, reads_members=True)
MOST_COMMANDS, LONGEST_TITLE = 10, 32
"""What Teams shows; the schema lets pass more."""


def errors(made: dict[str, Any]) -> list[str]:
    schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
    return [f"{'/'.join(map(str, each.path))}: {each.message}" for each in Draft4Validator(schema).iter_errors(made)]


@pytest.mark.parametrize("wanted", [WANTED, FULL])
def test_the_manifest_is_as_the_published_schema_wants_it(wanted: Wanted) -> None:
    assert errors(manifest(wanted)) == []


def test_the_schema_finds_what_is_wrong() -> None:
    made = manifest(WANTED)
    made["description"]["short"] = "x" * 81
    made["unheard"] = 1
    assert len(errors(made)) == 2


def test_the_schema_is_that_of_the_version_named() -> None:
    schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
    assert schema["properties"]["manifestVersion"]["const"] == MANIFEST_VERSION == manifest(WANTED)["manifestVersion"]
    assert f"/v{MANIFEST_VERSION}/" in SCHEMA


def test_ids_addresses_and_scopes() -> None:
    made = manifest(WANTED)
    ids = {
        made["id"],
        made["bots"][0]["botId"],
        made["composeExtensions"][0]["botId"],
        made["webApplicationInfo"]["id"],
    }
    assert ids == {APP.lower()}
    assert made["bots"][0]["scopes"] == list(SCOPES) == ["personal", "team", "groupChat"]
    assert made["validDomains"] == ["bot.example.com", "policies.example.com"]
    assert set(made["developer"].values()) == {WEBSITE, package_wording.DEVELOPER}
    of_his_own = manifest(Wanted(APP, WEBSITE, privacy="https://a.example/p", terms="https://a.example/t"))
    assert of_his_own["developer"]["privacyUrl"] == "https://a.example/p"
    assert of_his_own["developer"]["termsOfUseUrl"] == "https://a.example/t"


def test_every_scope_has_its_command_list() -> None:
    lists = manifest(WANTED)["bots"][0]["commandLists"]
    assert [each["scopes"] for each in lists] == [[scope] for scope in SCOPES]
    for each in lists:
        titles = [command["title"] for command in each["commands"]]
        assert titles == ["help", "sources", "changes", "compare", "as of", "subscribe", "unsubscribe", "settings"]
        assert len(titles) <= MOST_COMMANDS
        assert max(map(len, titles)) <= LONGEST_TITLE


@pytest.mark.parametrize("command", package_wording.commands(), ids=lambda each: each.title)
def test_the_bot_understands_what_the_list_offers(command: package_wording.CommandText) -> None:
    """Sent as its example says; none of them is only a question like any other."""
    today = date(2026, 7, 28)
    assert command.example.startswith(command.title)
    assert command.example in command.description or command.example == command.title
    said = parse(command.example, today)
    if isinstance(said, Ask):
        assert said.text != command.example
        assert command.title in ("sources", "changes", "compare", "as of")
        assert (said.as_of is not None) == (command.title == "as of")
    else:
        kinds = {"help": ShowHelp, "settings": ShowSettings, "subscribe": Subscribe, "unsubscribe": Unsubscribe}
        assert type(said) is kinds[command.title]


def test_the_message_extension_has_the_two_commands_that_are_answered() -> None:
    (extension,) = manifest(WANTED)["composeExtensions"]
    search, check = extension["commands"]
    assert {search["id"], check["id"]} == {each.value for each in ExtensionCommand}
    assert (search["type"], search["context"]) == ("query", ["compose", "commandBox"])
    assert [each["name"] for each in search["parameters"]] == ["query"]
    assert (check["type"], check["context"], check["fetchTask"]) == ("action", ["message"], True)


def test_nothing_is_asked_of_a_team_unless_it_is_wanted() -> None:
    def asked(wanted: Wanted) -> list[str]:
        permissions = manifest(wanted).get("authorization", {}).get("permissions", {}).get("resourceSpecific", [])
        assert {each["type"] for each in permissions} <= {"Application"}
        return [each["name"] for each in permissions]

    members = ["ChannelMember.Read.Group", "TeamSettings.Read.Group", "ChatMember.Read.Chat"]
    assert asked(WANTED) == []
    assert asked(Wanted(APP, WEBSITE, reads_all=True)) == ["ChannelMessage.Read.Group"]
    assert asked(Wanted(APP, WEBSITE, reads_chats=True)) == ["ChatMessage.Read.Chat"]
    assert asked(Wanted(APP, WEBSITE, reads_members=True)) == members
    assert asked(FULL) == ["ChannelMessage.Read.Group", "ChatMessage.Read.Chat", *members]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"app_id": "my-bot"}, "teams_app_id_invalid"),
        ({"website": ""}, "teams_website_insecure"),
        ({"website": "http://policies.example.com"}, "teams_website_insecure"),
        ({"website": "https://"}, "teams_website_insecure"),
        ({"website": "https://[half"}, "teams_website_insecure"),
        ({"website": "https://who:is@policies.example.com"}, "teams_website_insecure"),  # pragma: allowlist secret
        ({"website": "https://policies.example.com:port"}, "teams_website_insecure"),
        ({"privacy": "policies.example.com"}, "teams_website_insecure"),
    ],
)
def test_what_teams_would_refuse_is_refused_here(given: dict[str, str], code: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        Wanted(given.get("app_id", APP), given.get("website", WEBSITE), privacy=given.get("privacy", ""))
    assert refused.value.code == code


def test_the_same_manifest_makes_the_same_bytes_and_another_makes_others() -> None:
    made = package(manifest(WANTED))
    assert made == package(manifest(Wanted(APP, WEBSITE, hosts=("bot.example.com",))))
    assert made != package(manifest(FULL))


def test_the_zip_holds_manifest_and_icons_at_its_top() -> None:
    with zipfile.ZipFile(io.BytesIO(package(manifest(FULL)))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [MANIFEST, COLOR_ICON, OUTLINE_ICON]
        assert json.loads(archive.read(MANIFEST)) == manifest(FULL)
        assert {name: archive.read(name) for name in ICONS} == {name: at.read_bytes() for name, at in ICONS.items()}
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def unpacked(png: bytes) -> Picture:
    """Eight bits for each of red, green, blue and opacity; no filters."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (width, depth, kind) == (height, 8, 6)
    at, packed = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(name + content),)
        packed += content if name == b"IDAT" else b""
        at += 12 + length
    rows = zlib.decompress(packed)
    row = width * 4 + 1
    assert {rows[start] for start in range(0, len(rows), row)} == {0}
    return Picture(width, b"".join(rows[start + 1 : start + row] for start in range(0, len(rows), row)))


def test_the_kept_icons_are_as_they_are_drawn() -> None:
    assert unpacked(ICONS[COLOR_ICON].read_bytes()) == teams_icons.color()
    assert unpacked(ICONS[OUTLINE_ICON].read_bytes()) == teams_icons.outline()


def test_the_colour_icon_fills_its_square_and_keeps_what_is_drawn_in_the_middle() -> None:
    drawn = teams_icons.color()
    assert drawn.size == COLOR == 192
    ground = drawn.pixels[:4]
    for at in range(0, len(drawn.pixels), 4):
        y, x = divmod(at // 4, COLOR)
        if not (48 <= x < 144 and 48 <= y < 144):
            assert drawn.pixels[at : at + 4] == ground
    assert set(drawn.pixels[3::4]) == {255}
    assert drawn.pixels.count(b"\xff\xff\xff\xff") > 1000


def test_the_outline_is_white_on_nothing() -> None:
    drawn = teams_icons.outline()
    assert drawn.size == OUTLINE == 32
    pixels = [drawn.pixels[at : at + 4] for at in range(0, len(drawn.pixels), 4)]
    assert {each[:3] for each in pixels} == {b"\xff\xff\xff"}
    assert {0, 255} <= {each[3] for each in pixels}
    edge = [pixels[at] for at in range(OUTLINE)]
    assert {each[3] for each in edge} == {0}


def configured(tmp_path: Path, **more: str) -> Config:
    given = {"teams_app_id": APP, "public_url": WEBSITE, "chat_url": "https://bot.example.com/", **more}
    return Config(data_dir=tmp_path / "data", **given)  # type: ignore[arg-type]


READING = ("--read-all-thread-replies", "--read-group-chats")


async def run(config: Config, *arguments: str) -> int:
    return await teams_package(cli.parse(["teams-package", *arguments]), config)


async def test_the_command_writes_it_and_says_what_comes_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.zip"
    config = configured(tmp_path, teams_app_secret="do-not-show")  # pragma: allowlist secret
    assert await run(config, "--output", str(path), "--version", "1.2.0", *READING) == 0
    expected = Wanted(APP, WEBSITE, hosts=("bot.example.com",), version="1.2.0", reads_all=True, reads_chats=True)
    assert path.read_bytes() == package(manifest(expected))
    assert b"do-not-show" not in path.read_bytes()
    said = capsys.readouterr()
    assert f"Wrote {path} (version 1.2.0)" in said.out
    assert "ChannelMessage.Read.Group, ChatMessage.Read.Chat" in said.out
    assert "https://bot.example.com/api/messages" in said.out
    assert said.err == ""


async def test_without_a_chat_address_it_is_written_and_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.zip"
    assert await run(configured(tmp_path, chat_url=""), "--output", str(path)) == 0
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read(MANIFEST))["validDomains"] == ["policies.example.com"]
    assert "ADPOLICY_CHAT_URL is not set" in capsys.readouterr().err


async def test_a_domain_is_a_name_and_a_port_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "app.zip"
    config = configured(tmp_path, chat_url="https://Bot.example.com:8443/x")
    assert await run(config, "--output", str(path), "--website", "https://policies.example.com:444/a?b") == 0
    with zipfile.ZipFile(path) as archive:
        domains = json.loads(archive.read(MANIFEST))["validDomains"]
    assert domains == ["bot.example.com:8443", "policies.example.com:444"]


@pytest.mark.parametrize(
    "address", ["http://bot.example.com", "bot.example.com", "http://127.0.0.1:3000", "https://a:b@c.example"]
)
async def test_an_address_that_azure_does_not_take_is_said(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.zip"
    assert await run(configured(tmp_path, chat_url=address), "--output", str(path)) == 0
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read(MANIFEST))["validDomains"] == ["policies.example.com"]
    said = capsys.readouterr()
    assert "Messaging endpoint" not in said.out
    assert f"ADPOLICY_CHAT_URL is {address}" in said.err
    assert "https" in said.err


@pytest.mark.parametrize(
    ("settings", "arguments", "kind", "says"),
    [
        ({"teams_app_id": " "}, (), Misconfigured, "Set ADPOLICY_TEAMS_APP_ID to the application (client) id"),
        ({"public_url": ""}, (), Misconfigured, "--website"),
        ({"public_url": "http://127.0.0.1:8080"}, (), Misconfigured, "http://127.0.0.1:8080"),
        ({}, ("--version", "1.0"), Rejected, "three numbers"),
        ({}, ("--version", "01.0.0"), Rejected, "leading zeros"),
        ({}, ("--output", "/nowhere/at/all.zip"), Rejected, "--output FILE"),
    ],
)
async def test_errors_say_what_to_do(
    tmp_path: Path, settings: dict[str, str], arguments: tuple[str, ...], kind: type[PolicyBotError], says: str
) -> None:
    with pytest.raises(kind) as refused:
        await run(configured(tmp_path, **settings), *arguments)
    assert says in wording.explain(refused.value)


def test_the_command_is_known() -> None:
    assert "teams-package" in cli._COMMANDS
