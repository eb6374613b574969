"""A scope as it is chosen in a form: the names of its fields, what they say at first, what was filled in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from bot.model.visible import one_line, shorten
from bot.wording import answers as wording
from bot.wording.names import region_name
from rag_core.documents import ContentType
from rag_core.errors import Rejected
from rag_core.questions import Filters
from rag_core.regions import normalise, region_named

PLATFORM, PLACE, MATERIAL, DAY = "scope_platform", "scope_place", "scope_material", "scope_day"
"""Name of each field."""

LONGEST_PLACES = 300
LONGEST_SLUG = 150
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ScopeChosen:
    """What the fields say at first: slugs, region codes, content types, a day."""

    policy_sources: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()
    as_of: date | None = None

    @property
    def typed_places(self) -> str:
        """As somebody would type them; "" where they are too many for the field."""
        typed = ", ".join(_typed_place(each) for each in self.regions)
        return typed if len(typed) <= LONGEST_PLACES else ""


NOTHING_CHOSEN = ScopeChosen()


@dataclass(frozen=True, slots=True)
class ScopeFilled:
    """`errors`: name of a field -> what stands beside it; with any of them nothing else counts."""

    filters: Filters = field(default_factory=Filters)
    as_of: date | None = None
    errors: Mapping[str, str] = field(default_factory=dict)


def filled_scope(platforms: Sequence[str], places: str, materials: Sequence[str], day: str) -> ScopeFilled:
    """What was chosen and typed; "" and nothing for fields that are empty or not there."""
    errors: dict[str, str] = {}
    if any(not each or len(each) > LONGEST_SLUG for each in platforms):
        errors[PLATFORM] = wording.PLATFORM_UNKNOWN
    if not set(materials) <= {each.value for each in ContentType}:
        errors[MATERIAL] = wording.MATERIAL_UNKNOWN
    regions, unknown = _places(places)
    if unknown:
        errors[PLACE] = wording.place_unknown(shorten(unknown, _LONGEST_SHOWN))
    as_of = _day(day)
    if day and as_of is None:
        errors[DAY] = wording.DAY_UNKNOWN
    filters = Filters(policy_sources=tuple(platforms), regions=regions, content_types=tuple(materials))
    return ScopeFilled(filters, as_of, errors)


def _typed_place(code: str) -> str:
    """A name that is read back as the same place; of a state whose name is shared, its code."""
    return code.upper() if "-" in code else region_name(code)


def _places(typed: str) -> tuple[tuple[str, ...], str]:
    """The codes of all places, each once, and the first that is none."""
    found: dict[str, None] = {}
    for name in typed[:LONGEST_PLACES].replace(";", ",").replace("\n", ",").split(","):
        said = one_line(name)
        if said and (code := _place(said)) is None:
            return (), said
        if said and code:
            found[code] = None
    return tuple(found), ""


def _place(said: str) -> str | None:
    """By its name first: "Georgia" is a country, "in" no word that somebody would type for one."""
    if (named := region_named(said)) is not None:
        return named
    try:
        return normalise(said)
    except Rejected:
        return None


def _day(chosen: str) -> date | None:
    try:
        return date.fromisoformat(chosen)
    except ValueError:
        return None
