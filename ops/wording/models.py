"""What operators read about language models on the terminal."""

from collections.abc import Sequence

from bot.model_usage import UsageTotal
from rag_core.ports import ModelPiece


def help_texts() -> dict[str, str]:
    """Help of `python -m ops models`, by command and option."""
    return {
        "models": "The language model: what it is called for, and whether it answers.",
        "usage": "Add up the calls on record: how many, tokens, time, cost.",
        "check": "Ask the configured model for the least there is to ask; exit code 1 if it does not answer.",
        "days": "How many days back, today included. Default: 30.",
        "by": "What is added up together. Default: day.",
        "format": "How it is printed. Default: text.",
    }


def days_out_of_range(most: int) -> str:
    return f"give 1 to {most} days"


NO_MODEL = "none configured: answers are quotes (ADPOLICY_MODEL, see ops/docs/models.md)"


def model_works(name: str, piece: ModelPiece, seconds: float) -> str:
    """A model that answered the probe with `piece`."""
    usage = piece.usage
    tokens = f", {usage.prompt} tokens read, {usage.completion} written" if usage else ""
    return f"{name} answers in the form asked for: {seconds:.1f} s{tokens}"


def model_fails(why: str) -> str:
    return f"{why} Until then answers are quotes."


def model_unusable(why: str) -> str:
    return f"{why} Until then the bot does not start."


def no_usage(days: int) -> str:
    return f"No call of a language model is on record in the last {days} days."


def usage_head(by: str) -> str:
    return f"{by:24} {'calls':>8} {'read':>12} {'written':>12} {'seconds':>10} {'cost':>12}"


def usage_line(total: UsageTotal) -> str:
    """Tokens that nobody counted are marked, as is a cost that is not all of it."""
    tokens = "~" if total.estimated else ""
    read, written = f"{tokens}{total.prompt_tokens}", f"{tokens}{total.completion_tokens}"
    return f"{total.key:24} {total.calls:>8} {read:>12} {written:>12} {total.seconds:>10.1f} {_cost(total):>12}"


def usage_notes(totals: Sequence[UsageTotal]) -> list[str]:
    """What the marks mean, where there are any."""
    notes = []
    if estimated := sum(total.estimated for total in totals):
        notes.append(f"~ tokens of {estimated} calls are estimates: the model was stopped, failed, or does not say.")
    if unpriced := sum(total.unpriced for total in totals):
        notes.append(
            f"{unpriced} calls have no cost: ADPOLICY_MODEL_PRICE_READ and ADPOLICY_MODEL_PRICE_WRITTEN were not set."
        )
    return notes


ALL_TOGETHER = "all"


def _cost(total: UsageTotal) -> str:
    return "-" if total.cost is None else f"{'>' if total.unpriced else ''}{total.cost:.4f}"
