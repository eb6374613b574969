"""What the cards around people have in common: who is meant, and messages that are a card."""

import re
from collections.abc import Sequence

from bot.render.adaptive import Element, attachment, card, submit, weight
from bot.render.blocks import Room
from bot.render.card_text import plain
from bot.render.teams_signed import VERB, opens_dialog
from bot.render.teams_view import TeamsVerb
from bot.wording_alerts import THIS_CHANNEL, THIS_CHAT

ROOM = 30_000
"""Code units of a card's body: Teams takes 80 KB of UTF-16 with all around it, and what is signed is added later."""
_SUMMARY = 900
_OPEN, _APART, _CLOSE = "\ue000", "\ue001", "\ue002"
"""Of private use, which nothing that others wrote keeps (`bot.render.clean`)."""
PERSON = re.compile(f"{_OPEN}([^{_OPEN}{_APART}{_CLOSE}]*){_APART}([^{_OPEN}{_APART}{_CLOSE}]*){_CLOSE}")


def person(id_: str, channel: str) -> str:
    """Somebody by the platform's id, and a channel where Teams knows him: his name is put in when it is sent
    (`adapters.teams.names`)."""
    return f"{_OPEN}{id_}{_APART}{channel}{_CLOSE}"


def data(verb: TeamsVerb, **fields: str) -> dict[str, object]:
    """Of a button: to be signed for the conversation that it is sent to (`adapters.teams.sending`)."""
    return {VERB: verb.value, **fields}


def open_dialog(title: str, back: dict[str, object]) -> Element:
    """A button that comes back as `task/fetch`."""
    return submit(title, opens_dialog(back), with_inputs=False)


def here(channel: str) -> str:
    """What people call the place, by the id that it is known by: only ids of channels name a team, or their kind."""
    is_channel = "/" in channel or channel.endswith(("@thread.tacv2", "@thread.skype"))
    return THIS_CHANNEL if is_channel else THIS_CHAT


def room(elements: int = 200) -> Room:
    return Room(ROOM, elements, weight)


def message(body: Sequence[Element], summary: str, actions: Sequence[Element] = ()) -> dict[str, object]:
    """An activity that is one card; `summary` is what notifications and the list of chats show."""
    said = plain(summary, _SUMMARY)
    return {"type": "message", "summary": said, "attachments": [attachment(card(body, actions, said))]}
