"""Wording of refusals and clarifications: what was looked for, and what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.wording.names import day, in_places, listed, quoted, region_name, source_name
from rag_core.answers import Choice, Clarification, ClarificationReason, Refusal, RefusalReason, WarningCode
from rag_core.questions import Scope


@dataclass(frozen=True, slots=True)
class Explanation:
    """A headline, what happened, and what to do next; each a plain sentence or two."""

    headline: str
    body: str
    next_step: str


_AFTER_A_SEARCH = (RefusalReason.NOT_COVERED, RefusalReason.OTHER_DAY, RefusalReason.LIST_MISSING)


def refusal(reply: Refusal, names: Mapping[str, str]) -> Explanation:
    """Why there is no answer, what was looked for and where, and what to do next."""
    if reply.reason in _AFTER_A_SEARCH and not reply.searched:
        return _nothing_on_file()
    if absent := [
        each for notice in reply.warnings if notice.code is WarningCode.NO_DOCUMENTS for each in notice.subjects
    ]:
        return _no_documents_of(absent, reply, names)
    searched = _searched(reply, names)
    on = day(reply.scope.as_of)
    match reply.reason:
        case RefusalReason.NOT_COVERED:
            return Explanation(
                "The policies do not cover this",
                f"{searched} No section states a rule for it. That is not a permission.",
                _next(reply, "Name the product, the place or the platform more exactly, or ask your policy team."),
            )
        case RefusalReason.OTHER_DAY:
            return Explanation(
                f"No policy on this was in force on {on}",
                searched,
                _next(reply, "Ask again without the day for the rules of today, or with a day on which one held."),
            )
        case RefusalReason.LIST_MISSING:
            return Explanation(
                "The policy refers to a list that the document does not contain",
                f"{searched} The rule depends on that list, so no verdict can be read from it.",
                _next(reply, "Check the list in the original policy before you act."),
            )
        case _:
            return _without_search(reply.reason)


def _nothing_on_file() -> Explanation:
    return Explanation(
        "There are no policies to look in",
        "No policy documents are on file that you can see, so nothing was looked up. That is not a permission.",
        "Ask whoever runs this bot to add the policies.",
    )


def _no_documents_of(absent: list[str], reply: Refusal, names: Mapping[str, str]) -> Explanation:
    known = listed(source_name(slug, names) for slug in reply.searched)
    return Explanation(
        f"There are no policies of {listed(absent)} to look in",
        f"On file are those of {known}; another platform's rule would be no answer, so nothing was looked up.",
        f"Ask about one of these, or ask whoever runs this bot to add the policies of {listed(absent)}.",
    )


def _without_search(reason: RefusalReason) -> Explanation:
    match reason:
        case RefusalReason.UNSUPPORTED_LANGUAGE:
            return Explanation(
                "Questions can only be answered in English",
                "The question seems to be in another language, and nothing was looked up.",
                "Ask it again in English.",
            )
        case RefusalReason.NOT_PERMITTED:
            return Explanation(
                "This document is not open to everybody",
                "The document you named is for certain groups only, and not everybody who reads this answer is known "
                "to be in one of them.",
                "Ask whoever administers the policies for access; if you have it, ask me in a direct message.",
            )
        case _:
            return Explanation(
                "This is not a question about the policies",
                "Only questions about what the advertising policies say can be answered.",
                f"Ask about a product, a place or an ad format, for example: {quoted(EXAMPLE_QUESTION)}.",
            )


def _searched(reply: Refusal, names: Mapping[str, str]) -> str:
    """ "Looked for “x” in the policies of A and B, for ads in Germany, as of 3 March 2026."."""
    what = listed((quoted(term) for term in reply.looked_for), "and") or "an answer"
    policies = listed(source_name(slug, names) for slug in reply.searched)
    return f"Looked for {what} in the policies of {policies}{_scope_words(reply.scope)}."


def _scope_words(scope: Scope) -> str:
    place = f", for ads {in_places(scope.regions)}" if scope.regions else ""
    return f"{place}, as of {day(scope.as_of)}"


def _next(reply: Refusal, advice: str) -> str:
    return f"Read the nearest sections below. {advice}" if reply.nearest else advice


def clarification(reply: Clarification) -> Explanation:
    """That the question is too broad, and that a choice has to be made; or what can be asked."""
    if reply.reason is ClarificationReason.HELP:
        return _what_can_be_asked(reply)
    kinds = {_kind(choice) for choice in reply.choices}
    what = {"place": "a place", "platform": "a platform"}.get(kinds.pop(), "a topic") if len(kinds) == 1 else "one"
    return Explanation(
        "The question is too broad to answer",
        "The answer depends on what exactly you mean.",
        f"Choose {what} and ask again:",
    )


def _what_can_be_asked(reply: Clarification) -> Explanation:
    examples = listed((quoted(each) for each in example_questions()), "or")
    return Explanation(
        "What you can ask",
        "I answer what the policies on file say about a product, a place, a platform and a day, with quotes and links: "
        f"{examples}. What they do not say, I do not answer.",
        "Choose a topic, or ask in your own words:" if reply.choices else "Ask in your own words.",
    )


CHOICES_HEADING = "You can also ask"
"""Over further questions, under an answer or a refusal."""


def choice_label(choice: Choice, names: Mapping[str, str]) -> str:
    """What a choice is about: a place, a platform or a section."""
    match _kind(choice):
        case "place":
            return region_name(choice.subject)
        case "platform":
            return source_name(choice.subject, names)
        case "section":
            return f"See also “{choice.subject}”"
        case _:
            return choice.subject


def choice_line(choice: Choice, names: Mapping[str, str]) -> str:
    """A choice as text: "Germany: can I advertise alcohol"; what it is about is not said twice."""
    label = choice_label(choice, names)
    if _kind(choice) == "section":  # its question is its title
        return label
    again = choice.question.casefold().startswith(label.casefold())
    return choice.question if again else f"{label}: {choice.question}"


def _kind(choice: Choice) -> str:
    kinds = {
        "region": "place",
        "place": "place",
        "policy_source": "platform",
        "platform": "platform",
        "section": "section",
    }
    return kinds.get(choice.kind, "topic")


EXAMPLE_QUESTION = "can I advertise alcohol in the UK"
"""A question that shows what can be asked."""


def example_questions() -> tuple[str, ...]:
    """A question of each kind."""
    return (
        EXAMPLE_QUESTION,
        "compare the alcohol rules in the UK and France",
        "what changed for gambling since March",
        "which documents do you have",
    )
