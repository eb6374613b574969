"""Wording of warnings, and of what a failed part of the service means for an answer."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from bot.wording.names import day, listed, place, quoted, region_name, sentence
from rag_core.answers import Notice, WarningCode
from rag_core.errors import Rejected
from rag_core.regions import normalise

_DEGRADED = {
    "vector": "The search by meaning did not answer: a rule that uses other words than the question may be missing.",
    "keyword": "The search by words did not answer: a rule may be missing.",
    "store": "The document store did not answer: this comes from the search index, public documents only.",
    "reranker": "The re-ranking did not answer: the best rule may not be the first.",
    "model": "The language model did not answer: the rules are quoted without a summary.",
    "memory": "The conversation's memory did not answer: earlier messages were not taken into account.",
    "order": "An earlier question of this conversation was still being answered: it was not taken into account.",
    "redis": "A part of the service (recent messages, limits) did not answer: another part stood in for it.",
    "record": "This answer could not be recorded: keep a copy of it if you act on it.",
    "groups": "Your groups could not be read: this comes from the documents that are open to everybody.",
    "embedder": "The search by meaning did not answer: a rule that uses other words than the question may be missing.",
}


NOTE_LABEL = "Note"
"""Stands before a warning."""


def warning(notice: Notice, titles: Mapping[str, str]) -> str:
    """A warning as a sentence. `titles`: document id or doc id -> title, where known."""
    return _WARNINGS[notice.code](notice.subjects, titles)


def _sample(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    return "These documents are invented samples, not a real platform's policies. Do not act on this answer."


def _no_rule_for(regions: Sequence[str], titles: Mapping[str, str]) -> str:
    if not regions:
        return "No rule of the place's own was found; the global rules apply."
    return f"No rule of its own was found for {listed(place(code) for code in regions)}; the global rules apply."


def _conflict(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    """A subject that is a day is that from which the version of the document before it holds."""
    named: list[str] = []
    for each in subjects:
        if named and _is_day(each):
            named[-1] += f" of {day(date.fromisoformat(each))}"
        else:
            named.append(quoted(titles.get(each, each)))
    documents = listed(named)
    which = f" ({documents})" if documents else ""
    return f"The policies contradict each other here{which}. Read the sources before you act."


def _places_differ(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    own = f", for example {listed(region_name(code) for code in subjects)}" if subjects else ""
    return f"Some places have rules of their own{own}. Name the place to get its rule."


def _past_day(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    return f"This holds for {_day_named(subjects)}: a later version of a cited policy replaces it."


def _date_not_stated(days: Sequence[str], titles: Mapping[str, str]) -> str:
    read = listed(day(date.fromisoformat(each)) for each in days if _is_day(each))
    return f"Read on {read}; the document does not state since when it holds."


def _future_day(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    return f"{sentence(_day_named(subjects))} is still to come; the rules may change before then."


def _nothing_found(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    what = listed(_place_or_platform(each) for each in subjects) or "a part of the question"
    return f"No rule was found for {what}. That is not a permission."


def _no_documents(platforms: Sequence[str], titles: Mapping[str, str]) -> str:
    of = f" of {listed(platforms)}" if platforms else ""
    return f"There are no policies{of} on file that you can see. That is not a permission."


def _specific_first(regions: Sequence[str], titles: Mapping[str, str]) -> str:
    where = f" for {listed(place(code) for code in regions)}" if regions else ""
    return f"A more general rule says otherwise{where}: the more specific one decides."


def _left_out(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    count = subjects[0] if subjects else "1"
    sentences, were = ("1 sentence", "was") if count == "1" else (f"{count} sentences", "were")
    return f"{sentences} of the language model {were} left out: no quote from the policies supports what it said."


def _default_ignored(subjects: Sequence[str], titles: Mapping[str, str]) -> str:
    return "A default place or platform of this channel is not known here any more, and was left out: see its settings."


_WARNINGS: dict[WarningCode, Callable[[Sequence[str], Mapping[str, str]], str]] = {
    WarningCode.SAMPLE: _sample,
    WarningCode.NO_RULE_FOR_PLACE: _no_rule_for,
    WarningCode.CONFLICT: _conflict,
    WarningCode.PLACES_DIFFER: _places_differ,
    WarningCode.PAST_DAY: _past_day,
    WarningCode.DATE_NOT_STATED: _date_not_stated,
    WarningCode.FUTURE_DAY: _future_day,
    WarningCode.NOTHING_FOUND: _nothing_found,
    WarningCode.SPECIFIC_FIRST: _specific_first,
    WarningCode.LEFT_OUT: _left_out,
    WarningCode.NO_DOCUMENTS: _no_documents,
    WarningCode.DEFAULT_IGNORED: _default_ignored,
}


def _place_or_platform(subject: str) -> str:
    try:
        return place(normalise(subject))
    except Rejected:
        return subject


def _is_day(subject: str) -> bool:
    try:
        date.fromisoformat(subject)
    except ValueError:
        return False
    return True


def _day_named(subjects: Sequence[str]) -> str:
    try:
        return day(date.fromisoformat(subjects[0]))
    except (IndexError, ValueError):
        return "the day asked about"


def degraded(part: str) -> str:
    """What a part that did not answer means for this answer."""
    return _DEGRADED.get(part, f"A part of the service ({part}) did not answer: the answer may be incomplete.")
