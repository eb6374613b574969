"""Wording that only Teams needs: clicks, dialogs, the message extension, answers, people."""

from collections.abc import Sequence
from datetime import date

from bot.wording import people as say
from bot.wording.names import day, listed, quoted

NOTE_TITLE = "Ad policies"
LATE = "A service did not answer in time. If nothing comes of it here within a minute, please try again."
"""Of a click that was not answered in time."""

ASKED = "Asked. The answer comes in this conversation in a moment."
SUBSCRIBED = "Done. What this conversation hears of from now on stands in a message here."


def working(question: str) -> str:
    """`question` is escaped already."""
    return f"Looking it up: {question} This message becomes the answer. If it does not within 2 minutes, ask again."


WORKING_SUMMARY = "Looking up the policies"
"""In a notification."""

SHARE_TO_LABEL = "Channel or group chat"
CHOOSE_A_PLACE = "Choose where to share it."


def shared_to(name: str) -> str:
    return f"Asked again in {name}. The answer comes there in a moment."


NO_PLACES_TO_SHARE = (
    "There is no channel or group chat yet in which both of us are. Add the app to one (in the channel: Apps, then "
    "the name of this app), mention it there once, then share again."
)
SOME_PLACES_UNKNOWN = "Some channels could not be looked up just now. If yours is missing, try again in a minute."


def place_without_name(kind: str, seen_on: date) -> str:
    """Of a channel whose name Teams has not told."""
    return f"{kind}, last used {day(seen_on)}"


A_CHANNEL = "Channel"
A_GROUP_CHAT = "Group chat"
NOT_IN_PLACE = "You or this app are not there any more, or it cannot be looked up just now. Choose another one."
ONLY_FROM_PERSONAL_CHAT = (
    "Only your own answers can be shared, from your chat with this app. Ask the question there, then share it."
)
FEEDBACK_UNKNOWN = "Your opinion could not be kept: that answer is not on file any more. Ask again to get a new one."


def search_help(starters: Sequence[str]) -> str:
    """Where nothing was typed to search for."""
    examples = f" Questions that have an answer: {listed([quoted(each) for each in starters])}." if starters else ""
    return (
        "Type what you want to find in the policies, with a place or a platform if you like: alcohol in Germany."
        f"{examples}"
    )


def nothing_found(query: str) -> str:
    return (
        f"No public policy was found for {quoted(query)}. Try other words, or ask in your chat with this app: there "
        "all that you may see is read."
    )


def place_unclear(said: str) -> str:
    return f"{quoted(said)} may be more than one place, or is none that is known. Write its whole name, or its code."


def query_unreadable(reason: str) -> str:
    """`reason`: what is wrong with it and what to do, as a sentence."""
    return f"This could not be searched for. {reason}"


SEARCH_DOWN = (
    "The policies cannot be searched just now, because a service does not answer. Please try again in a minute."
)
RESULT_GONE = "This passage is not public or not in force any more, so it was not inserted. Search again."
FOUND_BY_SEARCH = (
    "A passage found by search, quoted as it stands in the policy. It is no answer: other rules may apply as well."
)
"""Under every passage that is inserted."""

OPEN_POLICY = "Open the policy"


def where_it_holds(places: Sequence[str]) -> str:
    return f"Place: {listed(places) if places else 'not said'}"


def published_by(name: str) -> str:
    return f"Platform: {name}"


CHECK_TITLE = "Check against the policies"
CHECK_BEGUN = (
    "This message is being checked against the policies. The answer comes in your own chat with this app in a "
    "moment: nobody else sees it. You can close this window."
)


def files_not_read(names: Sequence[str]) -> str:
    return f"Not read, because only the text of a message is checked: {listed([quoted(each) for each in names])}."


PICTURES_NOT_READ = "Not read, because only the text of a message is checked: what is attached to it."
"""Where what is attached has no name."""


def only_beginning_read(characters: int) -> str:
    return f"Only the first {characters:,} characters are checked, because the message is longer."


NOTHING_TO_CHECK = "This message has no text that could be checked. Use it on a message with the text of an ad."
NO_PERSONAL_CHAT = (
    "The answer is for you alone, but this app cannot write to you yet. Add it for yourself (Apps, its name, Add), "
    "then check the message again."
)
NOT_OFFERED = "This is not offered here. Use the buttons of a newer answer, or ask your question in a message."
COMMAND_UNKNOWN = "This command is not known here any more. Reload Teams to get the present ones."
SHOW_QUOTE = "Show quote"
HIDE_QUOTE = "Hide quote"


def show_quote_of(number: int) -> str:
    """What a screen reader reads instead."""
    return f"Show or hide the quote of source {number}"


SUBSCRIBE = "Tell us of changes"
SUBSCRIBE_HINT = "Posts here when a policy that this answer is about changes"


def not_threaded(bot: str) -> str:
    return f"To ask on, add {bot} to this conversation and mention it."


