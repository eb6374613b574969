"""The rules of a document as operators look at them: what was read, how sure it is, and which one is which."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ingest.model.rules import Correction
from ingest.parts import IndexingParts
from ingest.planner.history import is_in_force
from ingest.ports import VersionStore
from rag_core.documents import DocumentVersion
from rag_core.errors import Rejected
from rag_core.rules.cues import Opinion, opinion_of
from rag_core.rules.reader import Effect, RuleReading
from rag_core.rules.rule import Rule, rule_hash, rules_in

ID_LENGTH = 8
CERTAIN = 0.7
"""What a reading is uncertain below."""
_PLAIN = 0.8
"""The certainty from which the words of a rule are plain."""
_CONTRADICTED = 0.2
"""Below that probability of what they say, the reading contradicts them."""


@dataclass(frozen=True, slots=True)
class ListedRule:
    """`reading` None: nobody has read it yet. `corrected`: what an operator says instead."""

    rule: Rule
    rule_hash: str
    opinion: Opinion
    reading: RuleReading | None
    corrected: Effect | None = None

    @property
    def rule_id(self) -> str:
        """Its short name: the beginning of the hash of its words."""
        return self.rule_hash[:ID_LENGTH]

    @property
    def outcome(self) -> tuple[Effect | None, float]:
        """What was most probably read, and with which probability; None: that it is no rule."""
        if self.reading is None:
            return None, 0.0
        effect, share = max(self.reading.effects.items(), key=lambda each: each[1])
        return (effect, share) if share >= self.reading.no_rule else (None, self.reading.no_rule)

    @property
    def differs(self) -> bool:
        """Whether its words say something else than the reader."""
        return self.reading is not None and self.opinion.effect not in (None, self.outcome[0])

    @property
    def is_uncertain(self) -> bool:
        """Whether somebody should look: the reading is doubtful, or contradicts plain words. A correction ends that."""
        if self.reading is None or self.corrected is not None:
            return False
        by_words = self.reading.effects[self.opinion.effect] if self.opinion.effect else 1.0
        contradicts = self.opinion.certainty >= _PLAIN and by_words < _CONTRADICTED
        return self.outcome[1] < CERTAIN or contradicts


@dataclass(frozen=True, slots=True)
class RuleList:
    """The rules of one version, each once, in the order of the text; `past`: corrections of what it no longer says."""

    version: DocumentVersion
    rules: tuple[ListedRule, ...]
    past: tuple[Correction, ...]


async def rules_of(document_id: str, parts: IndexingParts, today: date) -> RuleList:
    """Those of the version that holds `today`. Raises Rejected("unknown_document" | "no_live_version"), Unavailable."""
    version = await _in_force(document_id, parts.versions, today)
    passages = await parts.outbox.chunks(version.doc_id)
    kept = await parts.rules.kept([each.chunk.chunk_id for each in passages], "")
    corrections = await parts.rules.corrections(document_id)
    listed: dict[str, ListedRule] = {}
    for passage in passages:
        for rule in rules_in(passage, kept.get(passage.chunk.chunk_id)):
            found = listed_rule(rule, corrections.get(rule_hash(rule.as_read())))
            listed.setdefault(found.rule_hash, found)
    past = tuple(each for hash_, each in corrections.items() if hash_ not in listed)
    return RuleList(version, tuple(listed.values()), past)


def listed_rule(rule: Rule, correction: Correction | None = None, reading: RuleReading | None = None) -> ListedRule:
    """`reading`: where it is not kept beside the rule."""
    read = rule.as_read()
    kept = rule.kept.reading if rule.kept else reading
    return ListedRule(rule, rule_hash(read), opinion_of(read), kept, correction.effect if correction else None)


def hash_of(rule_id: str, document_id: str, hashes: Sequence[str], unknown: str = "unknown_rule") -> str:
    """The one hash that begins with `rule_id`. Raises Rejected(`unknown` | "rule_ambiguous")."""
    wanted = rule_id.strip().lower()
    found = sorted({each for each in hashes if wanted and each.startswith(wanted)})
    if not found:
        raise Rejected(unknown, rule_id=rule_id, document_id=document_id)
    if len(found) > 1:
        raise Rejected("rule_ambiguous", rule_id=rule_id, document_id=document_id, ids=", ".join(found))
    return found[0]


async def _in_force(document_id: str, versions: VersionStore, today: date) -> DocumentVersion:
    history = await versions.history(document_id)
    if not history:
        raise Rejected("unknown_document", document_id=document_id)
    in_force = [each for each in history if is_in_force(each)]
    now = [each for each in in_force if each.holds_on(today)]
    if not in_force:
        raise Rejected("no_live_version", document_id=document_id)
    return (now or in_force)[-1]
