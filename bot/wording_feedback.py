"""What a person reads where he says what was wrong with an answer."""

from bot.feedback import FeedbackReason

_REASONS = {
    FeedbackReason.WRONG_VERDICT: "The verdict is wrong",
    FeedbackReason.WRONG_PLACE: "Rules of another place",
    FeedbackReason.WRONG_PLATFORM: "Rules of another platform",
    FeedbackReason.OUTDATED: "Outdated",
    FeedbackReason.QUOTE_DOES_NOT_SUPPORT: "A quote does not support it",
    FeedbackReason.RULE_MISSING: "A rule is missing",
    FeedbackReason.MISUNDERSTOOD: "My question was misunderstood",
    FeedbackReason.UNCLEAR: "Hard to understand",
    FeedbackReason.OTHER: "Something else",
}


def reasons() -> list[tuple[str, str]]:
    """(value, what it says) of each."""
    return [(each.value, _REASONS[each]) for each in FeedbackReason]
