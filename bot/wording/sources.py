"""Names of sources and sections, when and where they hold."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from bot.wording.names import day, listed, region_name, source_name
from rag_core.answers import Citation, Nearest

SOURCES_HEADING = "Sources"
NEAREST_HEADING = "Nearest sections"


def section_title(title: str, section_path: str) -> str:
    """Title and headings, outermost first: "Alcohol › Restricted content › United Kingdom"."""
    parts = [part.strip() for part in section_path.split(" > ") if part.strip()]
    if parts and parts[0].casefold() == title.strip().casefold():
        parts = parts[1:]
    return " › ".join([title, *parts])


def in_force(effective_from: date, effective_to: date | None, *, date_stated: bool = True) -> str:
    """When a version holds; `effective_to` is the first day on which it does not, so the day before is shown."""
    if not date_stated:
        until = f", in force until {day(effective_to - timedelta(days=1))}" if effective_to is not None else ""
        return f"read on {day(effective_from)}, date not stated{until}"
    if effective_to is None:
        return f"in force since {day(effective_from)}"
    return f"in force from {day(effective_from)} until {day(effective_to - timedelta(days=1))}"


def source_facts(citation: Citation, names: Mapping[str, str]) -> str:
    """What there is to know about a source: platform, days, places, rule, page, post."""
    facts = _facts(citation, names)
    if citation.rule_number:
        facts.append(f"rule {citation.rule_number}")
    if citation.page is not None:
        facts.append(f"page {citation.page}")
    return " · ".join([*facts, *_post(citation)])


def nearest_facts(nearest: Nearest, names: Mapping[str, str]) -> str:
    """What there is to know about a section that is near: platform, days, places."""
    return " · ".join(_facts(nearest, names))


def first_source(title: str, more: int) -> str:
    """The source in a notification: "Source: Alcohol › United Kingdom and 2 more"."""
    return f"Source: {title}{f' and {more} more' if more else ''}"


def _facts(source: Citation | Nearest, names: Mapping[str, str]) -> list[str]:
    days = in_force(source.effective_from, source.effective_to, date_stated=source.date_stated)
    facts = [source_name(source.policy_source, names), days]
    return [*facts, *_places(source.regions)]


def _places(regions: Sequence[str]) -> list[str]:
    return [listed((region_name(code) for code in regions), limit=6)] if regions else []


def _post(citation: Citation) -> list[str]:
    if citation.post_number is None and citation.author is None:
        return []
    number = [f"post {citation.post_number}"] if citation.post_number is not None else []
    author = [f"by {citation.author}"] if citation.author else []
    written = f", {day(citation.posted_at.date())}" if citation.posted_at else ""
    return [" ".join([*number, *author]) + written]
