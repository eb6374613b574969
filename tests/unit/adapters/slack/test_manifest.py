"""The manifest asks for what the code uses, and for nothing else."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from adapters.slack.app import EVENTS_PATH
from adapters.slack.commands import COMMAND
from ops.sandbox.slack.people import Lookups
from ops.sandbox.slack.workspace import Workspace
from tests.fakes.slack import FakeClock

MANIFEST = Path(__file__).resolve().parents[4] / "ops" / "deploy" / "slack-manifest.yaml"


@pytest.fixture
def manifest() -> Any:
    return yaml.safe_load(MANIFEST.read_text("utf-8"))


def test_the_command_is_the_one_that_is_listened_to(manifest: Any) -> None:
    [command] = manifest["features"]["slash_commands"]
    assert command["command"] == COMMAND
    assert urlsplit(command["url"]).scheme == "https"
    assert urlsplit(command["url"]).path == EVENTS_PATH


def test_names_of_people_and_channels_are_not_rewritten(manifest: Any) -> None:
    # With should_escape, "@somebody" would arrive as "<@U1|somebody>".
    assert manifest["features"]["slash_commands"][0]["should_escape"] is False


def test_nothing_is_asked_for_that_nothing_uses(manifest: Any) -> None:
    scopes = manifest["oauth_config"]["scopes"]
    assert list(scopes) == ["bot"]
    assert sorted(scopes["bot"]) == sorted(Lookups(Workspace(FakeClock())).scopes)  # without one, tests fail
    assert "event_subscriptions" not in manifest["settings"]
    assert "interactivity" not in manifest["settings"]
    assert manifest["settings"]["socket_mode_enabled"] is False


def test_limits_of_slack(manifest: Any) -> None:
    shown = manifest["display_information"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert len(manifest["features"]["bot_user"]["display_name"]) <= 80
