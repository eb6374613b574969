"""What Teams says around people and channels otherwise than Slack: because it works otherwise there."""

from bot import wording_people as say

COMMAND = "@AdPolicy"
"""How commands begin: with a mention, which a personal chat needs no more."""


def stop_hint() -> str:
    return "This conversation is not told of these policy changes any more. You can subscribe again at any time."


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


def somebody() -> str:
    """Where Teams does not say who."""
    return "somebody"


def open_state() -> str:
    return (
        "Open. Answer with the button, or, in a channel, by a reply in this thread that mentions me: the first answer "
        "goes back to the asker, and so do further ones of the same person."
    )


def claimed_state(who: str) -> str:
    return f"Claimed by {who}. What this person answers goes back to the asker."


def not_for_you() -> str:
    return "Guests and people of other organisations cannot ask people or answer for them. Nothing was sent."


def not_for_guests() -> str:
    return (
        "Guests and people of other organisations cannot change what is told here. Nothing was changed. If you are "
        "neither, Teams did not say so in time: try again in a minute."
    )


def answer() -> str:
    return "Answer"


def answer_title() -> str:
    return "Answer this question"


def answer_label() -> str:
    return "Your answer, as the asker reads it"


def answer_explained() -> str:
    return "It goes back to the asker with your name, marked as a person's answer."


def answered() -> str:
    return "Sent to the asker, with your name."


def answer_empty() -> str:
    return "Write an answer first."


def not_the_author(who: str) -> str:
    return f"{who} has it already. Your answer was not sent." if who else "It is answered already. Nothing was sent."


def not_kept() -> str:
    """Beside a form, which keeps what was typed."""
    return "Not kept: something did not answer. What you typed is still here; try again in a minute."


def save_draft() -> str:
    return "Save as draft of an approved answer"


def saved_draft() -> str:
    return (
        "Kept as a draft. Approved answers are shown wherever the bot answers, so it is shown once whoever runs the "
        "bot approves it."
    )


def not_to_be_saved() -> str:
    return "Only the person who answered can save it."


def settings_button() -> str:
    return "Open the settings"


def settings_offered() -> str:
    return "The settings of this conversation: what a question means that names no place, follow-ups, who is asked."


def settings_intro() -> str:
    return (
        "These settings hold for everybody who asks in this conversation. They never change who may see which "
        "document: that is decided by whoever runs the bot."
    )


def read_only() -> str:
    return (
        "You can look at these settings. Owners of the team can change them; where the bot cannot see who they are, "
        "whoever installed it here can."
    )


def not_allowed() -> str:
    return (
        "Not saved: only owners of the team can change its settings; where the bot cannot see who they are, whoever "
        "installed it here can."
    )


def places_hint() -> str:
    return "Names or codes, separated by commas: United Kingdom, de, us-tx. Leave it empty for none."


def unknown_places(given: str) -> str:
    return f"Not known as a place: {given}. Write a country, a state of the US, Canada or Australia, EU, or its code."


def too_many_places(most: int) -> str:
    return f"At most {most} places."


PERSON_CHANNEL, PERSON = "Ask a person: link to a channel", "Ask a person: somebody here"


def channel_hint() -> str:
    return (
        "Where “Ask a person” goes: open the menu of the channel, choose “Copy link”, and put it here. Everybody there "
        "sees the question, the answer and its sources."
    )


def nobody() -> str:
    return "Nobody"


def no_link() -> str:
    return "This is no link to a channel of this organisation. Open the menu of the channel and choose “Copy link”."


def not_there() -> str:
    return "The bot or you are not in this channel. Add the app to its team, then save again."


def not_outside() -> str:
    return "People of other organisations can read that channel. Choose another one."


def one_of_both() -> str:
    return "Give a channel or choose a person, not both."


def not_reached() -> str:
    return "The bot cannot write to this person. The app has to be installed for them first."


def no_such_person() -> str:
    return "This person is not a member here. Choose another one."


def too_many_people() -> str:
    return "There are too many people here to be listed: give a channel."
