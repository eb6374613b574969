"""Days as documents write them, and the phrases with which a document says from when it holds or when it was
written."""

import re
from calendar import monthrange
from collections.abc import Iterable
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


DOCUMENT = (
    r"(?:polic(?:y|ies)|terms|agreements?|guidelines?|notice|statement|conditions|code|rules|standards|handbook"
    r"|requirements|addendum|document|page|version)"
)
"""A document, not a rule in it."""


def _any(phrases: Iterable[str]) -> str:
    return "(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in phrases) + ")"


_CHANGED = r"(?:updated|modified|revised|amended|changed|edited)"
_CHANGE = r"(?:update|modification|revision|amendment|change)"
_KIND = r"(?:(?:page|policy|document|article|content|terms|version|agreement) )?"
_THIS = rf"(?:this|these) (?:[\w-]+ ){{0,6}}?{DOCUMENT}"
_SINCE = r"(?:from|since|as of|as from|on|starting|beginning)"
_UPDATED = (
    rf"{_KIND}(?:last|most recently) {_CHANGED}(?: date)?",
    rf"date (?:of |of the )?(?:last|latest) (?:{_CHANGED}|{_CHANGE})",
    rf"(?:last|latest|most recent) {_CHANGE}(?: date)?",
    r"(?:update|revision|version) date",
    r"version dated",
    rf"(?:{_THIS}|(?:the|our) {DOCUMENT}) (?:was|were|is|are|has been|have been) (?:last |most recently )?{_CHANGED}",
    rf"we last {_CHANGED} (?:this|these|our) {DOCUMENT}",
)
_UPDATED_ELSEWHERE = (
    r"version of|stand(?: vom)?|(?:version|fassung) vom",
    r"zuletzt (?:aktualisiert|geändert|überarbeitet)",
    r"letzte (?:aktualisierung|änderung|überarbeitung)",
    r"(?:date de (?:la )?)?dernière (?:mise à jour|modification|révision)",
    r"(?:fecha de (?:la )?)?última (?:actualización|modificación|revisión)",
    r"ultimo aggiornamento|ultima (?:modifica|revisione)",
    r"última (?:atualização|modificação|revisão|alteração)",
    r"laatst (?:bijgewerkt|gewijzigd|herzien)|laatste (?:update|wijziging|aanpassing)",
)
_UPDATED_BARE_ELSEWHERE = (r"aktualisiert", r"mise? à jour", r"actualizad[oa]", r"aggiornat[oa]", r"atualizad[oa]")
_EFFECTIVE = (
    rf"{_KIND}effective date",
    r"date effective|date of (?:entry into force|effect)",
)
_EFFECTIVE_ELSEWHERE = (
    r"datum des inkrafttretens|inkrafttreten",
    r"date d['’]entrée en vigueur",
    r"fecha de (?:entrada en vigor|vigencia)",
    r"data di entrata in vigore",
    r"data de (?:entrada em vigor|vigência)",
    r"ingangsdatum",
)
_EFFECTIVE_SENTENCE = (
    rf"{_THIS} (?:is|are|becomes?|became|will be|shall be) (?:effective|in force|in effect|valid)(?: {_SINCE})?",
    rf"{_THIS} (?:takes?|took|comes?|came|enters?|entered|goes|went|will (?:take|come|enter|go)) (?:in(?:to)? )?"
    rf"(?:effect|force)(?: {_SINCE})?",
    rf"{_THIS} (?:applies|apply) (?:from|since|as of|as from)",
)
_EFFECTIVE_BARE = (
    rf"{_KIND}effective(?: {_SINCE})?",
    rf"(?:in force|in effect|valid) {_SINCE}",
)
_EFFECTIVE_BARE_ELSEWHERE = (
    r"(?:gültig|in kraft|gilt|wirksam) (?:ab|seit)",
    r"en vigueur (?:à compter|à partir|depuis)",
    r"(?:vigente|en vigor) (?:desde|a partir)",
    r"in vigore (?:dal|da|a partire)",
    r"(?:em vigor|vigente) (?:desde|a partir)",
    r"(?:geldig|van kracht) (?:vanaf|sinds|per)",
)
_BETWEEN = r"\s*(?P<colon>:)?\s*(?:(?:on|from|is|the|am|dem|den|vom|le|du|el|de|del|dal|il|al|em|op)\s+){0,2}"
_WEEKDAY = r"(?:[^\W\d]{3,12}(?:day|tag|di|dag|feira),?\s+)?"
_TIME = r"(?:T?\s*(?:at\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\b\.?)?(?:\s*(?:UTC|GMT|Z)\b)?)?"
_ELSEWHERE = rf"(?P<updated_elsewhere>{_any(_UPDATED_ELSEWHERE)})|(?P<effective_elsewhere>{_any(_EFFECTIVE_ELSEWHERE)})"
LABEL = rf"(?:(?P<updated>{_any(_UPDATED)})|(?P<effective>{_any(_EFFECTIVE)})|{_ELSEWHERE})"
"""What may stand over or beside a day that has its own line or cell."""
STATEMENT = (
    rf"(?:{LABEL}|(?P<effective_sentence>{_any(_EFFECTIVE_SENTENCE)})"
    rf"|(?P<updated_bare>{_CHANGED})|(?P<updated_bare_elsewhere>{_any(_UPDATED_BARE_ELSEWHERE)})"
    rf"|(?P<effective_bare>{_any(_EFFECTIVE_BARE)})|(?P<effective_bare_elsewhere>{_any(_EFFECTIVE_BARE_ELSEWHERE)}))"
    rf"{_BETWEEN}{_WEEKDAY}(?P<written>{WRITTEN}){_TIME}"
)
"""Groups that end in `_elsewhere` are of languages in which days with dots have one order."""
MARK = (
    r"(?:\[?(?:version|ver\.?|v\.?|revision|rev\.?|edition|issue)\s*:?\s*\d+(?:\.\d+)*\b(?!\.?\d)"
    r"|(?:©|\(c\)|copyright)[^|·•–—.]*"
    r"|(?:(?:first|last|next)\s+)?"
    r"(?:published|released|posted|created|formulated|established|issued|adopted|approved|reviewed?)"
    rf"(?:\s+(?:on|date))?\s*:?\s*{WRITTEN})"
)
"""What may stand before a statement on its line: a version's number, a copyright notice, a day of another kind. When a
page was first published says nothing of its wording now."""
OTHER_VERSIONS = (
    r"(?:view|see|read|download|print|archived?|previous|prior|earlier|past)\b[^.]{0,80}\b(?:versions?|pdf|archives?)\b"
    r"[^.]{0,40}"
)
"""Links beside a statement, to the page in other forms."""
