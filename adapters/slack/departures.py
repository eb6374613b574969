"""When the app is uninstalled, or its token taken away: what Slack tells of it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from adapters.slack.payloads import installed_in

APP_UNINSTALLED, TOKENS_REVOKED = "app_uninstalled", "tokens_revoked"


@dataclass(frozen=True, slots=True)
class Departure:
    """`is_organisation`: from all workspaces of `enterprise` at once. `at`: when, None where Slack does not say."""

    team: str
    enterprise: str
    is_organisation: bool
    at: datetime | None

    @property
    def place(self) -> str:
        return self.enterprise if self.is_organisation else self.team


Ended = Callable[[Departure], Awaitable[tuple[str, ...]]]
"""Whether it is so now: the workspaces that the app is not in any more, of which nothing may be kept. None where it
came late and the app was installed again, or where the token still works. Raises Unavailable."""


def departure(body: Mapping[str, Any]) -> Departure | None:
    """None for an event that is not about the bot: somebody's own token was revoked."""
    event = body.get("event")
    if not isinstance(event, dict):
        return None
    if event.get("type") == TOKENS_REVOKED and not _bots(event):
        return None
    team, enterprise, _ = installed_in(body)
    whole = _is_organisation(body) or not team or team == enterprise
    return Departure(team, enterprise, whole and bool(enterprise), _moment(event, body))


def _bots(event: Mapping[str, Any]) -> bool:
    tokens = event.get("tokens")
    return isinstance(tokens, dict) and bool(tokens.get("bot"))


def _is_organisation(body: Mapping[str, Any]) -> bool:
    found = body.get("authorizations")
    told = found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else body
    return told.get("is_enterprise_install") in (True, "true")


def _moment(event: Mapping[str, Any], body: Mapping[str, Any]) -> datetime | None:
    for value in (event.get("event_ts"), body.get("event_time")):
        try:
            return datetime.fromtimestamp(float(str(value)), UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None
