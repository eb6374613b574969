"""A rule as it was read, for a terminal and for a program."""

from typing import Any

from ingest.rules import wording
from ingest.rules.listing import ListedRule


def rule_line(found: ListedRule, *, with_id: bool) -> str:
    """A rule in one line; where its words say something else than the reader, that too."""
    opinion = wording.differing(found.opinion.effect) if found.differs and found.opinion.effect else ""
    return wording.rule(_reading(found), _text(found), found.rule_id if with_id else "", opinion)


def rule_json(found: ListedRule) -> dict[str, Any]:
    """The same as plain JSON values."""
    effect, certainty = found.outcome
    reading = found.reading
    return {
        "kind": found.rule.kind,
        "lead": [each.text for each in found.rule.lead],
        "text": [each.text for each in found.rule.body],
        "effect": effect,
        "certainty": round(certainty, 4) if reading else None,
        "effects": {each.value: round(share, 4) for each, share in reading.effects.items()} if reading else None,
        "no_rule": round(reading.no_rule, 4) if reading else None,
        "words_say": found.opinion.effect,
        "opinions_differ": found.differs,
        "corrected": found.corrected,
    }


def _reading(found: ListedRule) -> str:
    read = wording.outcome(*found.outcome) if found.reading is not None else ""
    if found.corrected:
        return wording.corrected(found.corrected, read)
    return read or (wording.by_words(found.opinion.effect) if found.opinion.effect else wording.UNREAD)


def _text(found: ListedRule) -> str:
    """On one line, the lead-in before the rule."""
    return " ".join(" ".join(part.split()) for part in (each.text for each in found.rule.quotes))
