"""What `python -m ops tokens` says."""

from collections.abc import Sequence
from datetime import datetime

from bot.access.tokens import MOST_DAYS, ApiToken, Permission


def help_texts() -> dict[str, str]:
    """Help of `python -m ops tokens`, by command and option."""
    return {
        "tokens": "Tokens for web pages and REST (with ADPOLICY_WEB_TOKENS): make, list, revoke.",
        "create": "Make a token and print it, this once: only its hash is kept.",
        "name": "What it is for: small letters, digits, . _ - (at most 64), for example prometheus.",
        "permissions": "What it may do, comma-separated: ask, read, metrics. Default: ask,read.",
        "groups": "Groups of the catalogue whose restricted documents it sees, comma-separated. Default: none.",
        "days": f"For how many days it is good, at most {MOST_DAYS}. Default: 90. None lasts for ever.",
        "list": "Show the tokens that are not revoked, never the secret itself.",
        "all": "Those that are revoked, too.",
        "revoke": "End a token, and sign out whoever signed in with it.",
        "name_or_id": "The name of a token, or its id.",
        "format": "How it is printed.",
    }


def created(token: ApiToken, *, asked_for: bool) -> list[str]:
    """For standard error, beside the token itself. `asked_for`: servers ask for tokens."""
    lines = [
        f"Made {token.name} ({token.token_id}): {_may(token)}; good until {_day(token.expires_at)}.",
        "The token is shown this once. Keep it where secrets are kept; if it is lost, revoke it and make another.",
    ]
    if not asked_for:
        lines.append("ADPOLICY_WEB_TOKENS is not set here: a server without it asks for no token and takes none.")
    return lines


def revoked(token: ApiToken, seconds: float) -> str:
    return f"Revoked {token.name} ({token.token_id}). Servers let nobody in with it after {seconds:.0f} seconds."


NONE_THERE = "There are no tokens. `python -m ops tokens create NAME` makes one."


def listed(tokens: Sequence[ApiToken], now: datetime) -> list[str]:
    """A table."""
    rows = [("name", "state", "until", "last used", "may", "groups", "id")]
    rows += [
        (
            each.name,
            state(each, now),
            _day(each.expires_at),
            _day(each.last_used_at) if each.last_used_at else "never",
            ",".join(sorted(each.permissions)),
            ",".join(sorted(each.groups)) or "-",
            each.token_id,
        )
        for each in tokens
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def state(token: ApiToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "in force" if token.holds_at(now) else "expired"


def unknown_permission(name: str, known: Sequence[str]) -> str:
    return f"there is no permission {name!r}; give some of {', '.join(known)}"


def no_permission(known: Sequence[str]) -> str:
    return f"a token without permissions is of no use; give some of {', '.join(known)}"


def days_out_of_range(most: int) -> str:
    return f"give a number of days from 1 to {most}; no token lasts for ever"


def _may(token: ApiToken) -> str:
    seen = ", ".join(["public documents", *(f"those for {each}" for each in sorted(token.groups))])
    sees = "" if token.permissions == {Permission.METRICS} else f"; sees {seen}"
    return f"permissions {', '.join(sorted(token.permissions))}{sees}"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"
