"""What people read of the app in Teams before they ask anything, and operators of its package."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SENTENCES: dict[str, Callable[..., str]] = {
    "teams_package_without_app": lambda d: (
        "The package names the app. Set ADPOLICY_TEAMS_APP_ID to the application (client) id that the app registration "
        "in Microsoft Entra shows; ops/docs/teams.md begins with how to make one."
    ),
    "teams_website_insecure": lambda d: (
        f"{d['setting']} is {d['value'] or 'empty'}, but Teams takes no app without an https address of who runs it. "
        "Set ADPOLICY_PUBLIC_URL to the https address of the web pages, or give --website https://... (and --privacy, "
        "--terms where they stand elsewhere)."
    ),
    "teams_version_invalid": lambda d: (
        f"{d['value']} is no version that Teams takes. Give three numbers without leading zeros (1.0.1), higher than "
        "those of the package that is uploaded already."
    ),
    "teams_package_unwritten": lambda d: (
        f"{d['path']} cannot be written ({d['reason']}). Give --output FILE in a folder that exists and is yours."
    ),
}


@dataclass(frozen=True, slots=True)
class CommandText:
    """`title` stands in the box once it is chosen; `example` is what may be sent, with or after it."""

    title: str
    about: str
    example: str

    @property
    def description(self) -> str:
        return self.about if self.example == self.title else f"{self.about}: {self.example}"


@dataclass(frozen=True, slots=True)
class ExtensionText:
    """`field`: what is typed into it."""

    title: str
    description: str
    field: str = ""
    field_about: str = ""


NAME = "AdPolicy"
FULL_NAME = "AdPolicy: answers from advertising policies"
DEVELOPER = "AdPolicy"
IN_SHORT = "Asks advertising policies, and answers with quotes, links and dates."
IN_FULL = (
    "AdPolicy answers questions on advertising policies from the documents that your organisation gave it. Every "
    "sentence comes with a quote, a link and the day from which the rule holds; where the documents say nothing, "
    "it says so.\n\n"
    "Ask in a chat with the bot, or mention it in a channel or group chat: can I advertise alcohol in the UK? Go "
    "on asking in the thread: and in France? Name a place, a platform or a day, and only their rules count.\n\n"
    "Search the policies while you write a message, and check a message of somebody else against them. Channels "
    "can subscribe to changes and be told what a policy said before and says now.\n\n"
    "The bot reads the messages that are sent to it or mention it. Answers show only documents that everybody who "
    "can read them may see."
)


def commands() -> Sequence[CommandText]:
    """In the order in which Teams lists them, in every scope."""
    return (
        CommandText("help", "How to ask", "help"),
        CommandText("sources", "Which policy documents there are", "sources on alcohol"),
        CommandText("changes", "What changed in the policies", "changes since March 2026"),
        CommandText("compare", "Two platforms or places side by side", "compare Google and Meta: alcohol"),
        CommandText("as of", "By the rules of an earlier day", "as of March 2026: can I advertise alcohol in the UK?"),
        CommandText("subscribe", "Hear of policy changes here", "subscribe weekly to alcohol"),
        CommandText("unsubscribe", "Hear of changes no more", "unsubscribe"),
        CommandText("settings", "What is assumed here, and whom to ask", "settings"),
    )


def search_command() -> ExtensionText:
    return ExtensionText(
        "Search policies",
        "Find a rule and put it into your message, with its quote, link and date",
        "Question or topic",
        "For example: alcohol in the UK",
    )


def check_command() -> ExtensionText:
    return ExtensionText(
        "Check this against the policies",
        "What the policies say of this message, read by you alone before anybody else",
    )


def help_texts() -> dict[str, str]:
    """Help of `python -m ops teams-package`, by option."""
    return {
        "teams-package": "Write the package of the Teams app, to be uploaded in the Teams admin center.",
        "output": "File to write. Default: %(default)s.",
        "website": "https address of who runs the bot, shown in Teams. Default: ADPOLICY_PUBLIC_URL.",
        "privacy": "https address of the privacy notice. Default: the website.",
        "terms": "https address of the terms of use. Default: the website.",
        "version": "Version of the package: raise it whenever it is uploaded again. Default: %(default)s.",
        "read-all-thread-replies": (
            "Ask each team for ChannelMessage.Read.Group: replies in a thread reach the bot without a mention. With it "
            "Teams sends the bot all messages of the team's channels; what is not for it is neither kept nor answered. "
            "And an answer that may have been sent before a failure is looked for there, so that it is not sent twice."
        ),
        "read-group-chats": (
            "Ask each group chat for ChatMessage.Read.Chat: an answer that may have been sent before a failure is "
            "looked for there, so that it is not sent twice. With it Teams sends the bot all messages of the chat; "
            "what does not mention it is neither kept nor answered."
        ),
        "read-members": (
            "Ask each team and chat who is in it (ChannelMember.Read.Group, TeamSettings.Read.Group, "
            "ChatMember.Read.Chat), where no administrator consents for all of them. Private channels need that "
            "consent all the same."
        ),
    }


def package_written(path: Path, version: str, permissions: Sequence[str]) -> str:
    asks = f" It asks each team and chat for {', '.join(permissions)}." if permissions else ""
    return f"Wrote {path} (version {version}).{asks} Upload it in the Teams admin center under Manage apps."


def endpoint(address: str) -> str:
    return f"Messaging endpoint of the Azure Bot: {address}"


def endpoint_unknown(given: str) -> str:
    """`given`: an address that is none, or not https."""
    return (
        f"ADPOLICY_CHAT_URL is {given or 'not set'}: the bot has no https address yet. Set it to the https "
        "address of the chat listener; the messaging endpoint of the Azure Bot is that address with /api/messages."
    )
