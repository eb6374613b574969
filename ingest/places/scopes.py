"""Where a part of a document holds."""

from dataclasses import dataclass

from rag_core.regions import EU, GLOBAL, country_of, seen_from


@dataclass(frozen=True, slots=True)
class Places:
    """The regions that a part of a document speaks for. `doubt`: a place is named, but perhaps not as its scope."""

    regions: tuple[str, ...] = (GLOBAL,)
    excluded: tuple[str, ...] = ()
    doubt: bool = False


def country_in(codes: tuple[str, ...]) -> str | None:
    """The one country in which all of `codes` lie, or None."""
    countries = {country_of(code) for code in codes}
    country = countries.pop() if len(countries) == 1 else None
    return None if country in (None, GLOBAL, EU) else country


def within(codes: tuple[str, ...], around: Places) -> tuple[str, ...]:
    """`codes` named below a heading for `around`: a wider place named below a narrower one does not widen it."""
    if set(codes) == set(around.regions):
        return around.regions
    if len(around.regions) != 1 or around.regions == (GLOBAL,):
        return codes
    wider = seen_from(around.regions[0]) - {GLOBAL}
    return around.regions if around.regions[0] not in codes and wider & set(codes) else codes
