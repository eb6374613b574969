"""A golden question beside what a bot answered: the facts that measures and diagnoses are made of."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from ops.evaluation.judge_model import Grades
from ops.evaluation.matching import (
    Pool,
    anchors_in,
    cites_number,
    is_in_section,
    is_of_another_place,
    is_of_document,
    is_of_version,
    is_right_section,
    plain,
    rule_numbers,
)
from ops.evaluation.observed import Cited, Observed, Retrieved
from ops.evaluation.questions import GoldQuestion, GoldVerdict
from rag_core.answers import Verdict
from rag_core.errors import Misconfigured

_NOBODY_JUDGED = Pool()
PERMISSIVE = frozenset({Verdict.ALLOWED, Verdict.RESTRICTED})


@dataclass(frozen=True)
class Judged:
    """`today`: the day on which a question without a day was asked. `pool`: what people found of sections beside the
    gold. `supported`: of each statement, whether what it cites says it; None where nobody looked. `grades`: a judge
    model's. Flags are False where they make no sense."""

    question: GoldQuestion
    observed: Observed
    today: date
    pool: Pool = _NOBODY_JUDGED
    supported: tuple[bool, ...] | None = None
    grades: Grades | None = None

    @property
    def is_answerable(self) -> bool:
        return self.question.expected.kind == "answer"

    @property
    def is_answered(self) -> bool:
        return self.observed.kind == "answer"

    @cached_property
    def verdict_is_right(self) -> bool:
        """An answer with one of the accepted verdicts; of several places, each its own. Any, where none is said."""
        gold = self.question.expected
        if not self.is_answered or not gold.says_verdict:
            return self.is_answered
        if len(gold.verdicts) > 1:
            return all(self.given_for(each) in {each.verdict, *gold.verdict_also} for each in gold.verdicts)
        if gold.verdicts and self.given_for(gold.verdicts[0]) in gold.accepted:
            return True
        return self.observed.verdict in gold.accepted

    def given_for(self, gold: GoldVerdict) -> Verdict | None:
        """The verdict given for a place on a platform; where none is of its own, the one for everything."""
        for each in self.observed.verdicts:
            if (each.region, each.policy_source) == (gold.region, gold.policy_source):
                return each.verdict
        return self.observed.verdict

    @cached_property
    def wrong_permissive(self) -> Verdict | None:
        """The verdict given where the gold says prohibited and nothing else."""
        gold = self.question.expected
        targets = gold.verdicts or (GoldVerdict(policy_source="", verdict=gold.verdict),)
        given = [self.given_for(each) for each in targets if each.verdict is Verdict.PROHIBITED]
        wrong = [each for each in given if each in PERMISSIVE and each not in gold.verdict_also]
        return min(wrong, key=lambda each: each is not Verdict.ALLOWED, default=None)

    @cached_property
    def supporting(self) -> tuple[bool, ...]:
        """Of each citation, whether it is of the right section, version and place."""
        return tuple(is_right_section(self.question, each, self.today) for each in self.observed.citations)

    @cached_property
    def supports(self) -> tuple[bool | None, ...]:
        """Of each citation, whether it supports the answer: as gold, or as people judged its section; what holds for
        another place or day never does. None: nobody judged it."""
        return tuple(map(self._support, self.observed.citations, self.supporting))

    def _support(self, cited: Cited, is_gold: bool) -> bool | None:
        if is_gold:
            return True
        if is_of_another_place(self.question, cited.regions) or not self._is_in_force(cited):
            return False
        return self.pool.says(self.question.id, cited.document_id, cited.section_path)

    def _is_in_force(self, cited: Cited) -> bool:
        """Of a document beside the gold, the day counts alone: the version that the gold names is another one's."""
        question = self.question
        if not is_of_document(question, cited.document_id, cited.policy_source):
            gold = question.expected.model_copy(update={"version_day": None})
            question = question.model_copy(update={"expected": gold})
        return is_of_version(question, cited.effective_from, cited.effective_to, self.today)

    @property
    def counts_citations(self) -> bool:
        """An answer with citations to what is answerable."""
        return self.is_answerable and self.is_answered and bool(self.observed.citations)

    @cached_property
    def spans_supporting(self) -> tuple[bool, ...]:
        """Of each citation, whether what is quoted holds a gold anchor."""
        return tuple(
            is_of_document(self.question, each.document_id, each.policy_source)
            and bool(anchors_in(self.question, each.texts))
            for each in self.observed.citations
        )

    @property
    def cites_gold(self) -> bool:
        return any(self.supporting)

    @cached_property
    def sections_cited(self) -> int:
        """How many of the gold sections are cited. A section whose heading nobody wrote is known by its anchors."""
        right = [each for each, good in zip(self.observed.citations, self.supporting, strict=True) if good]
        return sum(any(_is_in(self.question, section, each) for each in right) for section in self._sections)

    @property
    def _sections(self) -> Sequence[str]:
        return self.question.expected.sections

    @cached_property
    def anchors_quoted(self) -> frozenset[str]:
        return anchors_in(self.question, [text for each in self.observed.citations for text in each.texts])

    @cached_property
    def words_missing(self) -> tuple[str, ...]:
        """Of `must_mention`, what no statement says."""
        said = plain("\n".join(self.observed.statements))
        return tuple(each for each in self.question.expected.must_mention if plain(each) not in said)

    @cached_property
    def places_wrong(self) -> tuple[Cited, ...]:
        """Citations of rules that hold only in other places."""
        return tuple(each for each in self.observed.citations if is_of_another_place(self.question, each.regions))

    @cached_property
    def days_wrong(self) -> tuple[Cited, ...]:
        """Citations of the gold document in another version than the one asked for."""
        return tuple(
            each
            for each in self.observed.citations
            if is_of_document(self.question, each.document_id, each.policy_source)
            and not is_of_version(self.question, each.effective_from, each.effective_to, self.today)
        )

    @property
    def cites_document(self) -> bool:
        return any(is_of_document(self.question, c.document_id, c.policy_source) for c in self.observed.citations)

    @property
    def is_numbered(self) -> bool:
        return bool(rule_numbers(self.question))

    @property
    def cites_rule(self) -> bool:
        return any(cites_number(self.question, each) for each in self.observed.citations)

    @property
    def gap_is_handled(self) -> bool:
        """Stated or refused, and no verdict; a verdict that the gold also accepts is one that may be given."""
        accepted = self.question.expected.accepted - {None}
        given = {self.observed.verdict, *(each.verdict for each in self.observed.verdicts)} - {None}
        return self.observed.declines or bool(given and given <= accepted)

    @cached_property
    def right_in_ranking(self) -> tuple[bool, ...]:
        """Of each retrieved chunk, whether it is of the right section."""
        return tuple(is_right_section(self.question, each, self.today) for each in self.observed.retrieved or ())

    @cached_property
    def anchors_ranked(self) -> tuple[frozenset[str], ...]:
        """Of each retrieved chunk, the gold anchors in it that no better ranked one holds."""
        seen: set[str] = set()
        found = []
        for each, right in zip(self.observed.retrieved or (), self.right_in_ranking, strict=True):
            fresh = anchors_in(self.question, (each.section_path, each.text)) - seen if right else frozenset[str]()
            seen |= fresh
            found.append(fresh)
        return tuple(found)

    @cached_property
    def is_right(self) -> bool:
        """Without a judge: the right kind of reply, the right verdict, a gold section cited, place and day right."""
        kind = self.question.expected.kind
        if kind == "gap":
            return self.gap_is_handled
        if kind != "answer":
            return self.observed.kind == kind
        return self.verdict_is_right and self.cites_gold and not self.places_wrong and not self.days_wrong


