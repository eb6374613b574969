"""Days as documents write them: "1 July 2026", "July 1st, 2026", "2026-07-01", "1. Juli 2026", "31/12/2026".

Own expressions instead of dateparser: that reads 03/04/2026 as the fourth of March without a word of doubt, finds days
in "1.02" and "on May", and costs 0.17 s at import and 0.12 s at the first use. Month names are written out here
because those of `calendar` follow the locale of the process, not the language of the document.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date

_MONTHS = (
    "january jan januar enero ene gennaio gen janeiro januari janvier janv",
    "february feb februar febrero febbraio fevereiro fev februari février févr",
    "march mar märz marzo março maart mrt mars",
    "april apr abril abr aprile avril avr",
    "may mai mayo maggio mag maio mei",
    "june jun juni junio giugno giu junho juin",
    "july jul juli julio luglio lug julho juillet juil",
    "august aug agosto ago augustus août",
    "september sep sept septiembre settembre set setembro septembre",
    "october oct oktober okt octubre ottobre ott outubro out octobre",
    "november nov noviembre novembre novembro",
    "december dec dezember dez diciembre dic dicembre dezembro décembre déc",
)
"""English, German, Spanish, Italian, Portuguese, Dutch, French."""
_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
_NAME = f"(?P<month>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\\b\\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º|°)?"
_YEAR = r"(?P<year>\d{4})"
_OF = r"(?:of\s+|de\s+|del\s+)?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})(?P<sign>[-/.])(?P<month_number>\d{1,2})(?P=sign)(?P<day>\d{1,2})",
        r"(?P<one>\d{1,2})(?P<sign>[-/.])\s?(?P<two>\d{1,2})(?P=sign)\s?(?P<year>\d{4})",
        rf"{_DAY}[\s-]*{_OF}{_NAME},?[\s-]*{_OF}{_YEAR}",
        rf"{_NAME}\s*{_DAY},?\s*{_YEAR}",
        rf"{_NAME},?\s*{_OF}{_YEAR}",
    )
)
_AROUND = r"(?<![\w.-]){}(?!(?!T\d\d:)\w|[-/.]\d)"
WRITTEN = _AROUND.format(
    "(?:" + "|".join(re.sub(r"\?P<\w+>", "?:", re.sub(r"\(\?P=sign\)", "[-/.]", form.pattern)) for form in _FORMS) + ")"
)
"""An expression, without groups, for whatever `read_day` may read. To be used ignoring case."""


@dataclass(frozen=True, slots=True)
class WrittenDay:
    """The days that the words may mean: one, or a month's, or the two readings of 03/04/2026."""

    earliest: date
    latest: date
    is_month: bool = False

    @property
    def day(self) -> date | None:
        """The one day that is meant; None if there are several."""
        return self.earliest if self.earliest == self.latest else None


def read_day(text: str, *, is_day_first: bool = False) -> WrittenDay | None:
    """What the whole of `text` may mean; None where it is no day of the calendar.

    `is_day_first`: whether 1.2.2026 is surely the first of February, as where nobody writes dots else.
    """
    for form in _FORMS:
        if match := form.fullmatch(text.strip()):
            try:
                return _meant(match.groupdict(), is_day_first=is_day_first)
            except ValueError:  # the 31st of February
                return None
    return None


def _meant(parts: dict[str, str | None], *, is_day_first: bool) -> WrittenDay | None:
    year = int(parts["year"] or 0)
    if "one" in parts:
        keeps_order = is_day_first and parts["sign"] == "."
        return _numeric(int(parts["one"] or 0), int(parts["two"] or 0), year, keeps_order=keeps_order)
    month = int(parts["month_number"] or 0) if "month_number" in parts else _NUMBERS[str(parts["month"]).lower()]
    if "day" not in parts:
        return WrittenDay(date(year, month, 1), date(year, month, monthrange(year, month)[1]), is_month=True)
    day = date(year, month, int(parts["day"] or 0))
    return WrittenDay(day, day)


def _numeric(one: int, two: int, year: int, *, keeps_order: bool) -> WrittenDay | None:
    """Day or month first? That depends on the country of who writes, which neither the words nor the address tell:
    sites translated from American English keep its order, and Americans write 2.04.2022 too."""
    readings = [date(year, month, day) for day, month in ((one, two), (two, one)) if month <= 12]
    if not readings:
        return None
    if keeps_order:
        return WrittenDay(readings[0], readings[0])
    return WrittenDay(min(readings), max(readings))
