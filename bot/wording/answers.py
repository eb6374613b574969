"""Wording around answers on every platform: buttons, dialogs, the scope form, progress."""

from collections.abc import Sequence
from datetime import date

from bot.answers.feedback import FeedbackReason
from bot.wording.names import day, listed, quoted


def useful() -> str:
    return "Useful"


def not_useful() -> str:
    return "Not useful"


def useful_label() -> str:
    """What a screen reader reads instead."""
    return "This answer is useful"


def not_useful_label() -> str:
    return "This answer is not useful: say why"


def show_sources() -> str:
    return "Show sources"


def show_more() -> str:
    return "More"


def change_scope() -> str:
    return "Change scope"


def share() -> str:
    return "Share to channel"


def ask_person() -> str:
    return "Ask a person"


def more_choices() -> str:
    """In the menu with the choices for which there is no button."""
    return "More choices"


def choice_asks(question: str) -> str:
    """What a screen reader reads of the button of a choice."""
    return f"Ask: {question}"


def left_out_of_message(statements: int, sources: int) -> str:
    counts = [(statements, "statement"), (sources, "source")]
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count]
    return f"Left out for length: {listed(parts)}. {quoted(show_more())} shows the whole answer."


def versions(cited: Sequence[tuple[str, date]]) -> str:
    """Title and first day of each version that an answer is taken from."""
    named = listed((f"{quoted(title)} of {day(since)}" for title, since in cited), limit=4)
    return f"Version{'' if len(cited) == 1 else 's'}: {named}"


def only_for_you() -> str:
    return "Only you can see this answer. It is made of what you may see; in the channel it may say less."


def shared() -> str:
    return "Shared from a private answer: asked again for everybody who can read it here."


def shared_left_out(count: int) -> str:
    sources = "1 source" if count == 1 else f"{count} sources"
    return f"Left out here: {sources} that the private answer quotes and this one does not."


def feedback_title() -> str:
    return "What was wrong?"


def reasons_label() -> str:
    return "Reasons"


def comment_label() -> str:
    return "Comment"


def comment_hint() -> str:
    return "Kept with the answer and read by those who look after the policies. Please name no people."


def send() -> str:
    return "Send"


def close() -> str:
    return "Close"


def thanks() -> str:
    return "Thank you, this is noted. You can change your mind at any time: your last word counts."


def feedback_not_kept() -> str:
    return "This could not be kept just now, because the store does not answer. Please try again in a minute."


def sources_title() -> str:
    return "Sources"


def more_title() -> str:
    return "The whole answer"


def loading() -> str:
    return "Reading the documents …"


def in_the_document() -> str:
    return "In the document:"


def superseded_since() -> str:
    return "Superseded since this was answered. Ask again for what holds now."


def sources_gone(count: int) -> str:
    what = "1 source of this answer is" if count == 1 else f"{count} sources of this answer are"
    return f"{what} not on file any more, so it cannot be shown here. Ask again for what holds now."


def no_sources() -> str:
    return (
        "There is nothing to show here: this answer quotes nothing that you can read now. Ask again to see the rules."
    )


def too_much() -> str:
    return "There is more than fits here. Ask a narrower question to see the rest."


def partly_shown() -> str:
    return "Shown are the statements whose sources you can read now."


def scope_title() -> str:
    return "Change scope"


def ask_again() -> str:
    return "Ask again"


def share_title() -> str:
    return "Share to channel"


def share_submit() -> str:
    return "Share"


def share_label() -> str:
    return "Channel"


def share_explained() -> str:
    return (
        "The question is asked again for everybody who reads there, so the answer there may say less than yours. "
        "Your own answer stays as it is."
    )


def not_your_channel() -> str:
    return "You are not in this channel, or it cannot be looked up just now. Choose one that you are in."


def channel_read_elsewhere() -> str:
    return "Another company reads this channel, so nothing private is shared to it. Choose another one."


def already_asked() -> str:
    return "This was asked already. Its answer is here, or on its way."


def not_taken() -> str:
    return "This could not be taken just now, because the store that keeps questions does not answer. Please try again."


def answer_unreadable() -> str:
    """For an answer that is not there, not theirs, or whose button was forged: all alike."""
    return "This button does not work for you any more. Ask the question again to get a new answer."


def choose_a_reason() -> str:
    return "Choose a reason or write a comment, so that it can be mended."


def not_readable_now() -> str:
    return "This cannot be read just now, because the store does not answer. Please try again in a minute."


def already_shared() -> str:
    return "This was shared to the channel already. The answer is there, or on its way."


def platform_label() -> str:
    return "Platform"


def any_platform() -> str:
    return "Any platform"


def place_label() -> str:
    return "Place"


def place_example() -> str:
    return "Germany, France"


def place_hint() -> str:
    return "Countries, states or EU, with commas between them. Left empty, the words of the question decide."


def place_unknown(said: str) -> str:
    return f"“{said}” is not known as a place. Write a country or a state, such as Germany, UK or US-TX."


def material_label() -> str:
    return "Material"


def any_material() -> str:
    return "Any material"


def material_unknown() -> str:
    return "This kind of material is not known. Choose one of the list."


def day_label() -> str:
    return "Day"


def today() -> str:
    return "Today"


def day_hint() -> str:
    return "The rules as they were in force on that day. Left empty: today."


def day_unknown() -> str:
    return "This is not a day. Choose one from the calendar, or leave it empty."


def platform_unknown() -> str:
    return "This platform is not known here any more. Choose one of the list, or leave it empty."


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


def reading() -> str:
    """After the bot's name, as Slack shows a status: "adpolicy is reading the policies ..." """
    return "is reading the policies ..."


def reading_steps() -> list[str]:
    """Shown in turn. Slack: ten at most."""
    return ["Reading the policies ...", "Checking every quote ..."]
