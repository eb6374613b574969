"""The manifest of the Slack app, as it is pasted: with the address filled in, over HTTP or Socket Mode, for one
workspace or for many."""

import json
from pathlib import Path
from typing import Any

import yaml

MANIFEST = Path(__file__).resolve().parent / "slack-manifest.yaml"
PLACEHOLDER = "https://adpolicy.example.com"


def manifest(address: str = "", *, socket: bool = False, many: bool = False) -> dict[str, Any]:
    """`address`: where Slack reaches the chat listener, "" for the placeholder. `many`: by OAuth, with tokens that
    expire. Without it a token is for good: one that is copied into the settings could not be renewed."""
    text = MANIFEST.read_text(encoding="utf-8").replace(PLACEHOLDER, address.rstrip("/") or PLACEHOLDER)
    made: dict[str, Any] = yaml.safe_load(text)
    settings = made["settings"]
    settings["token_rotation_enabled"] = settings["org_deploy_enabled"] = many
    if not many:
        del made["oauth_config"]["redirect_urls"]
    if socket:
        settings["socket_mode_enabled"] = True
        for part in (settings["event_subscriptions"], settings["interactivity"]):
            del part["request_url"]
        for command in made["features"]["slash_commands"]:
            del command["url"]
    return made


def bot_scopes() -> tuple[str, ...]:
    return tuple(sorted(yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]))


def printed(made: dict[str, Any], form: str) -> str:
    """`form`: "yaml" or "json"."""
    if form == "json":
        return json.dumps(made, indent=2)
    return str(yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=100)).rstrip()