def _is_in(question: GoldQuestion, section: str, cited: Cited | Retrieved) -> bool:
    gold = question.expected.model_copy(update={"sections": (section,)})
    alone = question.model_copy(update={"expected": gold})
    if is_in_section(alone, cited.section_path):
        return True
    # a run-in heading is no heading of the chunk: the one anchor or section there is must do
    return len(question.expected.sections) == 1


def write_unjudged(judged: Sequence[Judged], path: Path) -> int:
    """JSON lines, as many as it returns. Raises Misconfigured("evaluation_report_unwritable", path=...)."""
    lines = unjudged_lines(judged)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    except OSError as exc:
        raise Misconfigured("evaluation_report_unwritable", path=str(path)) from exc
    return len(lines)


def unjudged_lines(judged: Iterable[Judged]) -> list[str]:
    """One for each question and section: a `matching.CitedSection` with `supports` null, beside it the question as it
    was asked and what is quoted. Nothing of the expected answer: who judges must not be led by it."""
    return [json.dumps(row, ensure_ascii=False) for each in judged for row in _rows(each)]


def _rows(judged: Judged) -> list[dict[str, object]]:
    question = judged.question
    found: dict[tuple[str, str], dict[str, object]] = {}
    for cited, supports in zip(judged.observed.citations, judged.supports, strict=True):
        if supports is not None or not judged.counts_citations:
            continue
        row: dict[str, object] = {
            "id": question.id,
            "document_id": cited.document_id,
            "section": cited.section_path,
            "supports": None,
            "question": question.question,
            "history": [each.content for each in question.history],
            "as_of": question.as_of.isoformat() if question.as_of else None,
            "regions": list(cited.regions),
            "quote": cited.texts[-1],
        }
        found.setdefault((cited.document_id, plain(cited.section_path)), row)
    return list(found.values())
