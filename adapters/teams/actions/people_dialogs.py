"""Dialogs around people: signed for where they were opened."""

from collections.abc import Mapping
from typing import Any

from adapters.teams.actions.clicks import TeamsClick
from adapters.teams.actions.replies import dialog
from adapters.teams.delivery.signed_cards import signed_card
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts, TeamsPeople
from bot.render.teams.elements import Element
from rag_core.errors import Rejected


def signed_dialog(parts: TeamsParts, click: TeamsClick, title: str, form: Element) -> InvokeReply:
    """Opens it, or shows it again with what was typed."""
    shown = signed_card(form, parts.signing, click.activity.reference.signed_for) if parts.signing else form
    return dialog(title, shown)


def people_of(parts: TeamsParts) -> TeamsPeople:
    """Raises Rejected where nobody can be asked: then the button does nothing."""
    if parts.people is None:
        raise Rejected("teams_not_set_up")
    return parts.people


def card_in(message: Mapping[str, Any]) -> Element:
    """The card that a message is."""
    found: Element = message["attachments"][0]["content"]
    return found
