"""What a person reads in the modals of shortcuts."""


def question_title() -> str:
    """Slack: title 24 characters."""
    return "Ask the policies"


def loading() -> str:
    return "Just a moment: the form is on its way."


def ask_button() -> str:
    return "Ask"


def cancel_button() -> str:
    return "Cancel"


def close_button() -> str:
    return "Close"


def question_label() -> str:
    return "Question"


def question_example() -> str:
    return "Can I advertise alcohol?"


def channel_label() -> str:
    return "Answer in"


def channel_hint() -> str:
    return "Left empty, the answer comes to you in a direct message. In a channel everybody there can read it."


def channel_example() -> str:
    return "A direct message to me"


def not_kept() -> str:
    return "Your question could not be taken just now: a service did not answer. Press Ask again in a minute."


def check_title() -> str:
    """Slack: title 24 characters."""
    return "Check this message"


def nothing_to_check() -> str:
    return "This message has no text that could be checked. Use the shortcut on a message with the text of an ad."


def check_not_kept() -> str:
    return "This message could not be taken just now: a service did not answer. Use the shortcut again in a minute."
