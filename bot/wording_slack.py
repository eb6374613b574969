"""What a person reads in Slack before there is a reply."""

from bot.wording.problems import Details, problem


def slack_usage(command: str) -> str:
    return (
        "Ask what the advertising policies say, for example:\n"
        f"• `{command} can I advertise alcohol in the UK`\n"
        f"• `{command} can I advertise gambling in Germany as of March 2026`\n"
        "Name the place, the platform and the day if they matter. "
        "The answer quotes the policies and links to each quote; everybody in the channel sees it.\n"
        "More that you can type:\n"
        f"• `{command} private can I advertise alcohol` answers you alone, and you can share it\n"
        f"• `{command} as of 1 March 2026: can I advertise alcohol` answers by the rules of that day\n"
        f"• `{command} compare UK and Germany: alcohol` shows both side by side\n"
        f"• `{command} changes since 1 March 2026` lists what changed, `{command} sources` the documents\n"
        f"• `{command} subscribe daily UK` tells this channel of changes, `{command} unsubscribe` ends that\n"
        f"• `{command} settings` is for the admins of a channel\n"
        "You can also mention me in a channel, write to me directly, and ask on in the thread of an answer."
    )


def slack_problem(code: str, details: Details) -> str:
    """Why what was typed cannot be asked, and what would work."""
    found = problem(code, details)
    return f"*{_escaped(found.title)}*\n{_escaped(found.detail)}"


def slack_not_accepted(command: str, question: str) -> str:
    """`question` is what was typed: it comes back, so that nobody has to type it twice."""
    return (
        "Your question could not be taken just now: the store that keeps questions does not answer. "
        f"Please try again in a minute:\n```{command} {_defused(question)}```"
    )


def _defused(text: str) -> str:
    """Nothing in it mentions, links or ends the block it stands in. Slack: text 40,000 characters."""
    return _escaped(text[:1000].replace("`", "'"))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def slack_only_as_command(command: str) -> str:
    return f"That opens a form, which a message cannot. Type `{command}` in the channel."
