"""Which problems a route can answer with: statuses, codes, headers."""

from collections.abc import Mapping

from adapters.web.api.operations import Operation
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
