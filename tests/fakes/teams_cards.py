"""Replies as messages of Teams, looked at by every checker there is."""

from typing import Any

from bot.model.links import Links
from bot.model.outcomes import Outcome
from bot.render.teams.message import teams_message
from bot.render.teams.view import TeamsView
from ops.sandbox.teams.checks import check_message, check_size
from ops.sandbox.teams.world import PlaceKind
from rag_core.answers import (
    Answer,
    Refusal,
)
from tests.fakes import adaptive_cards as cards

LINKS = Links("https://bot.example", {"sample": "Sample Ads", "other": "Other Ads"})
QUESTION = "can I advertise alcohol in the UK"
EVERYTHING = TeamsView(
    with_question=True,
    is_private=True,
    asks_people=True,
    shared_by="<at>U1</at>",
    shared_chunks=("gone", "gone too"),
    is_threaded=False,
)


def message(outcome: Outcome, question: str = QUESTION, view: TeamsView | None = None, **more: Any) -> dict[str, Any]:
    return teams_message(question, "answer-1", outcome, LINKS, view or TeamsView(), **more)


def our_links(outcome: Outcome) -> tuple[str, ...]:
    """Every address that the message may link to."""
    if isinstance(outcome, Answer):
        listed = outcome.documents.documents if outcome.documents else ()
        return (*(LINKS.citation(each) for each in outcome.citations), *(LINKS.document(each) for each in listed))
    return tuple(LINKS.nearest(each) for each in outcome.nearest) if isinstance(outcome, Refusal) else ()


def checked(outcome: Outcome, question: str = QUESTION, view: TeamsView | None = None, **more: Any) -> dict[str, Any]:
    found = message(outcome, question, view, **more)
    problems = cards.violations(found, our_links(outcome))
    assert problems == [], [each[:300] for each in problems]
    taken_by_the_stand_in(found, view)
    return found


def taken_by_the_stand_in(found: dict[str, Any], view: TeamsView | None) -> None:
    """Raises TeamsRefusal."""
    check_message(found, PlaceKind.PERSONAL if view is not None and view.is_private else PlaceKind.CHANNEL)
    check_size(None, found)


def shown(found: dict[str, Any]) -> str:
    return cards.shown(cards.card_of(found))


def buttons(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return cards.titles(cards.card_of(found))