SOURCES_IN_TEXT = "Sources:"
"""Before the numbers of the sources."""


def page(number: int, count: int) -> str:
    return f"Page {number} of {count}"


NEXT_PAGE = "Next page"
EARLIER_PAGE = "Previous page"


def too_long_for_teams(web_page: str) -> str:
    """`web_page`: its address, "" for none that everybody reaches."""
    said = "The rest of this answer does not fit into a Teams message."
    if not web_page:
        return f"{said} Ask for less at once: one place, or one platform."
    return f"{said} Ask the question on the web page, which shows all of it: {web_page}"


def answer_reference(answer_id: str) -> str:
    """For whoever looks it up in the record; by it the bot finds the message again as well. No other message says it
    like this."""
    return f"Reference of this answer: {answer_id}"


COMMAND = "@AdPolicy"
"""How commands begin: with a mention, which a personal chat needs no more."""


STOP_HINT = "This conversation is not told of these policy changes any more. You can subscribe again at any time."


def refusal(code: str) -> str:
    return _REFUSED.get(code) or say.refusal(code)


_REFUSED = {
    "escalation_nobody": (
        "Nobody is named for questions from here. Whoever may change the settings can name somebody: type "
        f"{COMMAND} settings."
    ),
    "escalation_group_private": "Nobody is named for questions from here who could be asked.",
    "curated_not_allowed": "Only the person who answered can save it.",
}


SOMEBODY = "somebody"
"""Where Teams does not say who."""

OPEN_STATE = (
    "Open. Answer with the button, or, in a channel, by a reply in this thread that mentions me: the first answer "
    "goes back to the asker, and so do further ones of the same person."
)


def claimed_state(who: str) -> str:
    return f"Claimed by {who}. What this person answers goes back to the asker."


NOT_FOR_YOU = "Guests and people of other organisations cannot ask people or answer for them. Nothing was sent."
NOT_FOR_GUESTS = (
    "Guests and people of other organisations cannot change what is told here. Nothing was changed. If you are "
    "neither, Teams did not say so in time: try again in a minute."
)
ANSWER = "Answer"
ANSWER_TITLE = "Answer this question"
ANSWER_LABEL = "Your answer, as the asker reads it"
ANSWER_EXPLAINED = "It goes back to the asker with your name, marked as a person's answer."
ANSWERED = "Sent to the asker, with your name."
ANSWER_EMPTY = "Write an answer first."


def not_the_author(who: str) -> str:
    return f"{who} has it already. Your answer was not sent." if who else "It is answered already. Nothing was sent."


NOT_KEPT = "Not kept: something did not answer. What you typed is still here; try again in a minute."
"""Beside a form, which keeps what was typed."""

SAVE_DRAFT = "Save as draft of an approved answer"
SAVED_DRAFT = (
    "Kept as a draft. Approved answers are shown wherever the bot answers, so it is shown once whoever runs the "
    "bot approves it."
)
NOT_TO_BE_SAVED = "Only the person who answered can save it."
SETTINGS_BUTTON = "Open the settings"
SETTINGS_OFFERED = (
    "The settings of this conversation: what a question means that names no place, follow-ups, who is asked."
)
SETTINGS_INTRO = (
    "These settings hold for everybody who asks in this conversation. They never change who may see which "
    "document: that is decided by whoever runs the bot."
)
READ_ONLY = (
    "You can look at these settings. Owners of the team can change them; where the bot cannot see who they are, "
    "whoever installed it here can."
)
NOT_ALLOWED = (
    "Not saved: only owners of the team can change its settings; where the bot cannot see who they are, whoever "
    "installed it here can."
)
PLACES_HINT = "Names or codes, separated by commas: United Kingdom, de, us-tx. Leave it empty for none."


def unknown_places(given: str) -> str:
    return f"Not known as a place: {given}. Write a country, a state of the US, Canada or Australia, EU, or its code."


def too_many_places(most: int) -> str:
    return f"At most {most} places."


PERSON_CHANNEL, PERSON = "Ask a person: link to a channel", "Ask a person: somebody here"


CHANNEL_HINT = (
    "Where “Ask a person” goes: open the menu of the channel, choose “Copy link”, and put it here. Everybody there "
    "sees the question, the answer and its sources."
)
NOBODY = "Nobody"
NO_LINK = "This is no link to a channel of this organisation. Open the menu of the channel and choose “Copy link”."
NOT_THERE = "The bot or you are not in this channel. Add the app to its team, then save again."
NOT_OUTSIDE = "People of other organisations can read that channel. Choose another one."
ONE_OF_BOTH = "Give a channel or choose a person, not both."
NOT_REACHED = "The bot cannot write to this person. The app has to be installed for them first."
NO_SUCH_PERSON = "This person is not a member here. Choose another one."
TOO_MANY_PEOPLE = "There are too many people here to be listed: give a channel."
