"""Wording of commands, in a chat and in the terminal."""


def sources_asked(about: str = "") -> str:
    return f"Which documents do you have {about}?" if about else "Which documents do you have?"


def changes_asked(when: str = "") -> str:
    """`when`: "since 1 March 2026", "this week"."""
    return f"What changed {when}?" if when else "What changed?"


def comparison_asked(sides: str, topic: str) -> str:
    return f"Compare {sides}: {topic}"


def ad_copy_asked(copy: str) -> str:
    """Which rules touch the text of an ad; the quotation marks keep its words from being read as ours."""
    quotable = copy.replace("\u201c", '"').replace("\u201d", '"')
    return f"What do the policies say about this ad: \u201c{quotable}\u201d"


def written_out(year: int, month: int, day: int) -> str:
    """A day as no two people read it differently."""
    return f"{day} {_MONTHS[month - 1]} {year}"


HELP_ASKED = "help"
"""A word that is understood as asking for help."""


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def not_set_up(name: str) -> str:
    return (
        f"`{name}` is not set up here yet, so nothing was changed. "
        "Questions are answered as always; ask whoever runs this app if you need it."
    )


MESSAGE_NOT_KEPT = (
    "Your question could not be taken just now: the store that keeps questions does not answer. "
    "Please send it again in a minute."
)


def failed_command(name: str) -> str:
    return (
        f"`{name}` did not work just now: a service did not answer. Nothing was changed; please try again in a minute."
    )


def help_texts() -> dict[str, str]:
    """Help of `python -m bot`, by command and option."""
    return {
        "bot": "Answers advertising-policy questions from the policy documents it was given.",
        "serve": "Start the web page, the REST API and the chat platforms that are configured.",
        "ask": "Answer one question and exit.",
        "chat": "Answer questions from standard input, one a line; an empty line ends.",
        "question": "The question, for example: can I advertise alcohol in the UK",
        "format": "text (default), json (the REST shape), slack (Block Kit) or teams (Adaptive Card).",
        "region": "Place to answer for, whatever the question says: uk, de, us-tx ... May be given several times.",
        "source": "Policy source to answer from: its short name. May be given several times.",
        "content_type": "ad_text, image, video, landing_page or general. May be given several times.",
        "as_of": "Day to answer for, as YYYY-MM-DD. Default: today (UTC).",
    }


CHAT_WELCOME = "Ask about the policies, one question a line. An empty line ends."
CHAT_PROMPT = "> "
