"""Wording of the web pages."""

from collections.abc import Iterable
from datetime import date

from bot.wording.names import day, listed

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


def sign_in_title() -> str:
    return "Sign in"


def sign_in_explained() -> str:
    """What to type, and where it comes from."""
    return "This server answers those it knows. Your administrator gives you a token; it begins with “adpolicy_”."


def token_label() -> str:
    return "Token"


def sign_in_button() -> str:
    return "Sign in"


def sign_out_button() -> str:
    return "Sign out"
