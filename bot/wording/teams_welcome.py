"""Wording of the welcome in Teams, and for messages that hold no question."""

from collections.abc import Sequence

_MOST_NAMES = 3

WELCOME = "Ask what the advertising policies say"
STARTERS = "Questions to begin with"


_ANSWERS = (
    "Name the place, the platform and the day if they matter. "
    "The answer quotes the policies, says since when they hold, and links to each quote."
)


def welcome_alone() -> str:
    """In a chat of one person with the bot."""
    return f"Type a question, for example on alcohol ads in the UK. {_ANSWERS} If they do not say, it says so."


def welcome_here(name: str) -> str:
    """Where several people read. `name`: of the bot, as it is mentioned."""
    return (
        f"Mention me with a question, for example: @{name} can I advertise alcohol in the UK? {_ANSWERS} "
        "Everybody here can read it, so it comes from what all of you may see."
    )


WELCOME_MORE = (
    "You can also type: help, sources, changes, compare UK and Germany: alcohol, "
    "as of 1 March 2026: can I advertise alcohol."
)
COMMANDS_TO_TYPE = (
    "Besides questions you can type (in channels and group chats after mentioning me): "
    "sources; changes since 1 March 2026; compare UK and Germany: alcohol; "
    "as of 1 March 2026: can I advertise alcohol; "
    "private can I advertise alcohol (answered in your own chat with me); "
    "subscribe weekly UK (changes are then told where you type it); unsubscribe; "
    "settings (default places and platforms, follow-ups, whom to ask)."
)
"""Beside the answer to `help`."""

ONLY_TEXT_IS_READ = (
    "Files, pictures and cards are not read: I answer questions that are typed. Type your question, or paste the "
    "text that it is about."
)


def files_not_read(names: Sequence[str]) -> str:
    """Beside the answer to a question that came with files."""
    named = [each for each in names if each][:_MOST_NAMES]
    left = len(names) - len(named)
    more = f" and {left} more" if named and left else ""
    which = f" ({', '.join(named)}{more})" if named else ""
    return f"What is attached{which} was not read: the answer is to the text of your message alone."


ANSWERED_ALONE = "Your answer comes in your chat with me, where nobody else reads it."
NO_CHAT_ALONE = (
    "Your question was not taken: you asked for an answer that nobody else reads, and I have no chat with you. "
    "Add me as an app in Teams, and ask there."
)
