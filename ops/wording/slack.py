"""What operators read about Slack."""

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.access.installations import Installation
from ops.wording.retry import again

SENTENCES: dict[str, Callable[..., str]] = {
    "slack_api_url_insecure": lambda d: (
        f"{d['setting']} is {d['value']}, which would carry the bot's token unencrypted. Use https; http is for "
        "127.0.0.1 only."
    ),
    "slack_app_token_refused": lambda d: (
        f"Slack does not take {d['setting']} ({d['reason']}). It must be an app-level token (xapp-...) with the scope "
        "connections:write: Slack app > Basic Information > App-Level Tokens; and Socket Mode must be on."
    ),
    "slack_unreachable": again("Slack cannot be reached"),
    "slack_error": again("Slack answered with an error"),
    "slack_rate_limited": lambda d: f"Slack asks to wait {d.get('retry_after')} s. Try again after that.",
    "slack_workspace_id": lambda d: (
        f"{d['setting']} names {d['value']}, which is no id of a Slack workspace (T...) or organisation (E...). The id "
        "stands in the address of Slack in a browser: app.slack.com/client/T..."
    ),
    "slack_address_insecure": lambda d: (
        f"{d['setting']} is {d['value']}, over which Slack's codes would come unencrypted. Give the https address at "
        "which Slack reaches the chat listener."
    ),
    "slack_not_installed": lambda d: (
        "The Slack app is not installed there any more, or its token was revoked. Install it again; for one workspace "
        "put the new token into ADPOLICY_SLACK_BOT_TOKEN."
    ),
    "slack_refused": lambda d: f"Slack refuses the request ({d.get('error') or 'no reason given'}).",
    "slack_pacing": lambda d: "Slack takes one message a second in a channel. Wait: this one has its turn soon.",
    "settings_slow": lambda d: (
        "The settings of a channel could not be read in time, so a question there was taken without its defaults. If "
        "this goes on, look at the database."
    ),
    "unknown_slack_workspace": lambda d: (
        f"The app is not installed in {d['name']}. `python -m ops slack-workspaces list` shows where it is."
    ),
}


def help_texts() -> dict[str, str]:
    """Help of `python -m ops slack-manifest` and `slack-workspaces`, by command and option."""
    return {
        "slack-manifest": "Print the manifest of the Slack app, to be pasted where an app is made.",
        "url": "Address at which Slack reaches the chat listener, https://... Default: ADPOLICY_CHAT_URL.",
        "socket": "For Socket Mode: no address is needed (with --many, one for installing is).",
        "many": "For several workspaces, which install it by OAuth: tokens expire, organisations may install it.",
        "format": "How it is printed.",
        "slack-workspaces": "Where the Slack app is installed by OAuth: list, remove.",
        "list": "Show workspaces and organisations, never their tokens.",
        "remove": "Take the app's token away and delete it: it answers there no more, until it is installed again.",
        "place": "Id of the workspace (T...) or organisation (E...).",
    }


def address_is_a_placeholder(placeholder: str) -> str:
    return f"No address is set: put yours in the place of {placeholder}, or give --url https://... or --socket."


NOBODY_INSTALLED = "The app is installed nowhere by OAuth. People install it at /slack/install of the chat address."


def listed(found: Sequence[Installation], now: datetime) -> list[str]:
    """A table."""
    rows = [("id", "name", "organisation", "installed", "token")]
    rows += [
        (each.place, each.name or "-", each.organisation or "-", f"{each.installed_at:%Y-%m-%d}", state(each, now))
        for each in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def state(it: Installation, now: datetime) -> str:
    if it.expires_at is None:
        return "lasts"
    if it.is_refused:
        return "expired" if it.expires_at <= now else f"ends {it.expires_at:%Y-%m-%d %H:%M}: install again"
    return f"renewed by {it.expires_at:%Y-%m-%d %H:%M}"


def removed(place: str, *, revoked: bool) -> str:
    if revoked:
        return f"Removed {place}: its token is revoked and deleted. Running servers know within 30 seconds."
    return (
        f"Deleted the token of {place}; Slack did not answer, so it was not revoked. Remove the app in that "
        "workspace's settings, too. Running servers know within 30 seconds."
    )


SECRET_SET = "the signing secret is set; if it is another app's, commands fail and the bot answers Slack with 401"


def token_works(name: str, place: str, scopes: int) -> str:
    return f"acts in {name} ({place}), with all {scopes} scopes"


def token_fails(error: str) -> str:
    return (
        f"Slack does not take ADPOLICY_SLACK_BOT_TOKEN ({error}). Copy it again from OAuth & Permissions of the app, "
        "or install the app again"
    )


TOKEN_EXPIRES = (
    "ADPOLICY_SLACK_BOT_TOKEN is good for 12 hours and cannot be renewed: token rotation is on. Make an app whose "
    "manifest does without (`python -m ops slack-manifest`), or install by OAuth (ops/docs/slack.md)"
)


def scopes_missing(name: str, missing: Sequence[str]) -> str:
    return (
        f"in {name} these scopes are missing: {', '.join(missing)}. Put the manifest in order "
        "(`python -m ops slack-manifest`) and install the app again"
    )


def installation_count(count: int) -> str:
    return "installed in 1 place by OAuth" if count == 1 else f"installed in {count} places by OAuth"


def not_listed(name: str, place: str) -> str:
    return (
        f"{name or place} ({place}) is not on ADPOLICY_SLACK_WORKSPACES (any more), so it is not answered. Add it, or "
        f"run `python -m ops slack-workspaces remove {place}`"
    )


def renewal_refused(name: str, place: str, until: datetime, *, expired: bool) -> str:
    ends = "has expired" if expired else f"ends at {until:%Y-%m-%d %H:%M} UTC"
    return f"the token of {name or place} ({place}) {ends} and Slack does not renew it. Install the app there again"


SOCKET_WORKS = "events come over Socket Mode; no address is needed"


def socket_fails(error: str) -> str:
    return (
        f"Slack does not take ADPOLICY_SLACK_APP_TOKEN ({error}). Make an app-level token with the scope "
        "connections:write under Basic Information, and turn Socket Mode on"
    )


def address_works(address: str) -> str:
    return f"{address} leads to a chat listener"


def address_fails(address: str, reason: str) -> str:
    return (
        f"{address} does not lead to the chat listener ({reason}). Check ADPOLICY_CHAT_URL, the proxy and that the "
        "server runs (ops/docs/slack.md)"
    )


ADDRESS_UNKNOWN = "note  slack address: ADPOLICY_CHAT_URL is not set, so nobody looked whether Slack can reach the bot"
