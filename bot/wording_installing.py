"""What people read when they install the app in a chat platform, or use it where it is not installed."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageText:
    """A page: plain text, to be escaped where it is shown. `action`: what the link at its end says, "" for none."""

    title: str
    paragraphs: tuple[str, ...]
    action: str = ""


AGAIN = "Start again"


def not_installed_here() -> str:
    return (
        "adpolicy is not installed in this workspace, or was not allowed for it. Ask whoever looks after Slack apps "
        "here to install it, and whoever runs adpolicy to allow this workspace."
    )


def offer() -> PageText:
    return PageText(
        "Install adpolicy in Slack",
        (
            "adpolicy answers questions about advertising policies, with quotes, links and dates. After you choose the "
            "workspace, Slack asks you to agree to what is listed here.",
            "Only workspaces that the operator of this server has allowed can install it.",
        ),
        "Add to Slack",
    )


def asked_for() -> str:
    return "What it asks for, and why"


def scope_reasons() -> Mapping[str, str]:
    """Scope of Slack -> why it is asked for."""
    reads = "to know who reads a channel, so that nobody sees what is not for them"
    answers = "to answer follow-up questions in threads with the bot; other messages are not kept"
    return {
        "app_mentions:read": "to answer when somebody mentions it",
        "channels:history": f"messages of public channels it is in: {answers}",
        "channels:read": f"public channels: {reads}",
        "chat:write": "to answer",
        "commands": "the command /adpolicy, and its shortcuts",
        "groups:history": f"messages of private channels it is in: {answers}",
        "groups:read": f"private channels it is in: {reads}",
        "im:history": "to answer in direct messages with it",
        "im:read": f"direct messages with it: {reads}",
        "im:write": "to write to somebody directly, when a person has answered their question",
        "mpim:history": f"messages of group conversations it is in: {answers}",
        "mpim:read": f"group conversations it is in: {reads}",
        "usergroups:read": "to know who belongs to the user groups that restricted documents are for",
        "users:read": "to tell members from guests and bots",
    }


def installed(name: str) -> PageText:
    return PageText(
        f"adpolicy is installed in {name or 'your workspace'}",
        (
            "Type /adpolicy help in any channel, or write to adpolicy directly. To have it answer in a thread, invite "
            "it to the channel: /invite @adpolicy.",
            "You can close this page.",
        ),
    )


def declined() -> PageText:
    return PageText(
        "Nothing was installed",
        ("You did not agree on Slack's page, or Slack does not let you install apps. Nothing was changed.",
         "If an admin has to approve apps in your workspace, ask them, then start again."),
        AGAIN,
    )  # fmt: skip


def not_begun_here() -> PageText:
    return PageText(
        "This link does not work any more",
        ("An installation has to be finished within ten minutes, once, in the browser in which it was begun, and with "
         "cookies allowed. Nothing was installed.",),
        AGAIN,
    )  # fmt: skip


def not_allowed(place: str, *, revoked: bool) -> PageText:
    ended = (
        "What Slack gave us was given back at once, and nothing was kept."
        if revoked
        else "Nothing was kept; please remove the app adpolicy in the settings of your workspace, too."
    )
    return PageText(
        "This workspace is not allowed",
        (
            f"The operator of this server has not allowed {place} to install adpolicy. {ended}",
            f"Ask the operator to allow {place}, then start again.",
        ),
        AGAIN,
    )


def slack_said_no(error: str) -> PageText:
    return PageText(
        "Slack did not complete the installation",
        (f"Slack's reason is: {error or 'none given'}. Nothing was installed.",
         "Start again. If it happens again, tell the operator of this server the reason."),
        AGAIN,
    )  # fmt: skip


def not_now() -> PageText:
    return PageText(
        "The installation was not completed",
        ("Slack or our own store does not answer just now. Nothing was installed.", "Start again in a few minutes."),
        AGAIN,
    )


def too_many() -> PageText:
    return PageText(
        "Too many installations were begun just now",
        ("Nothing was installed. Please come back in ten minutes.",),
        AGAIN,
    )
