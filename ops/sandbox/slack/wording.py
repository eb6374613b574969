"""What the stand-in itself says: on its page, in the terminal, and where Slack would speak."""


def command_failed(command: str, error: str) -> str:
    return f'{command} failed with the error "{error}"'


def page_title() -> str:
    return "Slack sandbox"


def page_hint(bot_url: str) -> str:
    return f"A pretended Slack for trying the bot at {bot_url}. Nothing leaves this machine."


def only_you() -> str:
    return "Only visible to you"


def no_messages() -> str:
    return "Nothing here yet. Type a command below."


def unknown_channel(channel: str) -> str:
    return f"There is no channel {channel}. Open / to see the channels."


def refused_origin() -> str:
    return "This page takes only what is typed on it. Open it at its own address and try again."


def started(page_url: str, api_url: str, bot_url: str) -> str:
    return (
        f"Slack sandbox: {page_url}\n"
        f"It sends commands to {bot_url}; start the bot there with\n"
        f"  ADPOLICY_SLACK_API_URL={api_url}\n"
        "  ADPOLICY_SLACK_BOT_TOKEN and ADPOLICY_SLACK_SIGNING_SECRET as given here.\n"
        "Stop with Ctrl-C."
    )
