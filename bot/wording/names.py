"""Names of places, days and platforms in an English sentence."""

from collections.abc import Iterable, Mapping
from datetime import date

from rag_core.documents import ContentType
from rag_core.regions import EU, GLOBAL, display_name

_WITH_ARTICLE = frozenset(
    {"Bahamas", "Comoros", "Gambia", "Isle of Man", "Maldives", "Netherlands", "Philippines", "Seychelles"}
)
_ARTICLE_STARTS = ("United ", "Central African ", "Dominican ", "British ", "U.S. ", "Northern Mariana ", "Caribbean ")
_ARTICLE_ENDS = (" Islands", " Territories", " Republic")

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

_CONTENT_TYPES = {
    ContentType.AD_TEXT: "ad text",
    ContentType.IMAGE: "images",
    ContentType.VIDEO: "videos",
    ContentType.LANDING_PAGE: "landing pages",
    ContentType.GENERAL: "ads in general",
}


def region_name(code: str) -> str:
    """A place on its own, as in a list or a label: "United Kingdom", "Global"."""
    return display_name(code)


def place(code: str) -> str:
    """A place inside a sentence: "the United Kingdom", "Germany", "all places"."""
    if code == GLOBAL:
        return "all places"
    name = display_name(code)
    return f"the {name}" if code == EU or _takes_article(name) else name


def in_place(code: str | None) -> str:
    """Where: "in the United Kingdom"; "worldwide" for global; "" where no place was asked about."""
    if code is None:
        return ""
    return "worldwide" if code == GLOBAL else f"in {place(code)}"


def in_places(codes: Iterable[str]) -> str:
    """Where, for several: "in Germany and the United Kingdom"."""
    named = [code for code in dict.fromkeys(codes) if code != GLOBAL]
    return f"in {listed(place(code) for code in named)}" if named else "worldwide"


def source_name(slug: str, names: Mapping[str, str]) -> str:
    """The name people read for a policy source, made from its slug where the catalogue gives none."""
    return names.get(slug) or slug.replace("_", " ").replace("-", " ").title()


def content_type_name(content_type: ContentType) -> str:
    """What kind of material: "landing pages"."""
    return _CONTENT_TYPES[content_type]


def day(value: date) -> str:
    """A day: "22 November 2026"."""
    return f"{value.day} {_MONTHS[value.month - 1]} {value.year}"


def listed(items: Iterable[str], last: str = "and", limit: int = 8) -> str:
    """ "a", "a and b", "a, b and c"; past `limit`: "a, b and 17 more"."""
    parts = list(dict.fromkeys(items))
    if len(parts) > limit:
        parts, last = [*parts[: limit - 1], f"{len(parts) - limit + 1} more"], "and"
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def quoted(text: str) -> str:
    """`text` in typographic quotation marks."""
    return f"“{text}”"


def sentence(text: str) -> str:
    """`text` with its first letter in upper case: for a sentence that begins with a name or an article."""
    return text[:1].upper() + text[1:]


def _takes_article(name: str) -> bool:
    plain = name.split(" (", 1)[0]
    return plain in _WITH_ARTICLE or plain.startswith(_ARTICLE_STARTS) or plain.endswith(_ARTICLE_ENDS)
