"""`GET /api/v1/changes`: what changed in the policies that the caller may see, to be read on from a cursor."""

from aiohttp import web

from adapters.web.api.input import GivenFields
from adapters.web.api.operations import DAY, LIMIT, PLACE_IN_FEED, SOURCES, Operation, serves
from adapters.web.api.shapes_store import ChangeFeedShape
from adapters.web.callers import caller_of
from adapters.web.parts import PARTS
from bot.access.tokens import Permission
from rag_core.changes import ChangesWanted, change_json

_KNOWN = {"since": DAY, "until": DAY, "policy_source": SOURCES, "cursor": PLACE_IN_FEED, "limit": LIMIT}
_LIMIT, _MOST = 50, 200

routes = web.RouteTableDef()


@routes.get("/api/v1/changes")
@serves(Operation(Permission.READ, ChangeFeedShape, query=_KNOWN))
async def changes(request: web.Request) -> web.Response:
    """In the order in which they were recorded; `cursor` of the answer, given again, asks for what came after.

    `has_more`: there is more to read now.
    """
    parts, caller = request.app[PARTS], caller_of(request, Permission.READ)
    wanted, limit = _read(request)
    found = await parts.changes.changes(wanted, caller.groups, limit + 1) if limit > 0 else []
    shown = found[:limit]
    cursor = shown[-1].change_id if shown else wanted.after
    body = {
        "changes": [change_json(each) for each in shown],
        "cursor": str(cursor),
        "has_more": len(found) > len(shown),
    }
    return web.json_response(body)


def _read(request: web.Request) -> tuple[ChangesWanted, int]:
    given = GivenFields(request, _KNOWN)
    wanted = ChangesWanted(given.day("since"), given.day("until"), given.number("cursor", 0), given.sources())
    limit = given.limit(_LIMIT, _MOST)
    given.check()
    return wanted, limit
