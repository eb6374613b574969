"""What can be clicked on a card is signed for the conversation that the card is sent to, once that is known."""

from collections.abc import Mapping

from bot.access.signing import Signing
from bot.render.teams.view import VERB


def signed_card(made: Mapping[str, object], signing: Signing, conversation: str) -> dict[str, object]:
    """`made`, a card or a message with cards, whose buttons were rendered by us and are not signed yet.
    `conversation`: `TeamsReference.signed_for`."""
    return {key: _signed(value, signing, conversation) for key, value in made.items()}


def _signed(value: object, signing: Signing, conversation: str) -> object:
    if isinstance(value, Mapping):
        if VERB in value:
            return _proven(value, signing, conversation)
        return {key: _signed(each, signing, conversation) for key, each in value.items()}
    return [_signed(each, signing, conversation) for each in value] if isinstance(value, list | tuple) else value


def _proven(data: Mapping[str, object], signing: Signing, conversation: str) -> dict[str, object]:
    """`msteams` is Teams' own, which takes it out or not."""
    fields = {name: value for name, value in data.items() if isinstance(value, str)}
    return {**data, **signing.signed(fields, conversation)}
