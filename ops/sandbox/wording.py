"""What the stand-ins say: on their pages, in the terminal, and where the platform itself would speak. `title`: of the
platform."""

from collections.abc import Mapping

REFUSED_ORIGIN = "This page takes only what is typed on it. Open it at its own address and try again."
NO_LONGER_THERE = "This is no longer there. Go back to the conversation and try again."

HELP_PORT = "where this sandbox listens, on loopback"
HELP_ENDS_WITH_INPUT = "end when standard input does, as beside a bot that was stopped"
HELP_SOCKET = "let events come over Socket Mode"

FORM_FAILED = "We had some trouble connecting. Try again?"
PLEASE_FILL_IN = "Please complete this required field."
ONLY_YOU = "Only visible to you"
NO_MESSAGES = "Nothing here yet. Write a message or a /command below."
NO_HOME = "The app has not put anything here yet."

OTHER_APP = "Another app"
NOT_HEARD = (
    "The bot was not told of this. It hears only where the app is added (the button above adds it), and outside "
    "its own chat only what mentions it."
)
NOTHING_YET = (
    "Nothing here yet. Write a question, for example: can I advertise alcohol in the UK. To see how the bot "
    "greets, remove the app above, and add it again."
)


def page_title(title: str) -> str:
    return f"{title} sandbox"


def page_hint(title: str, bot: str) -> str:
    return f"A pretended {title} for trying the bot at {bot}. Nothing leaves this machine."


def action_failed(error: str) -> str:
    return (
        f"The app did not take this ({error}). If it is still starting, wait until it says that it is running; else "
        "its log says more. Then try again."
    )


def help_sandbox(title: str) -> str:
    return f"start a pretended {title} beside the bot, with a page on which to type, click and read"


def help_sandbox_port(title: str) -> str:
    return f"where the pretended {title} listens, on loopback"


def no_port(text: str) -> str:
    return f"{text} is no port. Give a number from 1 to 65535."


def cannot_listen(port: int, why: str) -> str:
    return f"127.0.0.1:{port} cannot be listened on ({why}). Stop what listens there, or choose another port.\n"


def is_set_up(title: str, flag: str) -> str:
    return (
        f"{title} is set up already (ADPOLICY_{title.upper()}_... in the environment or in .env), and the sandbox "
        f"takes settings of its own. Unset them, or start without {flag}."
    )


def did_not_start(title: str, port: int) -> str:
    return (
        f"The {title} sandbox did not start on port {port}; the lines above say why. Another port is chosen with "
        "--sandbox-port."
    )


def command_failed(command: str, error: str) -> str:
    return f'{command} failed with the error "{error}"'


def unknown_command(command: str) -> str:
    return f"{command} is not a valid command. Check how it is spelt, or whether the app is installed here."


def no_command_in_thread(command: str) -> str:
    return f"{command} is not supported in threads. Type it in the channel."


def bot_not_here(name: str) -> str:
    return f"@{name} is not in this channel and does not read it. Invite it first, then mention it again."


def too_short(least: int) -> str:
    return f"Please write at least {least} characters."


def too_long(most: int) -> str:
    return f"Please write at most {most} characters."


def unknown_channel(channel: str) -> str:
    return f"There is no channel {channel}. Open / to see the channels."


def oauth_refused(what: str) -> str:
    return f"Slack cannot offer this app for installing: {what}. Check the link and the app's settings."


def manifest_unreadable(path: str) -> str:
    return f"{path} cannot be read as a manifest of a Slack app. Name another one with --manifest."


def slack_started(page_url: str, api_url: str, bot_url: str) -> str:
    return (
        f"Slack sandbox: {page_url}\n"
        f"It sends commands to {bot_url}; start the bot there with\n"
        f"  ADPOLICY_SLACK_API_URL={api_url}\n"
        "  ADPOLICY_SLACK_BOT_TOKEN as given with --bot-token (xoxb-sandbox, where it was not), and\n"
        "  ADPOLICY_SLACK_SIGNING_SECRET as given with --signing-secret.\n"
        "Stop with Ctrl+C.\n"
    )


def cannot(why: str) -> str:
    return f"That cannot be done here ({why}). Reload the page and try again."


def teams_started(page_url: str, bot_url: str, settings: Mapping[str, str]) -> str:
    """The first line holds all that is needed where the bot is started beside it."""
    lines = [f"Teams sandbox: {page_url}", f"It sends activities to {bot_url}; start the bot there with"]
    lines += [f"  {name}={value}" for name, value in settings.items()]
    if "ADPOLICY_TEAMS_APP_SECRET" not in settings:
        lines.append("  ADPOLICY_TEAMS_APP_SECRET as given with --app-secret")
    return "\n".join([*lines, "Stop with Ctrl+C.", ""])
