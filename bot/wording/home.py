"""Wording of the home tab."""

from datetime import datetime

from bot.wording.names import day


def starter_question(title: str, platform: str = "", place: str = "") -> str:
    """ "What are the rules on alcohol in India on Acme?": `title` as it stands, but for its first capital."""
    return f"What are the rules on {_topic(title, platform, place)}?"


def permission_question(title: str, platform: str = "") -> str:
    """ "Can we advertise alcohol on Acme?" """
    return f"Can we advertise {_topic(title, platform)}?"


def _topic(title: str, platform: str, place: str = "") -> str:
    topic = f"{title[0].lower()}{title[1:]}" if title[1:2].islower() else title
    return f"{topic}{f' in {place}' if place else ''}{f' on {platform}' if platform else ''}"


HEADLINE = "Ask what the advertising policies say"
STARTERS, RECENT, SUBSCRIPTIONS, SOURCES, SETTINGS = (
    "Questions to begin with",
    "Your last questions",
    "Channels that hear of changes",
    "Where the answers come from",
    "Settings of a channel",
)
NOT_TAKEN_TITLE = "Not taken"
ASK, ASK_AGAIN, CHOOSE_CHANNEL = "Ask", "Ask again", "Choose a channel"


INTRO = (
    "Type a question here under Messages, mention the bot in a channel, or use /adpolicy. "
    "Name the place, the platform and the day if they matter. Answers quote the policies and link to each quote."
)


def asked_on(at: datetime) -> str:
    return f"asked on {day(at.date())}"


NO_STARTERS = "There are no documents that you may see yet."
NOTHING_ASKED = "You have not asked anything yet. Answers come back to you in your direct messages with the bot."
NO_SUBSCRIPTIONS = "None of your channels does. Type /adpolicy subscribe in a channel."


def more_subscriptions(count: int) -> str:
    return f"And {count} more."


def source_line(name: str, read_at: datetime | None, *, failing: bool) -> str:
    last = f"last read on {day(read_at.date())} at {read_at:%H:%M} UTC" if read_at else "read by hand"
    return f"{name}: {last}{'; the last attempt failed, it is tried again' if failing else ''}"


NO_SOURCES = "No documents that everybody may see have been read yet."
SETTINGS_HINT = (
    "Default place and platform, who sees answers, whom to ask. Admins and who made the channel can change them."
)
NOT_READ = "This could not be read just now. Open this tab again in a minute."
NOT_TAKEN = (
    "Your question could not be taken just now: the store that keeps questions does not answer. "
    "Close this and click again in a minute."
)
