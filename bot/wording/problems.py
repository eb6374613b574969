"""Wording of questions that cannot be answered and of failures: what happened and what to do next."""

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bot.model.outcomes import Admitted, Delay, Failure, FailureCode, Postponed, Rejection
from bot.wording.names import quoted
from bot.wording.refusals import EXAMPLE_QUESTION

Details = Mapping[str, object]

_MOST_KNOWN = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """`title` names the kind of problem, `detail` says what happened here and what to do next."""

    title: str
    detail: str


def rejection(outcome: Rejection) -> Problem:
    """A question or request that can never work as it is."""
    return problem(outcome.code, outcome.details)


def why_not(found: Admitted) -> str:
    """The kind sentence for who is refused; "" for who is not."""
    return problem(found.code, {}).detail if found.is_refused else ""


def failure(outcome: Failure) -> Problem:
    """The terminal message in place of a reply. Names the question's id for whoever looks it up."""
    title, detail = _FAILURES[outcome.code]
    return Problem(title, f"{detail} Reference: {outcome.question_id}")


def postponed(outcome: Postponed) -> Problem:
    """That a question is kept, and why there is no reply yet. Names its id for whoever looks it up."""
    title, detail = _DELAYS[outcome.delay]
    return Problem(title, f"{detail} {_KEPT} Reference: {outcome.question_id}")


def problem(code: str, details: Details) -> Problem:
    """The words for an error code of `Rejected` or of the REST API, with its facts. Unknown codes get a general one."""
    build = _PROBLEMS.get(code)
    if build is not None:
        return build(details)
    reason = code.replace("_", " ")
    return Problem("This cannot be answered", f"The request was not accepted: {reason}. Change it and try again.")


_FAILURES = {
    FailureCode.SEARCH_DOWN: (
        "The policies cannot be searched right now",
        "The search did not answer. Ask again in a few minutes; if it stays like this, tell your administrator.",
    ),
    FailureCode.RECORD_DOWN: (
        "Answers cannot be recorded right now",
        "No answer is given without a record of it. Ask again in a few minutes; if it stays like this, tell your "
        "administrator.",
    ),
    FailureCode.TOO_SLOW: (
        "The answer took too long",
        "The question was stopped before an answer was found. Ask again, or ask for one place or platform at a time.",
    ),
    FailureCode.STORED_TEXT_CHANGED: (
        "A stored policy text is not as it was read",
        "It may not say what the policy says, so nothing is answered from it. The error is in the operator's log. Ask "
        "again later; if it stays like this, tell your administrator.",
    ),
    FailureCode.INTERNAL: (
        "Something went wrong",
        "There is no answer because of an error on our side, not because of your question. Ask again; if it happens "
        "again, tell your administrator.",
    ),
}


_KEPT = "Your question is kept and will be answered here as soon as it is back: you need not ask again."

_DELAYS = {
    Delay.SEARCH_DOWN: ("The policies cannot be searched right now", "The search is down."),
    Delay.RECORD_DOWN: (
        "Answers cannot be recorded right now",
        "The record of answers is down, and no answer is given without one.",
    ),
    Delay.EARLIER_QUESTION: (
        "The policies cannot be searched right now",
        "An earlier question of this conversation waits for the search.",
    ),
}


def _question_empty(_: Details) -> Problem:
    return Problem("The question is empty", f"Write a question, for example: {quoted(EXAMPLE_QUESTION)}.")


def _question_too_long(details: Details) -> Problem:
    length, limit = details.get("length"), details.get("limit")
    measured = f"It has {length} characters" if length is not None else "It has too many characters"
    allowed = f"; at most {limit} can be read" if limit is not None else ""
    return Problem("The question is too long", f"{measured}{allowed}. Ask one thing at a time.")


def _unknown(what: str, title: str) -> Callable[[Details], Problem]:
    def build(details: Details) -> Problem:
        return Problem(title, f"{_named(details)} is no {what}.{_known(details)}")

    return build


def _named(details: Details) -> str:
    return quoted(_short(details.get("value", "")))


def _known(details: Details) -> str:
    known = details.get("known")
    if isinstance(known, str):
        return f" Known: {known}{'' if known.endswith('.') else '.'}"
    values = [str(each) for each in known] if isinstance(known, Iterable) else []
    if not values:
        return ""
    close = difflib.get_close_matches(str(details.get("value", "")).strip().lower(), values, n=1)
    meant = f" Did you mean {quoted(close[0])}?" if close else ""
    more = f" and {len(values) - _MOST_KNOWN} more" if len(values) > _MOST_KNOWN else ""
    return f"{meant} Known: {', '.join(values[:_MOST_KNOWN])}{more}."


