"""What a click on a card in Teams is told, and what stands in the dialogs around it."""


def note_title() -> str:
    return "Ad policies"


def click_unreadable() -> str:
    """For what was forged, belongs elsewhere, is too old, or is of an answer that is not there any more: all alike."""
    return "This button does not work for you any more. Ask the question again to get a new answer."


def not_taken() -> str:
    return "This could not be taken just now, because a service did not answer in time. Please try again in a minute."
