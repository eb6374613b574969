"""Wording that only Slack needs: before a reply, around answers, shortcuts, installation."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.wording.problems import Details, problem


def slack_usage(command: str) -> str:
    return (
        "Ask what the advertising policies say, for example:\n"
        f"• `{command} can I advertise alcohol in the UK`\n"
        f"• `{command} can I advertise gambling in Germany as of March 2026`\n"
        "Name the place, the platform and the day if they matter. "
        "The answer quotes the policies and links to each quote; everybody in the channel sees it.\n"
        "More that you can type:\n"
        f"• `{command} private can I advertise alcohol` answers you alone, and you can share it\n"
        f"• `{command} as of 1 March 2026: can I advertise alcohol` answers by the rules of that day\n"
        f"• `{command} compare UK and Germany: alcohol` shows both side by side\n"
        f"• `{command} changes since 1 March 2026` lists what changed, `{command} sources` the documents\n"
        f"• `{command} subscribe daily UK` tells this channel of changes, `{command} unsubscribe` ends that\n"
        f"• `{command} settings` is for the admins of a channel\n"
        "You can also mention me in a channel, write to me directly, and ask on in the thread of an answer."
    )


def slack_problem(code: str, details: Details) -> str:
    """Why what was typed cannot be asked, and what would work."""
    found = problem(code, details)
    return f"*{_escaped(found.title)}*\n{_escaped(found.detail)}"


def slack_not_accepted(command: str, question: str) -> str:
    """`question` is what was typed: it comes back, so that nobody has to type it twice."""
    return (
        "Your question could not be taken just now: the store that keeps questions does not answer. "
        f"Please try again in a minute:\n```{command} {_defused(question)}```"
    )


def _defused(text: str) -> str:
    """Nothing in it mentions, links or ends the block it stands in. Slack: text 40,000 characters."""
    return _escaped(text[:1000].replace("`", "'"))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def slack_only_as_command(command: str) -> str:
    return f"That opens a form, which a message cannot. Type `{command}` in the channel."


def not_threaded(bot: str) -> str:
    return f"To ask on in a thread, invite me first: type “/invite @{bot}” in this channel, then mention @{bot}."


NOT_OPENED = "Slack did not open the window in time. Please click again."


def bot_not_in_channel(bot: str) -> str:
    return f"The bot is not in this channel. Type “/invite @{bot}” there, then share again."


CHANNEL_NOT_CHECKED = "Slack did not say who is in this channel. Please try again in a minute."
QUESTION_TITLE = "Ask the policies"
"""Slack: title 24 characters."""

LOADING = "Just a moment: the form is on its way."
ASK_BUTTON = "Ask"
CANCEL_BUTTON = "Cancel"
CLOSE_BUTTON = "Close"
QUESTION_LABEL = "Question"
QUESTION_EXAMPLE = "Can I advertise alcohol?"
CHANNEL_LABEL = "Answer in"
CHANNEL_HINT = "Left empty, the answer comes to you in a direct message. In a channel everybody there can read it."
CHANNEL_EXAMPLE = "A direct message to me"
NOT_KEPT = "Your question could not be taken just now: a service did not answer. Press Ask again in a minute."
CHECK_TITLE = "Check this message"
"""Slack: title 24 characters."""

NOTHING_TO_CHECK = (
    "This message has no text that could be checked. Use the shortcut on a message with the text of an ad."
)
CHECK_NOT_KEPT = (
    "This message could not be taken just now: a service did not answer. Use the shortcut again in a minute."
)


@dataclass(frozen=True, slots=True)
class PageText:
    """A page: plain text, to be escaped where it is shown. `action`: what the link at its end says, "" for none."""

    title: str
    paragraphs: tuple[str, ...]
    action: str = ""


AGAIN = "Start again"


NOT_INSTALLED_HERE = (
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


ASKED_FOR = "What it asks for, and why"


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
