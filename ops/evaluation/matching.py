"""Whether a chunk or a citation is what the gold names: document, version, section, anchor, place.

Gold names a section and a few words, never whole sentences. Both sides are compared after taking away what mark-up
adds: `* _ \\ |`, link targets, HTML tags; white space is collapsed, quotation marks are straightened, letters small.
"""

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ops.evaluation.observed import Cited, Observed, Retrieved
from ops.evaluation.questions import AS_OF, WHAT_CHANGED, GoldQuestion, numbered_rows
from rag_core.claims.support import LONGEST_CLAIM, SupportVerdict, support_in
from rag_core.documents import Passage
from rag_core.errors import Rejected
from rag_core.regions import GLOBAL, country_of, find_regions, seen_from
from rag_core.understanding.terms import blank_out, covers, terms_of

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_MARKS = str.maketrans({"*": "", "_": "", "\\": "", "|": " ", "’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})
_NUMBER = re.compile(r"^(\d+(?:\.\d+)*)\.?(?=\s|$)")


@lru_cache(maxsize=50_000)
def plain(text: str) -> str:
    """`text` without mark-up, in small letters, white space collapsed."""
    text = _TAG.sub(" ", _LINK.sub(r"\1", html.unescape(text)))
    return " ".join(text.translate(_MARKS).lower().split())


def is_of_document(question: GoldQuestion, document_id: str, policy_source: str) -> bool:
    """Gold may name a document, or a publisher that has just one."""
    wanted = question.expected.document_ids
    return document_id in wanted or policy_source in wanted


def is_of_version(question: GoldQuestion, starts: date, ends: date | None, today: date) -> bool:
    """The version that the gold names, or else the one in force on the day asked. Of changes every version counts;
    so it does where the question's words name a day and the gold names no version."""
    if question.expected.version_day is not None and WHAT_CHANGED not in question.tags:
        return starts == question.expected.version_day
    if WHAT_CHANGED in question.tags or (AS_OF in question.tags and question.as_of is None):
        return True
    day = question.as_of or today
    return starts <= day and (ends is None or day < ends)


def is_in_section(question: GoldQuestion, section_path: str) -> bool:
    """Whether one of the headings above is a gold section; headings may be cut short or carry a number."""
    wanted = [plain(each) for each in question.expected.sections]
    return any(_same_heading(plain(part), each) for part in section_path.split(" > ") for each in wanted)


def anchors_in(question: GoldQuestion, texts: Iterable[str]) -> frozenset[str]:
    """Which of the gold anchors stand in these texts."""
    read = [plain(each) for each in texts]
    return frozenset(each for each in question.expected.anchors if any(plain(each) in text for text in read))


def is_of_another_place(question: GoldQuestion, regions: Iterable[str]) -> bool:
    """Whether a rule holds only in places that the question is not about.

    A state's rule is of its country's place. Without places in the gold, only `not_regions` are others.
    """
    scope = frozenset(regions)
    if not scope or GLOBAL in scope:
        return False
    asked = [each.region for each in question.expected.verdicts if each.region]
    if asked:
        visible = frozenset().union(*(seen_from(place) for place in asked))
        return not any(each in visible or country_of(each) in asked for each in scope)
    return bool(question.expected.not_regions) and scope <= set(question.expected.not_regions)


def is_right_section(question: GoldQuestion, found: Cited | Retrieved, today: date) -> bool:
    """Of the right document, version and place, and in a gold section (or with a gold anchor in it)."""
    texts = found.texts if isinstance(found, Cited) else (found.section_path, found.text)
    return (
        is_of_document(question, found.document_id, found.policy_source)
        and is_of_version(question, found.effective_from, found.effective_to, today)
        and not is_of_another_place(question, found.regions)
        and (is_in_section(question, found.section_path) or bool(anchors_in(question, texts)))
    )


def rule_numbers(question: GoldQuestion) -> frozenset[str]:
    """The numbers that gold sections begin with ("5.8. Supplements" -> 5.8)."""
    found = (_NUMBER.match(each) for each in question.expected.sections)
    return frozenset(match[1] for match in found if match)


def cites_number(question: GoldQuestion, cited: Cited) -> bool:
    """Whether a citation carries one of the gold's rule numbers, or that of a rule below it."""
    parts = [cited.rule_number or "", *cited.section_path.split(" > ")]
    given = [match[1] for part in parts if (match := _NUMBER.match(part))]
    return any(each == number or each.startswith(f"{number}.") for each in given for number in rule_numbers(question))


def _same_heading(one: str, other: str) -> bool:
    one, other = one.rstrip(":. "), other.rstrip(":. ")
    shorter, longer = sorted((one, other), key=len)
    return one == other or (len(shorter.split()) > 1 and longer.startswith(shorter))


_BETWEEN_PIECES = re.compile(r"[\n;]|: |(?<=[.!?])\s")


def cited_for(observed: Observed, statement: str) -> tuple[Cited, ...]:
    """What a statement cites. A citation is of a whole section, the chunk it names the first of it that was quoted."""
    return tuple(each for each in observed.citations if statement in each.texts[:-1])


def stands_in(statement: str, texts: Iterable[str]) -> bool:
    """Whether it stands there piece by piece, as a rule is told with its lead-in, its items and sentences and the heads
    of its table's columns."""
    source = plain("\n".join(texts))
    return all(plain(each).strip(" .,") in source for each in _BETWEEN_PIECES.split(statement)) if source else False


def is_supported(statement: str, passages: Iterable[Passage]) -> bool:
    """Whether it stands in the passages (`stands_in`), or what they say is the same (`support`)."""
    cited = list(passages)
    if stands_in(statement, [text for each in cited for text in (each.chunk.lead_in, each.chunk.chunk_text)]):
        return True
    return bool(cited) and support_in(statement[:LONGEST_CLAIM], cited).verdict is SupportVerdict.SUPPORTED


def words_spoken_of(question: GoldQuestion, observed: Observed) -> tuple[int, int]:
    """Of the content words of the question, those of which the statements or the headings above them speak (the
    trade's other words and wider things count); and how many there are. Places are no content words."""
    asked = observed.rewritten or question.question
    spans = [(mention.start, mention.end) for mention in find_regions(asked)]
    said = "\n".join(
        (*observed.statements, *(f"{each.section_path} {each.policy_source}" for each in observed.citations))
    )
    terms = terms_of(blank_out(asked, spans))
    return sum(covers(said, each) for each in terms), len(terms)


_Text = Annotated[str, Field(min_length=1)]


class CitedSection(BaseModel):
    """What a person found: does this section support an answer to the question `id`? `section`: its headings, joined
    by " > ". No further field is taken: a policy's sentences do not belong into the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: _Text
    document_id: _Text
    section: _Text
    supports: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """Judgements by question, document and section (`plain`)."""

    judgements: Mapping[tuple[str, str, str], bool] = field(default_factory=dict)

    def says(self, question_id: str, document_id: str, section_path: str) -> bool | None:
        """Whether that section supports an answer; None where nobody judged it."""
        return self.judgements.get((question_id, document_id, plain(section_path)))


def read_pool(path: Path) -> Pool:
    """The judgements of a file. Raises as `questions.read_questions` does, also where two contradict each other."""
    found: dict[tuple[str, str, str], bool] = {}
    for number, row in numbered_rows(path, CitedSection):
        each = CitedSection.model_validate(row)
        key = (each.id, each.document_id, plain(each.section))
        if found.setdefault(key, each.supports) is not each.supports:
            problem = f"another line says otherwise of {each.id}, {each.section}"
            raise Rejected("dataset_malformed", path=str(path), line=number, problem=problem)
    return Pool(found)
