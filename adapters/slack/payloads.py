"""Whose an event, a click or a form is, and that the app was uninstalled or its token taken away: as Slack's payloads
say it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.model.messages import Actor

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


def installed_in(body: Mapping[str, Any]) -> tuple[str, str, str]:
    """Workspace, organisation and the bot's user there: whose installation sees it; "" for what is not said.

    In a channel of several companies `team_id` and `enterprise_id` of an event are those of the one where it happened;
    a modal may have been opened in another one, too (`app_installed_team_id`). Where the app is installed for an
    organisation a click may come without a workspace: then it is that of the person.
    """
    if (by := _first(body.get("authorizations"))) is not None:
        team = _text(by.get("team_id")) or _text(body.get("context_team_id")) or _text(body.get("team_id"))
        enterprise = _text(by.get("enterprise_id", body.get("enterprise_id")))
        return team, enterprise, _text(by.get("user_id")) if by.get("is_bot") else ""
    team = _of(body, "team", "id") or _text(body.get("team")) or _text(body.get("context_team_id"))
    team = team or _text(body.get("team_id")) or home_of(body) or _of(body, "view", "team_id")
    enterprise = _of(body, "enterprise", "id") or _text(body.get("enterprise_id")) or _of(body, "team", "enterprise_id")
    installed = _of(body, "view", "app_installed_team_id")
    if installed in ("", team, enterprise):
        return team, enterprise, ""
    if installed.startswith("E"):  # an organisation; of another company's workspace nothing else is known
        return team, installed, ""
    return installed, "", ""


def team_of(body: Mapping[str, Any]) -> str:
    return installed_in(body)[0]


def enterprise_of(body: Mapping[str, Any]) -> str:
    """The organisation, "" where there is none."""
    return installed_in(body)[1]


def user_of(body: Mapping[str, Any]) -> str:
    return _of(body, "user", "id")


def home_of(body: Mapping[str, Any]) -> str:
    """The workspace that who clicks or submits belongs to; on an Enterprise Grid one of several."""
    return _of(body, "user", "team_id")


def actor_of(body: Mapping[str, Any]) -> Actor:
    """Who clicks or submits: of another company he is somebody of theirs, not of the app's workspace."""
    team, enterprise, _ = installed_in(body)
    home = home_of(body)
    return Actor("slack", team if enterprise or not home else home, user_of(body))


def _of(body: Mapping[str, Any], name: str, key: str) -> str:
    found = body.get(name)
    return _text(found.get(key)) if isinstance(found, Mapping) else ""


def _first(found: object) -> Mapping[str, Any] | None:
    return found[0] if isinstance(found, list) and found and isinstance(found[0], Mapping) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


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
