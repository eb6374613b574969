"""What a person reads in Slack before there is a reply."""


def slack_usage(command: str) -> str:
    return (
        "Ask what the advertising policies say, for example:\n"
        f"• `{command} can I advertise alcohol in the UK`\n"
        f"• `{command} can I advertise gambling in Germany as of March 2026`\n"
        "Name the place, the platform and the day if they matter. "
        "The answer quotes the policies and links to each quote; everybody in the channel sees it."
    )


def slack_not_accepted(command: str, question: str) -> str:
    """`question` is what was typed: it comes back, so that nobody has to type it twice."""
    return (
        "Your question could not be taken just now: the store that keeps questions does not answer. "
        f"Please try again in a minute:\n```{command} {_defused(question)}```"
    )


def _defused(text: str) -> str:
    """Nothing in it mentions, links or ends the block it stands in. Slack: text 40,000 characters."""
    shown = text[:1000].replace("`", "'")
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
