"""`GET /api/v1/openapi.json`: the REST API described for programs (OpenAPI 3.1), made of what its routes declare."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from adapters.web.api.operations import JSON, TEXT, Operation, operation_of, serves
from adapters.web.api.shapes_store import ProblemShape
from adapters.web.api.streaming import EVENT_STREAM
from adapters.web.problems import PROBLEM_JSON
from bot.wording import rest

Json = dict[str, object]

OF_ALL: Mapping[int, tuple[str, ...]] = {
    400: ("bad_request", "forwarded_header", "host_missing"),
    401: ("credentials_invalid", "credentials_missing"),
    403: ("cross_site", "not_local", "permission_missing"),
    421: ("host_unknown",),
    429: ("attempts_limited", "questions_waiting", "rate_limited", "requests_limited"),
    500: ("internal",),
    503: (),  # names whatever does not answer
}
OF_BODIES: Mapping[int, tuple[str, ...]] = {
    400: ("broken_body", "malformed_json"),
    408: ("body_slow",),
    413: ("body_too_large",),
    415: ("compressed_body", "unsupported_media_type"),
    422: ("invalid_request",),
}
"""Status -> codes; none: any."""


def problems_of(operation: Operation) -> dict[int, Json]:
    """Status -> response object."""
    codes = {status: list(known) for status, known in OF_ALL.items()}
    if operation.body is not None:
        for status, known in OF_BODIES.items():
            codes.setdefault(status, []).extend(known)
    if operation.query:
        codes[422] = ["invalid_request"]
    if operation.refused:
        codes.setdefault(422, []).extend(operation.refused)
    if operation.missing:
        codes[404] = list(operation.missing)
    return {status: _response(status, sorted(codes[status])) for status in sorted(codes)}


def _response(status: int, codes: list[str]) -> Json:
    exactly: Json = {"status": {"const": status}, **({"code": {"enum": codes}} if codes else {})}
    schema = {"allOf": [{"$ref": "#/components/schemas/ProblemShape"}, {"properties": exactly}]}
    found: Json = {"description": rest.status(status), "content": {PROBLEM_JSON: {"schema": schema}}}
    if status in (429, 503):
        waiting = {"type": "integer", "minimum": 1}
        found["headers"] = {"Retry-After": {"description": rest.SECONDS_TO_WAIT, "schema": waiting}}
    if status == 401:
        how = {"description": rest.HOW_TO_SIGN_IN, "schema": {"type": "string"}}
        found["headers"] = {"WWW-Authenticate": how}
    return found


Served = tuple[str, str, Callable[..., Any]]
"""Method, path (with names in braces) and function of a route."""

_VERSION = "1"
_PROBES = ("/healthz", "/readyz", "/metrics")
_IN_PATH = re.compile(r"{(\w+)}")

routes = web.RouteTableDef()

DOCUMENT = web.AppKey("DOCUMENT", bytes)


@with_config(ConfigDict(extra="allow"))
class DescriptionShape(TypedDict):
    """An OpenAPI document."""

    openapi: Annotated[str, Field(pattern=r"^3\.1\.")]
    info: dict[str, Any]
    paths: dict[str, Any]
    components: dict[str, Any]


@routes.get("/api/v1/openapi.json")
@serves(Operation(None, DescriptionShape))
async def openapi(request: web.Request) -> web.Response:
    """For programs that make clients or check answers."""
    return web.Response(body=request.app[DOCUMENT], content_type=JSON)


def document_of(app: web.Application, issuer: str) -> bytes:
    """The document of what `app` serves."""
    resources = [(each.method, each.resource, each.handler) for each in app.router.routes()]
    served = [(method, each.canonical, handler) for method, each, handler in resources if each is not None]
    return _written(tuple(each for each in served if is_for_programs(each[1])), issuer)


@cache
def _written(served: tuple[Served, ...], issuer: str) -> bytes:
    return json.dumps(openapi_document(served, issuer), ensure_ascii=False).encode()


def is_for_programs(path: str) -> bool:
    """Whether a route is one of the REST API; the others are pages."""
    return path.startswith("/api/") or path in _PROBES


def openapi_document(served: Iterable[Served], issuer: str = "") -> Json:
    """`issuer`: address of the identity provider whose tokens are taken; "" for none."""
    declared = [
        (method.lower(), path, handler.__name__, inspect.getdoc(handler) or "", operation)
        for method, path, handler in served
        if is_for_programs(path) and method != "HEAD" and (operation := operation_of(handler)) is not None
    ]
    names, schemas = _schemas([operation for *_, operation in declared])
    paths: dict[str, Json] = {}
    for method, path, name, doc, operation in sorted(declared, key=lambda each: each[:2]):
        paths.setdefault(path, {})[method] = _described(path, name, doc, operation, names)
    return {
        "openapi": "3.1.0",
        "info": {"title": rest.TITLE, "version": _VERSION, "description": rest.ABOUT},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": _security_schemes(issuer)},
        "security": [{}, *({name: []} for name in _security_schemes(issuer))],
    }


def _security_schemes(issuer: str) -> Json:
    found: Json = {"bearer": {"type": "http", "scheme": "bearer", "description": rest.BY_TOKEN}}
    if issuer:
        address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        how = {"type": "openIdConnect", "openIdConnectUrl": address, "description": rest.BY_ISSUER}
        found["oidc"] = how
    return found


Names = Mapping[Any, Json]
"""Type -> reference to its schema."""


def _schemas(operations: Iterable[Operation]) -> tuple[Names, Json]:
    """References to the schemas of all types that are taken or given, and the schemas by name."""
    modes: dict[Any, Literal["validation", "serialization"]] = {ProblemShape: "serialization"}
    for operation in operations:
        given = (operation.gives, *operation.events.values(), *operation.also.values())
        modes |= dict.fromkeys((each for each in given if each is not None), "serialization")
        if operation.body is not None:
            modes[operation.body] = "validation"
    adapters = [(each, mode, TypeAdapter(each)) for each, mode in modes.items()]
    references, found = TypeAdapter.json_schemas(adapters, ref_template="#/components/schemas/{model}")
    return {each: schema for (each, _), schema in references.items()}, dict(sorted(found["$defs"].items()))


def _described(path: str, name: str, doc: str, operation: Operation, names: Names) -> Json:
    permission = operation.permission
    paragraphs = [doc, rest.needs(permission.value) if permission else ""]
    found: Json = {
        "operationId": name,
        "summary": rest.summary(name),
        "description": "\n\n".join(filter(None, paragraphs)),
        "responses": _responses(operation, names),
    }
    fields = [_field(each, "path", {"type": "string", "minLength": 1}) for each in _IN_PATH.findall(path)]
    fields += [_field(each, "query", schema) for each, schema in operation.query.items()]
    if fields:
        found["parameters"] = fields
    if operation.body is not None:
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": names[operation.body]}}}
    return found


def _field(name: str, where: str, schema: Mapping[str, object]) -> Json:
    told: Json = {"name": name, "in": where, "description": rest.field(name), "schema": schema}
    if where == "path":
        return told | {"required": True}
    return told if schema.get("type") == "array" else told | {"allowEmptyValue": True}


def _responses(operation: Operation, names: Names) -> Json:
    found = {str(status): response for status, response in problems_of(operation).items()}
    found["200"] = {"description": rest.status(200), "content": _content(operation, names)}
    for status, shape in operation.also.items():
        told = found.setdefault(str(status), {"description": rest.status(status), "content": {}})
        content = told["content"]
        if isinstance(content, dict):
            content[JSON] = {"schema": names[shape]}
    return dict(sorted(found.items()))


def _content(operation: Operation, names: Names) -> Json:
    if operation.gives is None:
        return {TEXT: {"schema": {"type": "string"}}}
    content: Json = {JSON: {"schema": names[operation.gives]}}
    if operation.events:
        events = [_event(name, names[shape]) for name, shape in operation.events.items()]
        content[EVENT_STREAM] = {"schema": {"description": rest.STREAM, "oneOf": events}}
    return content


def _event(name: str, data: Json) -> Json:
    """One event of a stream: OpenAPI 3.1 has no word for a sequence of them."""
    as_text = {"type": "string", "contentMediaType": JSON, "contentSchema": data}
    return {"type": "object", "properties": {"event": {"const": name}, "data": as_text}, "required": ["event", "data"]}
