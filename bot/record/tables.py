"""The record as rows of a spreadsheet."""

from collections.abc import Mapping
from typing import Any

from bot.record.exchanges import ASKED, SHOWN, UNDERSTOOD
from bot.record.personal import PERSON

CSV_COLUMNS = (
    "chain",
    "sequence",
    "at",
    "kind",
    "origin",
    "subject",
    "person",
    "channel",
    "asked",
    "understood",
    "outcome",
    "verdicts",
    "regions",
    "as_of",
    "documents",
    "shown",
    "model",
    "prompt_version",
    "record_id",
    "hash",
)

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""


def csv_row(body: Mapping[str, Any], personal: Mapping[str, Any] | None, hash_: str) -> list[str]:
    """The cells of CSV_COLUMNS; empty where there is nothing, or it was forgotten."""
    facts = body["facts"]
    told = {name: each["value"] for name, each in (personal or {}).items()}
    scope, model = facts.get("scope") or {}, facts.get("model") or {}
    values = {
        **{name: body[name] for name in ("chain", "sequence", "at", "kind", "origin", "subject", "record_id")},
        "person": told.get(PERSON),
        "channel": told.get("channel"),
        "asked": told.get(ASKED),
        "understood": told.get(UNDERSTOOD),
        "shown": told.get(SHOWN),
        "outcome": _outcome(facts),
        "verdicts": "; ".join(_verdict(each) for each in facts.get("verdicts", ())),
        "regions": " ".join(scope.get("regions", ())),
        "as_of": scope.get("as_of"),
        "documents": " ".join(dict.fromkeys(each["doc_id"] for each in facts.get("citations", ()))),
        "model": model.get("name"),
        "prompt_version": model.get("prompt_version"),
        "hash": hash_,
    }
    return [cell(values[name]) for name in CSV_COLUMNS]


def cell(value: object) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _outcome(facts: Mapping[str, Any]) -> object:
    refusal = facts.get("refusal") or {}
    return facts.get("outcome") or facts.get("act") or refusal.get("reason")


def _verdict(verdict: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (verdict["region"], verdict["policy_source"], verdict["verdict"])))
