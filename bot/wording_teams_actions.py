"""What a click, a dialog and the message extension say in Teams, beside what every platform says of answers."""

from collections.abc import Sequence
from datetime import date

from bot.wording.names import day, listed, quoted


def note_title() -> str:
    return "Ad policies"


def late() -> str:
    """Of a click that was not answered in time."""
    return "A service did not answer in time. If nothing comes of it here within a minute, please try again."


def asked() -> str:
    return "Asked. The answer comes in this conversation in a moment."


def subscribed() -> str:
    return "Done. What this conversation hears of from now on stands in a message here."


def working(question: str) -> str:
    """`question` is escaped already."""
    return f"Looking it up: {question} This message becomes the answer. If it does not within 2 minutes, ask again."


def working_summary() -> str:
    """In a notification."""
    return "Looking up the policies"


def share_to_label() -> str:
    return "Channel or group chat"


def choose_a_place() -> str:
    return "Choose where to share it."


def shared_to(name: str) -> str:
    return f"Asked again in {name}. The answer comes there in a moment."


def no_places_to_share() -> str:
    return (
        "There is no channel or group chat yet in which both of us are. Add the app to one (in the channel: Apps, then "
        "the name of this app), mention it there once, then share again."
    )


def some_places_unknown() -> str:
    return "Some channels could not be looked up just now. If yours is missing, try again in a minute."


def place_without_name(kind: str, seen_on: date) -> str:
    """Of a channel whose name Teams has not told."""
    return f"{kind}, last used {day(seen_on)}"


def a_channel() -> str:
    return "Channel"


def a_group_chat() -> str:
    return "Group chat"


def not_in_place() -> str:
    return "You or this app are not there any more, or it cannot be looked up just now. Choose another one."


def only_from_personal_chat() -> str:
    return "Only your own answers can be shared, from your chat with this app. Ask the question there, then share it."


def feedback_unknown() -> str:
    return "Your opinion could not be kept: that answer is not on file any more. Ask again to get a new one."


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


def search_down() -> str:
    return "The policies cannot be searched just now, because a service does not answer. Please try again in a minute."


def result_gone() -> str:
    return "This passage is not public or not in force any more, so it was not inserted. Search again."


def found_by_search() -> str:
    """Under every passage that is inserted."""
    return (
        "A passage found by search, quoted as it stands in the policy. It is no answer: other rules may apply as well."
    )


def open_policy() -> str:
    return "Open the policy"


def where_it_holds(places: Sequence[str]) -> str:
    return f"Place: {listed(places) if places else 'not said'}"


def published_by(name: str) -> str:
    return f"Platform: {name}"


def check_title() -> str:
    return "Check against the policies"


def check_begun() -> str:
    return (
        "This message is being checked against the policies. The answer comes in your own chat with this app in a "
        "moment: nobody else sees it. You can close this window."
    )


def files_not_read(names: Sequence[str]) -> str:
    return f"Not read, because only the text of a message is checked: {listed([quoted(each) for each in names])}."


def pictures_not_read() -> str:
    """Where what is attached has no name."""
    return "Not read, because only the text of a message is checked: what is attached to it."


def only_beginning_read(characters: int) -> str:
    return f"Only the first {characters:,} characters are checked, because the message is longer."


def nothing_to_check() -> str:
    return "This message has no text that could be checked. Use it on a message with the text of an ad."


def no_personal_chat() -> str:
    return (
        "The answer is for you alone, but this app cannot write to you yet. Add it for yourself (Apps, its name, Add), "
        "then check the message again."
    )


def not_offered() -> str:
    return "This is not offered here. Use the buttons of a newer answer, or ask your question in a message."


def command_unknown() -> str:
    return "This command is not known here any more. Reload Teams to get the present ones."
