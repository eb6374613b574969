"""Wording of REST problems and of the OpenAPI document."""

import math
from collections.abc import Callable, Mapping

from bot.model.outcomes import Failure, FailureCode
from bot.wording.names import listed
from bot.wording.problems import Problem, failure, problem

_REQUEST_PROBLEMS = {
    "forwarded_header": (
        "Forwarded header without a proxy",
        "The request carries a forwarded header (Forwarded, X-Forwarded-..., X-Real-IP), but no proxy is configured. "
        "Call the server directly, or name the proxy in its settings.",
    ),
    "not_local": (
        "Only from this machine",
        "This address answers requests from its own machine only. Call it from there, as 127.0.0.1.",
    ),
    "cross_site": (
        "Caused by another site",
        "Another web site caused this request, so it was not served. Open the page itself.",
    ),
    "host_missing": ("Host header missing", "The request needs exactly one Host header with a valid name."),
    "host_unknown": (
        "Unknown host name",
        "This server does not answer under the host name of the request. Use 127.0.0.1, localhost or the configured "
        "public address.",
    ),
    "broken_body": ("Broken request body", "The request's body could not be read to its end. Send it again."),
    "body_slow": ("Request body too slow", "The request's body did not arrive in time. Send it again."),
    "chunk_not_found": (
        "No such passage",
        "There is no passage with this id, or you may not see it. Search again for a current one.",
    ),
    "answer_not_found": (
        "No such answer",
        "There is no answer with this id that you can read: it was given to somebody else, or what it stands on is not "
        "on file for you any more. Ask the question again.",
    ),
    "document_not_found": (
        "No such document",
        "There is no document with this id, or you may not see it. /api/v1/documents lists those you can see.",
    ),
    "source_not_found": (
        "No such document",
        "There is no document at this address, or it is not one you may see. Ask again for a current link.",
    ),
    "credentials_missing": (
        "Who are you?",
        "This server answers those it knows. Programs send `Authorization: Bearer TOKEN`; your administrator makes a "
        "token with `python -m ops tokens create`. In a browser, open the start page and sign in.",
    ),
    "credentials_invalid": (
        "These credentials are not accepted",
        "The token that came with the request lets nobody in. Check that it is complete; if it is, ask your "
        "administrator for a new one.",
    ),
    "token_refused": (
        "This token is not accepted",
        "This token lets nobody in. Check that it is complete; if it is, ask your administrator for a new one.",
    ),
    "form_expected": (
        "Not a form",
        "This address takes what its own form sends. Open it in a browser.",
    ),
    "compressed_body": ("Compressed request", "Send the request's body as it is, without a Content-Encoding."),
    "bad_request": ("This request cannot be read", "The request could not be understood. Check it and send it again."),
}


def request_problem(code: str, facts: Mapping[str, object]) -> Problem:
    """Why an HTTP request was not served, and what to do next."""
    if code in _REQUEST_PROBLEMS:
        return Problem(*_REQUEST_PROBLEMS[code])
    if code in _TOLD:
        title, tell = _TOLD[code]
        return Problem(title, tell(facts))
    return problem(code, facts)


def _invalid_fields(facts: Mapping[str, object]) -> str:
    errors = facts.get("errors")
    fields = dict.fromkeys(str(error["field"]) for error in errors) if isinstance(errors, list) else {}
    return f"These fields are not as they should be: {listed(fields)}. Each is explained under “errors”."


def _not_permitted(facts: Mapping[str, object]) -> str:
    return (
        f"Your credentials lack the permission “{facts.get('permission')}”, which this takes. Ask your administrator "
        "for it, or use other credentials."
    )


def _too_many_attempts(facts: Mapping[str, object]) -> str:
    return (
        f"Credentials that came from your address were wrong too often. Wait {_wait(facts)}, then try again with the "
        "right ones."
    )


def _too_many_requests(facts: Mapping[str, object]) -> str:
    return (
        "Too many requests came from you, or from everybody together, in a short time. Go on in "
        f"{_wait(facts)}; if you need more, ask your administrator."
    )


