"""The sentences about rules: what was read in them, how sure that is, and what operators say."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

Details = Mapping[str, object]

_NO_RULE = "no rule"


def help_texts() -> dict[str, str]:
    """The texts of `--help`, beside those of `ingest.wording`."""
    return {
        "rules": (
            "List the rules of a document whose reading is uncertain, and correct it. What is listed is the version "
            "that holds now."
        ),
        "rules_document": "the document_id",
        "rules_all": "all rules, not only uncertain ones",
        "correct": "say what the rule with this id does; it holds as long as its words stand in the document",
        "effect": "what it does, with --correct",
        "note": "why, for the record",
        "withdraw": "take back the correction of the rule with this id",
        "rules_format": "text or json (default: text)",
    }


STEP = "reading rules"
"""Beside the progress bar."""


def not_read(code: str, details: Details) -> str:
    """Why rules were not read, and what follows from it."""
    build = SENTENCES.get(code)
    why = build(details) if build else f"{code.replace('_', ' ')}."
    return (
        f"Rules were not read: {why} The documents are stored and found all the same; what their rules do is not known "
        "until `python -m ingest run` has read them."
    )


def outcome(effect: str | None, certainty: float) -> str:
    """What a rule does, as it was read: "prohibits 93 %"."""
    return f"{effect or _NO_RULE} {certainty:.0%}".replace("%", " %")


def corrected(effect: str, was: str = "") -> str:
    """`was`: what the reader says, if it has said anything."""
    return f"{effect}, corrected{f' (read: {was})' if was else ''}"


UNREAD = "not read yet"


def by_words(effect: str) -> str:
    """A rule that no reader has read."""
    return f"not read yet; its words say: {effect}"


def headings(path: Sequence[str]) -> str:
    """Above the rules of a section."""
    return f"\n{' > '.join(path) or 'Before the first heading'}"


def differing(opinion: str) -> str:
    """Where the words of a rule say something else than the reader."""
    return f"its words say: {opinion}"


def rule(reading: str, text: str, rule_id: str = "", opinion: str = "") -> str:
    """A rule in one line."""
    first = f"{rule_id}  " if rule_id else "  "
    return f"{first}[{reading}{f'; {opinion}' if opinion else ''}] {text}"


def by_words_alone(code: str, details: Details) -> str:
    """In a preview without a reader."""
    build = SENTENCES.get(code)
    why = build(details) if build else f"{code.replace('_', ' ')}."
    return f"warning: {why} Rules are shown by what their words say."


def counted(uncertain: int, total: int, unread_: int, title: str, doc_id: str) -> str:
    """Above a list of rules."""
    what = f"{uncertain} of {total} rules {'is' if uncertain == 1 else 'are'} uncertain"
    waiting = f"; {unread_} were not read yet: run `python -m ingest run`" if unread_ else ""
    return f"{title} ({doc_id}): {what}{waiting}."


def kept_correction(rule_id: str, effect: str) -> str:
    return f"Rule {rule_id} {effect}, from now on: for every version of the document that says it in these words."


def withdrawn(rule_id: str, effect: str) -> str:
    return f"The correction of rule {rule_id} ({effect}) is withdrawn. What the reader says holds again."


def past_correction(rule_id: str, effect: str, person: str, at: datetime, note: str) -> str:
    """A correction whose words do not stand in the document now."""
    why = f": {note}" if note else ""
    return f"{rule_id}  [{effect}, corrected by {person} on {at:%Y-%m-%d}] does not stand in this version{why}"


EFFECT_MISSING = "--correct takes --effect: what the rule does."


def only_with_correct(option: str) -> str:
    return f"{option} goes with --correct."


ONE_CHANGE = "Give one of --correct, --withdraw and --all."


SENTENCES: dict[str, Callable[[Details], str]] = {
    "rule_reader_missing": lambda d: (
        f"the weights of the reader are missing ({d.get('path')}). They are part of the program: install it anew."
    ),
    "rule_reader_unreadable": lambda d: (
        f"the weights of the reader cannot be used ({d.get('path')}: {d.get('reason')}). Install the program anew."
    ),
    "unknown_document": lambda d: (
        f"there is no document {d.get('document_id')}. Give its document_id, as `python -m ingest changes` and the "
        "pages of documents show it, without a date."
    ),
    "no_live_version": lambda d: (
        f"no version of {d.get('document_id')} holds now, so it has no rules to list. `python -m ingest held` lists "
        "what waits for review."
    ),
    "unknown_rule": lambda d: (
        f"no rule of {d.get('document_id')} has the id {d.get('rule_id')}. `python -m ingest rules "
        f"{d.get('document_id')} --all` lists them."
    ),
    "rule_ambiguous": lambda d: (
        f"several rules of {d.get('document_id')} have an id that begins with {d.get('rule_id')}. Give more of it: "
        f"{d.get('ids')}."
    ),
    "unknown_correction": lambda d: (
        f"no correction of the rule {d.get('rule_id')} of {d.get('document_id')} is in force. `python -m ingest rules "
        f"{d.get('document_id')} --all` shows those that are."
    ),
}
