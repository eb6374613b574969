"""What the OpenAPI document says beside names and types. What a route does says its own docstring."""

_SUMMARIES = {
    "ask": "Ask a question",
    "answer": "Read an answer again",
    "feedback": "Say whether an answer was of use",
    "search": "Search the policies",
    "verify_citation": "Check whether a passage says a sentence",
    "chunk": "Read a passage",
    "documents": "List the documents",
    "versions_of": "List the versions of a document",
    "changes": "Read what changed",
    "openapi": "Read this description",
    "healthz": "Whether the process answers",
    "readyz": "Whether questions can be answered now",
    "metrics": "Figures of the process, for Prometheus",
}

_FIELDS = {
    "policy_source": "Only of these publishers; may be given several times.",
    "cursor": "The `cursor` of an earlier answer: what follows it.",
    "limit": "How many, at most; a greater one than is given out is no error.",
    "as_of": "The version that holds on this day.",
    "since": "From this day on.",
    "until": "Until this day, and on it.",
    "document_id": "Id of a document.",
    "chunk_id": "Id of a passage.",
    "answer_id": "Id of an answer.",
}

_STATUSES = {
    200: "As asked.",
    400: "The request cannot be read.",
    401: "Credentials are missing or wrong.",
    403: "The caller may not do this.",
    404: "There is no such thing, or the caller may not see it: which of the two is not told.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "The Host header names another server.",
    422: "The request can be read, but not answered: a field does not fit, or the question cannot be taken.",
    429: "Too many requests. `Retry-After` says when to come again.",
    500: "An error on the server's side.",
    503: "Something behind the server does not answer. `Retry-After` says when to come again.",
}


def title() -> str:
    return "adpolicy"


def about() -> str:
    return (
        "Answers to advertising-policy questions, with quotes, places and days. Errors are problem details (RFC 9457). "
        "Fields may be added: pass over those you do not know."
    )


def summary(operation: str) -> str:
    return _SUMMARIES[operation]


def field(name: str) -> str:
    """A field of a path or of a query."""
    return _FIELDS[name]


def status(code: int) -> str:
    return _STATUSES[code]


def needs(permission: str) -> str:
    return f"Needs the permission `{permission}`."


def stream() -> str:
    return (
        "Server-sent events, each of one of these shapes. The last is `answer`, its data equal to the JSON, or `error`."
        "  Lines that begin with a colon keep the connection open."
    )


def by_token() -> str:
    return "A token that the operator made."


def by_issuer() -> str:
    return "A token of the operator's identity provider (JWT)."


def seconds_to_wait() -> str:
    return "Seconds to wait."


def how_to_sign_in() -> str:
    return "How to authenticate."