def _too_many_waiting(facts: Mapping[str, object]) -> str:
    return (
        "Many questions that came from your address wait for their answers already. Ask again in "
        f"{_wait(facts)}, or when those are answered."
    )


def _wait(facts: Mapping[str, object]) -> str:
    wait = facts.get("seconds")
    seconds = max(1, math.ceil(wait)) if isinstance(wait, int | float) else 60
    return f"{seconds} {'second' if seconds == 1 else 'seconds'}"


def _unexpected(facts: Mapping[str, object]) -> str:
    return (
        "There is no answer because of an error on our side, not because of your request. Try again; if it happens "
        f"again, tell your administrator the id {facts.get('id')}."
    )


_TOLD: dict[str, tuple[str, Callable[[Mapping[str, object]], str]]] = {
    "invalid_request": ("The request does not fit", _invalid_fields),
    "permission_missing": ("Not permitted", _not_permitted),
    "attempts_limited": ("Too many failed attempts", _too_many_attempts),
    "requests_limited": ("Too many requests", _too_many_requests),
    "questions_waiting": ("Too many questions at once", _too_many_waiting),
    "internal": ("Something went wrong", _unexpected),
}


def unavailable(code: str, reference: str) -> Problem:
    """A service behind the server did not answer, or not in time."""
    if code == "callers_unknown":
        return Problem("You cannot be recognised now", _unrecognised(reference))
    known = (FailureCode.TOO_SLOW, FailureCode.RECORD_DOWN, FailureCode.STORED_TEXT_CHANGED)
    return failure(Failure(FailureCode(code) if code in known else FailureCode.SEARCH_DOWN, reference))


def _unrecognised(reference: str) -> str:
    return (
        "What tells this server who you are does not answer, so nobody is let in. Try again in a moment; if it stays "
        f"like this, tell your administrator the id {reference}."
    )


_FIELD_ERRORS = {
    "missing": "This field is required.",
    "extra_forbidden": "There is no such field. Check its spelling, or leave it out.",
    "string_type": "Give text, in quotes.",
    "string_too_short": "Give at least one character.",
    "string_too_long": "This text is too long.",
    "int_type": "Give a whole number.",
    "bool_type": "Give true or false.",
    "date_from_datetime_parsing": "Give a day as YYYY-MM-DD.",
    "date_type": "Give a day as YYYY-MM-DD.",
    "date_parsing": "Give a day as YYYY-MM-DD.",
    "value_list": "Give a text, or a list of texts.",
    "dict_type": "Give an object, in braces.",
    "model_type": "Give an object, in braces.",
    "list_type": "Give a list, in brackets.",
    "tuple_type": "Give a list, in brackets.",
    "too_long": "There are too many entries.",
    "one_place": "Give either `chunk_id` or `doc_id`: one of them, not both.",
    "enum": "This is none of the values that can be given here.",
    "reasons_without_complaint": "Give `reasons` only where the rating is `not_useful`.",
    "one_of": "Give either `conversation_id` or `history`, not both.",
}


def field_error(kind: str, known: str | None = None, least: int | None = None, most: int | None = None) -> str:
    """What is wrong with one field; `known` lists what it may be, `least` and `most` its limits."""
    if known is not None:
        return f"Give one of: {known}."
    if least is not None:
        return f"Give a number of at least {least}."
    if most is not None:
        return f"Give at most {most}."
    return _FIELD_ERRORS.get(kind, "This value does not fit here.")


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


TITLE = "adpolicy"
ABOUT = (
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


STREAM = (
    "Server-sent events, each of one of these shapes. The last is `answer`, its data equal to the JSON, or `error`."
    "  Lines that begin with a colon keep the connection open."
)
BY_TOKEN = "A token that the operator made."
BY_ISSUER = "A token of the operator's identity provider (JWT)."
SECONDS_TO_WAIT = "Seconds to wait."
HOW_TO_SIGN_IN = "How to authenticate."
