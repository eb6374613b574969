"""What the page of the pretended Teams says, and who starts it reads."""

from collections.abc import Mapping


def other_app() -> str:
    return "Another app"


def not_heard() -> str:
    return (
        "The bot was not told of this: outside its own chat it hears only what mentions it, and only where the app is "
        "added. Mention it, or add the app above."
    )


def cannot(why: str) -> str:
    return f"That cannot be done here ({why}). Reload the page and try again."


def started(page_url: str, bot_url: str, settings: Mapping[str, str]) -> str:
    """The first line holds all that is needed where the bot is started beside it."""
    lines = [f"Teams sandbox: {page_url}", f"It sends activities to {bot_url}; start the bot there with"]
    lines += [f"  {name}={value}" for name, value in settings.items()]
    return "\n".join([*lines, "  ADPOLICY_TEAMS_APP_SECRET as given here.", "Stop with Ctrl-C.", ""])
