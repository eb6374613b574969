"""The phrases with which a document says from when it holds or when it was last changed, as expressions."""

from collections.abc import Iterable

from ingest.written_days import WRITTEN

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
