"""What people in a chat read where nothing was asked, or what they asked for could not be done: Markdown that every
platform shows alike."""


def not_set_up(name: str) -> str:
    return (
        f"`{name}` is not set up here yet, so nothing was changed. "
        "Questions are answered as always; ask whoever runs this app if you need it."
    )


def message_not_kept() -> str:
    return (
        "Your question could not be taken just now: the store that keeps questions does not answer. "
        "Please send it again in a minute."
    )


def failed_command(name: str) -> str:
    return (
        f"`{name}` did not work just now: a service did not answer. Nothing was changed; please try again in a minute."
    )
