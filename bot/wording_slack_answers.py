"""What only Slack has to say around an answer: how it is invited, what it did not do in time."""


def not_threaded(bot: str) -> str:
    return f"To ask on in a thread, invite me first: type “/invite @{bot}” in this channel, then mention @{bot}."


def not_opened() -> str:
    return "Slack did not open the window in time. Please click again."


def bot_not_in_channel(bot: str) -> str:
    return f"The bot is not in this channel. Type “/invite @{bot}” there, then share again."


def channel_not_checked() -> str:
    return "Slack did not say who is in this channel. Please try again in a minute."
