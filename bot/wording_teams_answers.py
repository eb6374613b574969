"""What only Teams has to say around an answer."""


def show_quote() -> str:
    return "Show quote"


def hide_quote() -> str:
    return "Hide quote"


def show_quote_of(number: int) -> str:
    """What a screen reader reads instead."""
    return f"Show or hide the quote of source {number}"


def subscribe() -> str:
    return "Tell us of changes"


def subscribe_hint() -> str:
    return "Posts here when a policy that this answer is about changes"


def not_threaded(bot: str) -> str:
    return f"To ask on, add {bot} to this conversation and mention it."


def sources_in_text() -> str:
    """Before the numbers of the sources."""
    return "Sources:"


def page(number: int, count: int) -> str:
    return f"Page {number} of {count}"


def next_page() -> str:
    return "Next page"


def earlier_page() -> str:
    return "Previous page"
