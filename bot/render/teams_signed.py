"""The data of what can be clicked on a card: verb and fields, signed for the conversation that the card stands in."""

from bot.render.teams_view import TeamsVerb
from bot.signing import Signing

VERB = "adpolicy"
"""The field with the verb. It is signed like the others, also where an `Action.Execute` says it beside the data."""

ANSWER, CHOICE = "answer", "choice"


def signed_data(signing: Signing, conversation: str, verb: TeamsVerb, **fields: str) -> dict[str, object]:
    """For `Action.Execute`, and for what is submitted. `conversation`: `TeamsReference.signed_for`."""
    return {**signing.signed({VERB: verb.value, **fields}, conversation)}


def opens_dialog(data: dict[str, object]) -> dict[str, object]:
    """The same for an `Action.Submit` that opens a dialog (`task/fetch`)."""
    return {**data, "msteams": {"type": "task/fetch"}}
