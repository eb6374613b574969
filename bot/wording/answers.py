"""Wording around answers on every platform: buttons, dialogs, the scope form, progress."""

from collections.abc import Sequence
from datetime import date

from bot.answers.feedback import FeedbackReason
from bot.wording.names import day, listed, quoted

USEFUL = "Useful"
NOT_USEFUL = "Not useful"
USEFUL_LABEL = "This answer is useful"
"""What a screen reader reads instead."""

NOT_USEFUL_LABEL = "This answer is not useful: say why"
SHOW_SOURCES = "Show sources"
SHOW_MORE = "More"
CHANGE_SCOPE = "Change scope"
SHARE = "Share to channel"
ASK_PERSON = "Ask a person"
MORE_CHOICES = "More choices"
"""In the menu with the choices for which there is no button."""


def choice_asks(question: str) -> str:
    """What a screen reader reads of the button of a choice."""
    return f"Ask: {question}"


def left_out_of_message(statements: int, sources: int) -> str:
    counts = [(statements, "statement"), (sources, "source")]
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count]
    return f"Left out for length: {listed(parts)}. {quoted(SHOW_MORE)} shows the whole answer."


def versions(cited: Sequence[tuple[str, date]]) -> str:
    """Title and first day of each version that an answer is taken from."""
    named = listed((f"{quoted(title)} of {day(since)}" for title, since in cited), limit=4)
    return f"Version{'' if len(cited) == 1 else 's'}: {named}"


ONLY_FOR_YOU = "Only you can see this answer. It is made of what you may see; in the channel it may say less."
SHARED = "Shared from a private answer: asked again for everybody who can read it here."


def shared_left_out(count: int) -> str:
    sources = "1 source" if count == 1 else f"{count} sources"
    return f"Left out here: {sources} that the private answer quotes and this one does not."


FEEDBACK_TITLE = "What was wrong?"
REASONS_LABEL = "Reasons"
COMMENT_LABEL = "Comment"
COMMENT_HINT = "Kept with the answer and read by those who look after the policies. Please name no people."
SEND = "Send"
CLOSE = "Close"
THANKS = "Thank you, this is noted. You can change your mind at any time: your last word counts."
FEEDBACK_NOT_KEPT = "This could not be kept just now, because the store does not answer. Please try again in a minute."
SOURCES_TITLE = "Sources"
MORE_TITLE = "The whole answer"
LOADING = "Reading the documents …"
IN_THE_DOCUMENT = "In the document:"
SUPERSEDED_SINCE = "Superseded since this was answered. Ask again for what holds now."


def sources_gone(count: int) -> str:
    what = "1 source of this answer is" if count == 1 else f"{count} sources of this answer are"
    return f"{what} not on file any more, so it cannot be shown here. Ask again for what holds now."


NO_SOURCES = (
    "There is nothing to show here: this answer quotes nothing that you can read now. Ask again to see the rules."
)
TOO_MUCH = "There is more than fits here. Ask a narrower question to see the rest."
PARTLY_SHOWN = "Shown are the statements whose sources you can read now."
SCOPE_TITLE = "Change scope"
ASK_AGAIN = "Ask again"
SHARE_TITLE = "Share to channel"
SHARE_SUBMIT = "Share"
SHARE_LABEL = "Channel"
SHARE_EXPLAINED = (
    "The question is asked again for everybody who reads there, so the answer there may say less than yours. "
    "Your own answer stays as it is."
)
NOT_YOUR_CHANNEL = "You are not in this channel, or it cannot be looked up just now. Choose one that you are in."
CHANNEL_READ_ELSEWHERE = "Another company reads this channel, so nothing private is shared to it. Choose another one."
ALREADY_ASKED = "This was asked already. Its answer is here, or on its way."
NOT_TAKEN = (
    "This could not be taken just now, because the store that keeps questions does not answer. Please try again."
)
ANSWER_UNREADABLE = "This button does not work for you any more. Ask the question again to get a new answer."
"""For an answer that is not there, not theirs, or whose button was forged: all alike."""

CHOOSE_A_REASON = "Choose a reason or write a comment, so that it can be mended."
NOT_READABLE_NOW = "This cannot be read just now, because the store does not answer. Please try again in a minute."
ALREADY_SHARED = "This was shared to the channel already. The answer is there, or on its way."
PLATFORM_LABEL = "Platform"
ANY_PLATFORM = "Any platform"
PLACE_LABEL = "Place"
PLACE_EXAMPLE = "Germany, France"
PLACE_HINT = "Countries, states or EU, with commas between them. Left empty, the words of the question decide."


def place_unknown(said: str) -> str:
    return f"“{said}” is not known as a place. Write a country or a state, such as Germany, UK or US-TX."


MATERIAL_LABEL = "Material"
ANY_MATERIAL = "Any material"
MATERIAL_UNKNOWN = "This kind of material is not known. Choose one of the list."
DAY_LABEL = "Day"
TODAY = "Today"
DAY_HINT = "The rules as they were in force on that day. Left empty: today."
DAY_UNKNOWN = "This is not a day. Choose one from the calendar, or leave it empty."
PLATFORM_UNKNOWN = "This platform is not known here any more. Choose one of the list, or leave it empty."


_REASONS = {
    FeedbackReason.WRONG_VERDICT: "The verdict is wrong",
    FeedbackReason.WRONG_PLACE: "Rules of another place",
    FeedbackReason.WRONG_PLATFORM: "Rules of another platform",
    FeedbackReason.OUTDATED: "Outdated",
    FeedbackReason.QUOTE_DOES_NOT_SUPPORT: "A quote does not support it",
    FeedbackReason.RULE_MISSING: "A rule is missing",
    FeedbackReason.MISUNDERSTOOD: "My question was misunderstood",
    FeedbackReason.UNCLEAR: "Hard to understand",
    FeedbackReason.OTHER: "Something else",
}


def reasons() -> list[tuple[str, str]]:
    """(value, what it says) of each."""
    return [(each.value, _REASONS[each]) for each in FeedbackReason]


READING = "is reading the policies ..."
"""After the bot's name, as Slack shows a status: "adpolicy is reading the policies ..." """


def reading_steps() -> list[str]:
    """Shown in turn. Slack: ten at most."""
    return ["Reading the policies ...", "Checking every quote ..."]
