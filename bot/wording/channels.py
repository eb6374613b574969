"""Wording of channel settings."""

from collections.abc import Iterable

from bot.wording.names import listed

TITLE = "Channel settings"
SAVE, CLOSE, LOADING = "Save", "Close", "Loading the settings ..."
PLACES, PLATFORMS, SHOWN_TO, FOLLOW_UPS = "Default places", "Default platforms", "Who sees answers", "Follow-ups"
PERSON_CHANNEL, PERSON_GROUP, SUBSCRIPTIONS = "Ask a person: channel", "Ask a person: user group", "Subscriptions"
CHOOSE = "Choose"
TO_CHANNEL, TO_ASKER = "Everybody in the channel", "Only the asker, who may share them"
FOLLOW = "Answer questions in threads with the bot without a mention"
NOBODY, NONE, ANY = "nobody", "none", "any"
STATES, WIDER = "States of {}", "Wider than a country"


INTRO = (
    "These settings hold for everybody who asks in this channel. They never change who may see which document: "
    "that is decided by whoever runs the bot."
)
PLACES_HINT = "What a question means that names no place. The answer says that it was assumed. At most 5."
PLATFORMS_HINT = "What a question means that names no platform. The answer says that it was assumed."
SHOWN_TO_HINT = "Of answers to the slash command."
PERSON_HINT = (
    "Where “Ask a person” goes. Everybody there sees the question, the answer and its sources, and from which "
    "channel they come. Invite the bot there first. Choose a channel or a user group, or neither."
)
SUBSCRIPTIONS_HINT = "Tick those that are to end."
READ_ONLY = (
    "You can look at these settings. Admins and owners of the workspace, and who made the channel, can change them."
)


def dropped(values: Iterable[str]) -> str:
    return f"No longer known, and left out when you save: {listed(values)}."


PERSON_GONE = "Who was to be asked cannot be reached there any more. Choose again, or nobody is asked."
SAVED = "Saved. From now on questions here are answered so; other servers follow within half a minute."


def shown_to(only_asker: bool) -> str:
    return TO_ASKER if only_asker else TO_CHANNEL


def follow_ups(on: bool) -> str:
    return "answered without a mention" if on else "answered on mention only"


def subscription(what: str, rhythm: str) -> str:
    return f"{what or 'All changes'}, {rhythm.replace('_', ' ')}"


ONLY_CHANNELS = "Settings belong to a channel. Open them in a channel: type /adpolicy settings there."
UNKNOWN_CHANNEL = "The bot does not see this channel. Invite it, for example by mentioning it there, and try again."
NOT_ALLOWED = "Not saved: only admins and owners of the workspace, and who made the channel, can change its settings."
ONE_OF_BOTH = "Choose a channel or a user group, not both."
NOT_THERE = "The bot is not in this channel. Invite it there, then save again."
NOT_OUTSIDE = "People outside this workspace can read that channel. Choose another one."
CLOSED_CHANNEL = "This channel is archived. Choose another one."
NO_SUCH_GROUP = "This user group does not exist any more. Choose another one."
LATER = "Not saved: something did not answer. What you chose is still here; try again in a minute."
NOT_LOADED = "The settings could not be read just now. Close this and try again in a minute."
