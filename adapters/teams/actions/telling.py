"""Words that are no reply to a question: they are lost if the process dies, and nobody misses them."""

from adapters.teams.addresses import TeamsReference
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity


def said(text: str) -> Activity:
    """`text` is Markdown."""
    return {"type": "message", "text": text, "textFormat": "markdown"}


def said_plainly(text: str) -> Activity:
    """`text` is shown as it stands, whatever is quoted in it."""
    return {"type": "message", "text": text, "textFormat": "plain"}


async def tell_there(parts: TeamsParts, to: TeamsReference, told: Activity) -> None:
    """Raises as TeamsOutbound."""
    await parts.outbound.send(to, told)


async def is_first_time(parts: TeamsParts, what: str) -> bool:
    """False for what was told already, to be told once however often it is delivered. Raises Unavailable."""
    return parts.claims is None or await parts.claims.claim(_key(what))


async def as_untold(parts: TeamsParts, what: str) -> None:
    """It may be told again. Raises Unavailable."""
    if parts.claims is not None:
        await parts.claims.release(_key(what))


def _key(what: str) -> str:
    return f"teams-told:{what}"
