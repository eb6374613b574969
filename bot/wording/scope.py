"""Wording of an answer's scope: place, platform, material, day, and how to change it."""

from collections.abc import Iterable, Mapping, Sequence

from bot.wording.names import content_type_name, day, listed, quoted, region_name, source_name
from rag_core.questions import NoteKind, Scope, ScopeNote

_FIELDS = {
    NoteKind.CITY: "regions",
    NoteKind.PLACE_GROUP: "regions",
    NoteKind.MISSPELT_PLACE: "regions",
    NoteKind.OTHER_NAME: "policy_sources",
    NoteKind.MISSPELT_PLATFORM: "policy_sources",
}
_GUESSED = {**_FIELDS, NoteKind.UNCLEAR_PLACE: "regions"}
_TO_NAME = {
    "regions": "the place",
    "policy_sources": "the platform",
    "content_types": "the material",
    "since": "the days",
    "as_of": "the day",
}
_EARLIER = "from earlier messages"
_DEFAULT = "assumed: the default of this channel"


def scope_parts(scope: Scope, names: Mapping[str, str]) -> list[str]:
    """ "Place: Germany (from “Munich”)", "Platform: Google (from the question)", "Day: 22 November 2026 (assumed)" ...:
    what was not set explicitly is marked, with the words it was read from where they are no name of it."""
    places = [region_name(code) for code in scope.regions]
    platforms = [source_name(each, names) for each in scope.policy_sources]
    parts = [
        _part("Place", places, "none named", _mark(scope, "regions", scope.regions, names)),
        *_not_taken(scope, names),
        _part("Platform", platforms, "any", _mark(scope, "policy_sources", scope.policy_sources, names)),
    ]
    if scope.content_types:
        types = [content_type_name(each) for each in scope.content_types]
        parts.append(f"Material: {listed(types)}{_mark(scope, 'content_types')}")
    if scope.sections:
        parts.append(f"Section: {listed(scope.sections, 'or')}{_mark(scope, 'sections')}")
    parts += [f"{key}: {listed(values, 'or')}{_label_mark(scope, key)}" for key, values in scope.labels.items()]
    days = f"Days: {day(scope.since)} to " if scope.since and scope.since != scope.as_of else "Day: "
    return [*parts, f"{days}{day(scope.as_of)}{_day_mark(scope)}"]


def scope_line(scope: Scope, names: Mapping[str, str]) -> str:
    """`scope_parts` in one line."""
    return " · ".join(scope_parts(scope, names))


def scope_hint(scope: Scope) -> str:
    """How to change what was not plainly said; "" where everything was."""
    named = [_TO_NAME.get(each, f"the {each}") for each in dict.fromkeys(_guessed_fields(scope))]
    return f"Not what you meant? Name {listed(named)} and ask again." if named else ""


def scope_note(note: ScopeNote, names: Mapping[str, str]) -> str:
    """One note by itself: "“Munich” was read as Germany."."""
    meant = listed(_meant(note, names), "or" if note.kind is NoteKind.UNCLEAR_PLACE else "and")
    match note.kind:
        case NoteKind.UNCLEAR_PLACE:
            return f"{quoted(note.said)} was not taken as a place: it may mean {meant}."
        case NoteKind.PLACES_LEFT_OUT:
            return f"Left out: {meant}. Ask about them separately."
        case NoteKind.LABEL_DEFAULT:
            return f"{meant} was assumed."
        case NoteKind.CARRIED:
            return f"From earlier messages: {meant}."
        case _:
            return f"{quoted(note.said)} was read as {meant}."


def _part(label: str, values: list[str], nothing: str, mark: str) -> str:
    plural = "s" if len(values) > 1 else ""
    return f"{label}{plural}: {listed(values)}{mark}" if values else f"{label}: {nothing}"


def _mark(scope: Scope, field: str, codes: Sequence[str] = (), names: Mapping[str, str] | None = None) -> str:
    """Where the values of a field come from, in brackets; "" for what was set explicitly."""
    known = names or {}
    read = [_read_as(each, codes, known) for each in scope.notes if _FIELDS.get(each.kind) == field]
    reasons = [each for each in read if each]
    if field in _carried(scope):
        reasons.insert(0, _EARLIER)
    elif not reasons and field in scope.inferred:
        reasons.append("from the question")
    elif field in scope.assumed:
        reasons.append("assumed" if field == "as_of" else _DEFAULT)
    return _brackets(reasons)


def _read_as(note: ScopeNote, codes: Sequence[str], names: Mapping[str, str]) -> str:
    """Which words gave which of the values; "" where a filter has others instead."""
    if not set(note.meant) & set(codes):
        return ""
    if set(codes) <= set(note.meant):
        return f"from {quoted(note.said)}"
    return f"{quoted(note.said)} read as {listed(_meant(note, names))}"


def _label_mark(scope: Scope, key: str) -> str:
    notes = [each for each in scope.notes if any(value.startswith(f"{key}=") for value in each.meant)]
    reasons = [_EARLIER] if "labels" in _carried(scope) else []
    reasons += [f"from {quoted(each.said)}" for each in notes if each.kind is NoteKind.LABEL_WORD]
    reasons += ["assumed" for each in notes if each.kind is NoteKind.LABEL_DEFAULT]
    return _brackets(reasons)


def _day_mark(scope: Scope) -> str:
    if {"as_of", "since"} & set(_carried(scope)):
        return _brackets([_EARLIER])
    return _mark(scope, "as_of")


def _brackets(reasons: Iterable[str]) -> str:
    said = ", ".join(dict.fromkeys(reasons))
    return f" ({said})" if said else ""


def _not_taken(scope: Scope, names: Mapping[str, str]) -> list[str]:
    """Words that were read as no place, and places for which there was no room."""
    parts = []
    for note in scope.notes:
        if note.kind is NoteKind.UNCLEAR_PLACE:
            parts.append(f"Not taken: {quoted(note.said)} ({listed(_meant(note, names), 'or')}?)")
        elif note.kind is NoteKind.PLACES_LEFT_OUT:
            parts.append(f"Left out: {listed(_meant(note, names))} (ask about them separately)")
    return parts


def _carried(scope: Scope) -> tuple[str, ...]:
    return tuple(field for note in scope.notes if note.kind is NoteKind.CARRIED for field in note.meant)


def _guessed_fields(scope: Scope) -> list[str]:
    """The fields whose values nobody said in so many words; of labels, their names."""
    found: list[str] = [each for each in scope.assumed if each != "as_of"]
    for note in scope.notes:
        if note.kind is NoteKind.LABEL_DEFAULT:
            found += [value.partition("=")[0] for value in note.meant]
        elif note.kind is NoteKind.CARRIED:
            found += [each for field in note.meant for each in (scope.labels if field == "labels" else (field,))]
        elif note.kind in _GUESSED and note.kind is not NoteKind.OTHER_NAME:
            found.append(_GUESSED[note.kind])
    return found


def _meant(note: ScopeNote, names: Mapping[str, str]) -> list[str]:
    """What a note's codes are called."""
    match note.kind:
        case NoteKind.OTHER_NAME | NoteKind.MISSPELT_PLATFORM:
            return [source_name(each, names) for each in note.meant]
        case NoteKind.LABEL_WORD | NoteKind.LABEL_DEFAULT:
            return [each.replace("=", " ", 1) for each in note.meant]
        case NoteKind.CARRIED:
            return [_TO_NAME.get(each, each) for each in note.meant]
        case _:
            return [region_name(each) for each in note.meant]
