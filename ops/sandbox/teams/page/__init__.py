"""Teams as a person sees it, in a browser."""

from collections.abc import Callable

from aiohttp import web

from ops.sandbox.teams.means import Means
from ops.sandbox.teams.person import Person

__all__ = ["page_routes"]


def page_routes(means: Means, bot_url: str, person: Callable[[int], Person]) -> list[web.RouteDef]:
    """What the page adds to the stand-in's own addresses. `means.world` is all of Teams; `person` acts in it."""
    return []
