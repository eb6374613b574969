"""What a person reads where Teams does not take an answer as it is."""


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
