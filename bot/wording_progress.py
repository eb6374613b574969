"""What a person sees while an answer is made."""


def reading() -> str:
    """After the bot's name, as Slack shows a status: "adpolicy is reading the policies ..." """
    return "is reading the policies ..."


def reading_steps() -> list[str]:
    """Shown in turn. Slack: ten at most."""
    return ["Reading the policies ...", "Checking every quote ..."]
