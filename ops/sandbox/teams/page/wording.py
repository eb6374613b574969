"""What the page of the pretended Teams says, and who starts it reads."""

from collections.abc import Mapping


def other_app() -> str:
    return "Another app"


def not_heard() -> str:
    return (
        "The bot was not told of this. It hears only where the app is added (the button above adds it), and outside "
        "its own chat only what mentions it."
    )


def nothing_yet() -> str:
    return (
        "Nothing here yet. Write a question, for example: can I advertise alcohol in the UK. To see how the bot "
        "greets, remove the app above, and add it again."
    )


def cannot(why: str) -> str:
    return f"That cannot be done here ({why}). Reload the page and try again."


def started(page_url: str, bot_url: str, settings: Mapping[str, str]) -> str:
    """The first line holds all that is needed where the bot is started beside it."""
    lines = [f"Teams sandbox: {page_url}", f"It sends activities to {bot_url}; start the bot there with"]
    lines += [f"  {name}={value}" for name, value in settings.items()]
    if "ADPOLICY_TEAMS_APP_SECRET" not in settings:
        lines.append("  ADPOLICY_TEAMS_APP_SECRET as given with --app-secret")
    return "\n".join([*lines, "Stop with Ctrl+C.", ""])
