"""Whose a click or a form is, as Slack's payloads say it."""

from collections.abc import Mapping
from typing import Any


def team_of(body: Mapping[str, Any]) -> str:
    """The workspace; where the app is installed for an organisation, that of the person."""
    return _of(body, "team", "id") or _of(body, "user", "team_id") or str(body.get("team_id") or "")


def user_of(body: Mapping[str, Any]) -> str:
    return _of(body, "user", "id")


def enterprise_of(body: Mapping[str, Any]) -> str:
    """The organisation, "" where there is none."""
    return _of(body, "enterprise", "id") or str(body.get("enterprise_id") or "")


def _of(body: Mapping[str, Any], name: str, key: str) -> str:
    found = body.get(name)
    value = found.get(key) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""