def _short(value: object, limit: int = 60) -> str:
    text = str(value)
    return text if len(text) <= limit else text[:limit] + "…"


def _unknown_label(details: Details) -> Problem:
    key = details.get("key", details.get("name", details.get("label")))
    of = f" of the label {quoted(_short(key))}" if key is not None else ""
    return Problem("Unknown label", f"{_named(details)} is no known value{of}.{_known(details)}")


def _invalid_as_of(details: Details) -> Problem:
    return Problem("The day cannot be read", f"{_named(details)} is no day. Write it as year-month-day: 2026-03-01.")


def _unclear_day(details: Details) -> Problem:
    advice = "Write the day out, for example: as of 1 March 2026. Without a day, the rules of today are shown."
    return Problem("The day in the question is not clear", f"{_named(details)} names no day that can be told. {advice}")


def _invalid_value(details: Details) -> Problem:
    field = details.get("field", details.get("name"))
    where = f" for {quoted(_short(field))}" if field is not None else ""
    reason = details.get("reason")
    why = f": {_short(reason, 200)}" if reason is not None else ""
    return Problem("A value is not valid", f"{_named(details)} cannot be used{where}{why}.{_known(details)}")


def _unknown_field(details: Details) -> Problem:
    field = quoted(_short(details.get("field", details.get("value", details.get("name", "")))))
    return Problem("Unknown field", f"The request has a field {field} that is not known.{_known(details)}")


def _body_too_large(details: Details) -> Problem:
    limit = details.get("limit")
    allowed = f" At most {limit} bytes are read." if limit is not None else ""
    return Problem("The request is too large", f"The request's body is too large.{allowed} Send a shorter one.")


def _not_here(details: Details) -> Problem:
    return Problem(
        "Not answered in shared channels",
        "People outside this workspace can read this channel, or are invited to it, and questions are not answered in "
        "such channels here. Ask in a channel of your own workspace, or in a direct message. "
        "Whoever runs this bot can allow it.",
    )


def _not_to_guests(details: Details) -> Problem:
    return Problem(
        "Not answered for guests",
        "You are a guest in this workspace, or belong to another one, and only its own members are answered here. "
        "Ask one of them to look it up for you. Whoever runs this bot can allow it.",
    )


def _rate_limited(details: Details) -> Problem:
    seconds = details.get("seconds")
    wait = _seconds(seconds) if isinstance(seconds, int | float) else "a minute"
    return Problem(
        "Too many questions",
        f"Too many questions came from you, this channel or this workspace in a short time. Ask again in {wait}.",
    )


def _seconds(seconds: float) -> str:
    whole = max(1, math.ceil(seconds))
    if whole < 120:
        return "1 second" if whole == 1 else f"{whole} seconds"
    return f"{math.ceil(whole / 60)} minutes"


def _fixed(title: str, detail: str) -> Callable[[Details], Problem]:
    return lambda _: Problem(title, detail)


_PROBLEMS: dict[str, Callable[[Details], Problem]] = {
    "question_empty": _question_empty,
    "question_too_long": _question_too_long,
    "unknown_region": _unknown("known place", "Unknown place"),
    "unknown_content_type": _unknown("known content type", "Unknown content type"),
    "unknown_policy_source": _unknown("platform with policies on file", "Unknown platform"),
    "unknown_section": _unknown("section of the policies on file", "Unknown section"),
    "unknown_label": _unknown_label,
    "unknown_field": _unknown_field,
    "invalid_as_of": _invalid_as_of,
    "unclear_day": _unclear_day,
    "invalid_value": _invalid_value,
    "body_too_large": _body_too_large,
    "malformed_json": _fixed("The request is not JSON", "The body could not be read as JSON. Send a JSON object."),
    "not_an_object": _fixed("The request is not a JSON object", "Send an object in braces, with its fields in it."),
    "unsupported_media_type": _fixed("Unsupported media type", "Send the request as application/json."),
    "not_found": _fixed("Not found", "There is nothing at this address, or you may not see it."),
    "method_not_allowed": _fixed("Method not allowed", "This address does not take this kind of request."),
    "unauthorized": _fixed("Not signed in", "Send a valid token with the request."),
    "forbidden": _fixed("Not allowed", "You may not do this. Ask your administrator."),
    "rate_limited": _rate_limited,
    Admitted.NOT_HERE.code: _not_here,
    Admitted.NOT_TO_GUESTS.code: _not_to_guests,
}
