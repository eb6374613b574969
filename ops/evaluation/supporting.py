"""Whether what a reply says is supported by what it cites: faithfulness and relevancy without a judge model."""

import re
from collections.abc import Iterable

from ops.evaluation.matching import plain
from ops.evaluation.observed import Cited, Observed
from ops.evaluation.questions import GoldQuestion
from rag_core.claims.support import LONGEST_CLAIM, SupportVerdict, support_in
from rag_core.documents import Passage
from rag_core.regions import find_regions
from rag_core.understanding.terms import blank_out, covers, terms_of

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
