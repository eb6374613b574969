"""Every sentence that only the web pages and the REST API show."""

from collections.abc import Iterable, Mapping
from datetime import date

from bot.outcomes import Failure, FailureCode
from bot.wording.names import day, listed
from bot.wording.problems import Problem, failure, problem

# What is wrong with an HTTP request.

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
    "document_not_found": (
        "No such document",
        "There is no document with this id, or you may not see it. /api/v1/documents lists those you can see.",
    ),
    "source_not_found": (
        "No such document",
        "There is no document at this address, or it is not one you may see. Ask again for a current link.",
    ),
    "bad_request": ("This request cannot be read", "The request could not be understood. Check it and send it again."),
}


def request_problem(code: str, facts: Mapping[str, object]) -> Problem:
    """Why an HTTP request was not served, and what to do next."""
    if code in _REQUEST_PROBLEMS:
        return Problem(*_REQUEST_PROBLEMS[code])
    if code == "invalid_request":
        return Problem("The request does not fit", _invalid_fields(facts))
    if code == "internal":
        return Problem("Something went wrong", _unexpected(facts))
    return problem(code, facts)


def _invalid_fields(facts: Mapping[str, object]) -> str:
    errors = facts.get("errors")
    fields = dict.fromkeys(str(error["field"]) for error in errors) if isinstance(errors, list) else {}
    return f"These fields are not as they should be: {listed(fields)}. Each is explained under “errors”."


def _unexpected(facts: Mapping[str, object]) -> str:
    return (
        "There is no answer because of an error on our side, not because of your request. Try again; if it happens "
        f"again, tell your administrator the id {facts.get('id')}."
    )


def search_down(reference: str) -> Problem:
    """A service behind the server did not answer."""
    return failure(Failure(FailureCode.SEARCH_DOWN, reference))


def too_slow(reference: str) -> Problem:
    """The time for an answer is over."""
    return failure(Failure(FailureCode.TOO_SLOW, reference))


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


# The pages.

SITE_NAME = "adpolicy"
LANGUAGE = "en"


def home_title(question: str) -> str:
    """The title of the question page in the browser's tab."""
    return f"{question} · {SITE_NAME}" if question else f"{SITE_NAME}: ask the advertising policies"


def tagline() -> str:
    """What the page is for."""
    return "Answers from the policy documents, with quotes, links and dates."


def question_label() -> str:
    return "Your question"


def place_label() -> str:
    return "Place"


def place_hint() -> str:
    return "A country, a state or a code. Empty: as the question says."


def source_label() -> str:
    return "Platform"


def any_source() -> str:
    return "All platforms"


def day_label() -> str:
    return "As of"


def day_hint() -> str:
    return "Empty: today."


def ask_button() -> str:
    return "Ask"


def narrow_heading() -> str:
    return "Place, platform, day"


def kept_filters(names: Iterable[str]) -> str:
    """Filters of a followed link that have no field of their own in the form."""
    return f"Also restricted to: {listed(names)}"


def drop_filters() -> str:
    """The link that asks again without them."""
    return "Ask without"


def scope_label() -> str:
    """Announces the list of what an answer holds for."""
    return "This holds for"


def statements_heading() -> str:
    return "What the policies say"


def source_number(number: int, title: str) -> str:
    """A numbered link, read aloud."""
    return f"Source {number}: {title}"


def documents_link() -> str:
    return "All documents (JSON)"


def examples_heading() -> str:
    return "For example"


def examples() -> tuple[str, ...]:
    """Questions to click on an empty page."""
    return (
        "Can I advertise alcohol in the UK?",
        "Do gambling ads need a licence in Germany?",
        "What must an ad for a political party show?",
        "Are vaping products allowed anywhere?",
    )


def skip_link() -> str:
    return "Skip to the answer"


def bad_day(value: str) -> str:
    """The day field of the form holds something else."""
    return f"“{value}” is not a day. Give it as YYYY-MM-DD, for example 2026-03-01, or leave it empty."


def bad_place(value: str) -> str:
    """The place field of the form holds something else."""
    return (
        f"“{value}” is not a place this server knows. Give a country, a state, or a code such as uk, de, us-tx or eu, "
        "or leave it empty."
    )


def reading_documents(count: int) -> str:
    """The foot of every page: how much there is to answer from."""
    return f"{count} policy documents" if count != 1 else "1 policy document"


def nothing_ingested() -> str:
    """There is no document to answer from."""
    return "There are no policy documents yet. Add some with: python -m ingest run FOLDER"


# The page of a source.


def source_page_title(title: str) -> str:
    return f"{title} · {SITE_NAME}"


def in_force(first: date, until: date | None, today: date) -> str:
    """Over which days a version holds; `until` is the first day it holds no longer."""
    if until is not None and until <= first:
        return f"Replaced on {day(first)}, the day it began; it holds for no day."
    if first > today:
        return f"Not in force yet: begins on {day(first)}."
    if until is None:
        return f"In force since {day(first)}."
    if until > today:
        return f"In force since {day(first)}, until {day(until)} (not included)."
    return f"No longer in force: held from {day(first)} until {day(until)} (not included)."


def restricted_to(groups: Iterable[str]) -> str:
    return f"Members of {listed(groups)}"


def public_document() -> str:
    return "Public"


def facts_heading() -> str:
    return "About this document"


def platform_fact() -> str:
    return "Platform"


def classification_fact() -> str:
    return "Who may see it"


def checked_fact() -> str:
    """When the source was last looked at."""
    return "Last checked"


def original_fact() -> str:
    return "Original"


def versions_heading() -> str:
    return "Versions"


def this_version() -> str:
    return "this version"


def quoted_passage() -> str:
    """Announces the highlighted text."""
    return "The quoted passage is highlighted."


def to_quote() -> str:
    return "Go to the quoted passage"


def sample_notice() -> str:
    return "This is a sample: an invented policy, to try the bot with. It is nobody's rule."


def table_label(number: int) -> str:
    """The name of a table that can be scrolled sideways."""
    return f"Table {number}"


def back_to_start() -> str:
    return "Ask a question"
