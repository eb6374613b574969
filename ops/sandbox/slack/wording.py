"""What the stand-in itself says: on its page, in the terminal, and where Slack would speak."""


def command_failed(command: str, error: str) -> str:
    return f'{command} failed with the error "{error}"'


def unknown_command(command: str) -> str:
    return f"{command} is not a valid command. Check how it is spelt, or whether the app is installed here."


def no_command_in_thread(command: str) -> str:
    return f"{command} is not supported in threads. Type it in the channel."


def bot_not_here(name: str) -> str:
    return f"@{name} is not in this channel and does not read it. Invite it first, then mention it again."


def form_failed() -> str:
    return "We had some trouble connecting. Try again?"


def please_fill_in() -> str:
    return "Please complete this required field."


def too_short(least: int) -> str:
    return f"Please write at least {least} characters."


def too_long(most: int) -> str:
    return f"Please write at most {most} characters."


def only_you() -> str:
    return "Only visible to you"


def no_messages() -> str:
    return "Nothing here yet. Write a message or a /command below."


def no_home() -> str:
    return "The app has not put anything here yet."


def unknown_channel(channel: str) -> str:
    return f"There is no channel {channel}. Open / to see the channels."


def oauth_refused(what: str) -> str:
    return f"Slack cannot offer this app for installing: {what}. Check the link and the app's settings."


def started(page_url: str, api_url: str, bot_url: str) -> str:
    return (
        f"Slack sandbox: {page_url}\n"
        f"It sends commands to {bot_url}; start the bot there with\n"
        f"  ADPOLICY_SLACK_API_URL={api_url}\n"
        "  ADPOLICY_SLACK_BOT_TOKEN as given with --bot-token (xoxb-sandbox, where it was not), and\n"
        "  ADPOLICY_SLACK_SIGNING_SECRET as given with --signing-secret.\n"
        "Stop with Ctrl+C.\n"
    )


def manifest_unreadable(path: str) -> str:
    return f"{path} cannot be read as a manifest of a Slack app. Name another one with --manifest."


def help_socket() -> str:
    return "let events come over Socket Mode"
