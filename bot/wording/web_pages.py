"""Wording of the web pages."""

from collections.abc import Iterable
from datetime import date

from bot.wording.names import day, listed

SITE_NAME = "adpolicy"
LANGUAGE = "en"


def home_title(question: str) -> str:
    """The title of the question page in the browser's tab."""
    return f"{question} · {SITE_NAME}" if question else f"{SITE_NAME}: ask the advertising policies"


TAGLINE = "Answers from the policy documents, with quotes, links and dates."
"""What the page is for."""

QUESTION_LABEL = "Your question"
PLACE_LABEL = "Place"
PLACE_HINT = "A country, a state or a code. Empty: as the question says."
SOURCE_LABEL = "Platform"
ANY_SOURCE = "All platforms"
DAY_LABEL = "As of"
DAY_HINT = "Empty: today."
ASK_BUTTON = "Ask"
NARROW_HEADING = "Place, platform, day"


def kept_filters(names: Iterable[str]) -> str:
    """Filters of a followed link that have no field of their own in the form."""
    return f"Also restricted to: {listed(names)}"


DROP_FILTERS = "Ask without"
"""The link that asks again without them."""

SCOPE_LABEL = "This holds for"
"""Announces the list of what an answer holds for."""

STATEMENTS_HEADING = "What the policies say"


def source_number(number: int, title: str) -> str:
    """A numbered link, read aloud."""
    return f"Source {number}: {title}"


DOCUMENTS_LINK = "All documents (JSON)"
EXAMPLES_HEADING = "For example"


def examples() -> tuple[str, ...]:
    """Questions to click on an empty page."""
    return (
        "Can I advertise alcohol in the UK?",
        "Do gambling ads need a licence in Germany?",
        "What must an ad for a political party show?",
        "Are vaping products allowed anywhere?",
    )


SKIP_LINK = "Skip to the answer"


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


NOTHING_INGESTED = "There are no policy documents yet. Add some with: python -m ingest run FOLDER"
"""There is no document to answer from."""


# The page of a source.


def source_page_title(title: str) -> str:
    return f"{title} · {SITE_NAME}"


def in_force(first: date, until: date | None, today: date, *, date_stated: bool = True) -> str:
    """Over which days a version holds; `until` is the first day it holds no longer."""
    if until is not None and until <= first:
        return f"Replaced on {day(first)}, the day it began; it holds for no day."
    if not date_stated:
        ended = f" Held until {day(until)} (not included)." if until is not None else ""
        return f"Read on {day(first)}; the document does not state since when it holds.{ended}"
    if first > today:
        return f"Not in force yet: begins on {day(first)}."
    if until is None:
        return f"In force since {day(first)}."
    if until > today:
        return f"In force since {day(first)}, until {day(until)} (not included)."
    return f"No longer in force: held from {day(first)} until {day(until)} (not included)."


def restricted_to(groups: Iterable[str]) -> str:
    return f"Members of {listed(groups)}"


PUBLIC_DOCUMENT = "Public"
FACTS_HEADING = "About this document"
PLATFORM_FACT = "Platform"
CLASSIFICATION_FACT = "Who may see it"
CHECKED_FACT = "Last checked"
"""When the source was last looked at."""

ORIGINAL_FACT = "Original"
VERSIONS_HEADING = "Versions"
THIS_VERSION = "this version"
QUOTED_PASSAGE = "The quoted passage is highlighted."
"""Announces the highlighted text."""

TO_QUOTE = "Go to the quoted passage"
SAMPLE_NOTICE = "This is a sample: an invented policy, to try the bot with. It is nobody's rule."


def table_label(number: int) -> str:
    """The name of a table that can be scrolled sideways."""
    return f"Table {number}"


BACK_TO_START = "Ask a question"
SIGN_IN_TITLE = "Sign in"
SIGN_IN_EXPLAINED = (
    "This server answers those it knows. Your administrator gives you a token; it begins with “adpolicy_”."
)
"""What to type, and where it comes from."""

TOKEN_LABEL = "Token"
SIGN_IN_BUTTON = "Sign in"
SIGN_OUT_BUTTON = "Sign out"
