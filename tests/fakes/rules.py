"""Builders for tests of reading rules: passages, units, questions, evidence, from a line of text."""

from dataclasses import replace
from datetime import date
from typing import Any

from ingest.model.rules import ReadChunk, ReadRule
from ingest.ports import VersionWrite
from rag_core.answering.evidence import Target, target_of
from rag_core.documents import Passage
from rag_core.questions import Intent, QueryTerm, Question, Scope
from rag_core.rules.cues import opinion_of
from rag_core.rules.decide import Decision
from rag_core.rules.judging import judged
from rag_core.rules.reader import AskedText, Effect, RuleReading
from rag_core.rules.rule import Rule, rule_hash, rules_in, text_hash, with_lists
from rag_core.rules.structure import RuleKind
from rag_core.understanding.terms import terms_of
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.reader import FakeReader

DAY = date(2026, 6, 1)
READING = RuleReading(dict(zip(Effect, (0.7, 0.1, 0.05, 0.05, 0.05), strict=True)), 0.05)


def passage(
    body: str,
    heading: str = "Rules",
    regions: tuple[str, ...] = ("global",),
    *,
    document_id: str = "acme_rules",
    title: str = "Advertising",
    lead_in: str = "",
    **version: Any,
) -> Passage:
    """One section of a document; `version` are further fields of DocumentVersion."""
    write = make_write(make_version(document_id, title=title, **version), [Section(heading, body, regions)])
    found = passages_of(write)[0]
    return Passage(replace(found.chunk, lead_in=lead_in), found.version)


def read_chunks(write: VersionWrite, reading: RuleReading = READING) -> list[ReadChunk]:
    """All chunks of a version, as read."""
    return [
        ReadChunk(
            passage.chunk.chunk_id,
            passage.chunk.doc_id,
            passage.version.document_id,
            tuple(
                ReadRule(
                    number,
                    rule_hash(rule.as_read()),
                    text_hash(rule.as_read()),
                    rule.kind,
                    rule.body[0].start,
                    rule.body[-1].end,
                    reading,
                    opinion_of(rule.as_read()),
                )
                for number, rule in enumerate(rules_in(passage))
            ),
        )
        for passage in passages_of(write)
    ]


def unit(body: str, heading: str = "Rules", regions: tuple[str, ...] = ("global",), **changes: Any) -> Rule:
    """The last rule that `body` states; `changes` as for `passage`."""
    return rules_in(passage(body, heading, regions, **changes))[-1]


def whole_list(body: str, heading: str = "Rules", regions: tuple[str, ...] = ("global",)) -> Rule:
    """The list in `body` as one rule."""
    return next(each for each in with_lists(rules_in(passage(body, heading, regions))) if each.kind is RuleKind.LIST)


def words(text: str) -> tuple[QueryTerm, ...]:
    """The content words of `text`, with their synonyms."""
    return terms_of(text)


def question(text: str, *places: str, intent: Intent = Intent.PERMISSION, **scope: Any) -> Question:
    """A question on the topic `text`, in `places`."""
    return Question(text, Scope(scope.pop("as_of", DAY), regions=places, **scope), intent, terms_of(text), True)


def target(
    text: str,
    place: str | None,
    *passages: Passage,
    policy_source: str = "acme",
    intent: Intent = Intent.PERMISSION,
    reader: FakeReader | None = None,
) -> Target:
    """What composing takes: what `passages` say to a question on `text`, as the fake reader judges their rules."""
    asked = question(text, *([place] if place else []), intent=intent)
    rules = [(rule, 0.6 - 0.02 * at) for at, rule in enumerate(each for one in passages for each in rules_in(one))]
    judgements = (reader or FakeReader()).judgements(AskedText(text), [rule.as_read(place) for rule, _ in rules])
    return target_of(asked, place, policy_source, judged(rules, judgements, place))


def decision(text: str, place: str | None, *passages: Passage) -> Decision:
    """The verdict on `text` in `place` from `passages`."""
    return target(text, place, *passages).decision
