"""`/metrics`: the figures of this process, for whoever collects them."""

from aiohttp import web

from adapters.web.api.operations import Operation, serves
from adapters.web.callers import caller_of
from adapters.web.parts import PARTS
from bot.access.tokens import Permission

routes = web.RouteTableDef()


@routes.get("/metrics")
@serves(Operation(Permission.METRICS, None))
async def metrics(request: web.Request) -> web.Response:
    """In the text format of Prometheus."""
    caller_of(request, Permission.METRICS)
    shown = request.app[PARTS].metrics()
    return web.Response(body=shown.body, headers={"Content-Type": shown.content_type})
