"""`rules`: what was read in the rules of a document, and what operators say instead."""

import argparse
import json
from collections.abc import Callable, Iterator
from typing import TextIO

from ingest.model.operators import operator, utc_now
from ingest.model.rules import Correction
from ingest.parts import IngestParts
from ingest.rules import wording
from ingest.rules.listing import ID_LENGTH, ListedRule, RuleList, hash_of, rules_of
from ingest.rules.report import rule_json, rule_line
from rag_core.rules.reader import Effect


async def rules_command(
    args: argparse.Namespace, parts: IngestParts, out: TextIO, whoami: Callable[[], str] = operator
) -> int:
    """0. Raises Rejected for a document or a rule that is not there, and Unavailable."""
    if args.withdraw:
        known = await parts.rules.corrections(args.document)
        hash_ = hash_of(args.withdraw, args.document, list(known), unknown="unknown_correction")
        gone = await parts.rules.withdraw(args.document, hash_, whoami(), utc_now())
        print(wording.withdrawn(hash_[:ID_LENGTH], gone.effect), file=out)
        return 0
    found = await rules_of(args.document, parts, utc_now().date())
    if args.correct:
        hash_ = hash_of(args.correct, args.document, [each.rule_hash for each in found.rules])
        effect = Effect(args.effect)
        await parts.rules.correct(Correction(args.document, hash_, effect, whoami(), utc_now(), args.note or ""))
        print(wording.kept_correction(hash_[:ID_LENGTH], effect), file=out)
        return 0
    shown = [each for each in found.rules if args.all or each.is_uncertain]
    print(_as_json(found, shown) if args.format == "json" else "\n".join(_as_text(found, shown)), file=out)
    return 0


def _as_text(found: RuleList, shown: list[ListedRule]) -> Iterator[str]:
    version, unread = found.version, sum(each.reading is None for each in found.rules)
    uncertain = sum(each.is_uncertain for each in found.rules)
    yield wording.counted(uncertain, len(found.rules), unread, version.title, version.doc_id)
    path: tuple[str, ...] = ()
    for each in shown:
        if each.rule.path != path:
            path = each.rule.path
            yield wording.headings(path)
        yield rule_line(each, with_id=True)
    for past in found.past:
        yield wording.past_correction(past.rule_hash[:ID_LENGTH], past.effect, past.person, past.at, past.note)


def _as_json(found: RuleList, shown: list[ListedRule]) -> str:
    shape = {
        "document_id": found.version.document_id,
        "doc_id": found.version.doc_id,
        "title": found.version.title,
        "rules_in_all": len(found.rules),
        "rules": [{"id": each.rule_id, "path": each.rule.path, **rule_json(each)} for each in shown],
        "past_corrections": [
            {"id": each.rule_hash[:ID_LENGTH], "effect": each.effect, "person": each.person, "at": each.at.isoformat()}
            for each in found.past
        ],
    }
    return json.dumps(shape, ensure_ascii=False, indent=2)
