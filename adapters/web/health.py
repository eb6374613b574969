"""`/healthz`: the process answers. `/readyz`: so do the things it needs, or it says which do not and why. `/metrics`:
its figures, for whoever collects them."""

from aiohttp import web

from adapters.web.api.operations import Operation, serves
from adapters.web.api.shapes_store import HealthShape, ReadinessShape
from adapters.web.callers import caller_of, may
from adapters.web.parts import PARTS
from bot.access.tokens import Permission

routes = web.RouteTableDef()


@routes.get("/healthz")
@serves(Operation(None, HealthShape))
async def healthz(_: web.Request) -> web.Response:
    """Asks nothing of anything else."""
    return web.json_response({"status": "ok"})


@routes.get("/readyz")
@serves(Operation(None, ReadinessShape, also={503: ReadinessShape}))
async def readyz(request: web.Request) -> web.Response:
    """200 when questions can be answered, else 503; `degraded` names what is not as it should be.

    Codes only: no address and no secret of a dependency is anybody's business here. Who may not read the figures learns
    whether it is ready.
    """
    ready = await request.app[PARTS].ready()
    told: dict[str, object] = {"status": "ready" if ready.can_answer else "not_ready"}
    body = told | {
        "checks": {name: {"status": check.status, "reason": check.reason} for name, check in ready.checks.items()},
        "degraded": [name for name, check in ready.checks.items() if check.status != "ok"],
    }
    shown = body if may(request, Permission.METRICS) else told
    return web.json_response(shown, status=200 if ready.can_answer else 503)


@routes.get("/metrics")
@serves(Operation(Permission.METRICS, None))
async def metrics(request: web.Request) -> web.Response:
    """In the text format of Prometheus."""
    caller_of(request, Permission.METRICS)
    shown = request.app[PARTS].metrics()
    return web.Response(body=shown.body, headers={"Content-Type": shown.content_type})
