"""Words of a question that no rule has, and the words of rules that mean nearly the same or the wider thing.

"Sofas" are no word of a policy on couches, and no list of words is ever complete. The embedding model tells
which phrases of the passages found are near to a phrase of the question; they are taken for something wider.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag_core.answering.units import units_of
from rag_core.deadlines import remaining, within
from rag_core.errors import Unavailable
from rag_core.ports import Embedder, Vector
from rag_core.questions import QueryTerm, Question
from rag_core.retrieval.found import Found
from rag_core.understanding.phrases import turns_it_round
from rag_core.understanding.terms import TermMention, find_terms
from rag_core.understanding.words import is_filler, stem

ALIKE = 0.6
"""Cosine from which two phrases are taken for kin. all-MiniLM-L6-v2 sees siblings nearly as near as parents (beer and
coffee .54, poker and gambling .71), so what is only akin is named as not stated and never makes anything allowed."""

_READ = 4
"""Passages whose phrases are looked at."""

_MOST_PHRASES = 100
_MOST_LETTERS = 200
_SECONDS = 2.0
"""Phrases take some 50 ms when they are new; a quarter of the time that is left at most."""
_MOST_KEPT = 20_000
_LONGEST = 4
_AKIN = 3
"""Phrases that a word is given at most."""

_BETWEEN = re.compile(r"[^\w\s'’&-]+|\s-\s")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class Kinship:
    """Asks the embedder; keeps what it said of phrases, which a collection of policies repeats."""

    def __init__(self, embedder: Embedder, alike: float = ALIKE) -> None:
        self._embedder = embedder
        self._alike = alike
        self._kept: OrderedDict[str, Vector] = OrderedDict()

    async def extended(self, question: Question, results: Sequence[Found]) -> Question:
        """`question` with what is akin to its words; as it is where they are all said, or the embedder is silent."""
        first = sorted(results, key=lambda found: -found.score)[:_READ]
        asked = [run for run in _runs(question) if not turns_it_round(run.whole)]
        phrases = list(dict.fromkeys(phrase for found in first for phrase in _phrases_of(found)))[:_MOST_PHRASES]
        if not asked or not phrases:
            return question
        said = list(dict.fromkeys(text for run in asked for text in run.texts))
        try:
            async with within(remaining(_SECONDS * 4) / 4):
                vectors = await self._vectors(said, phrases)
                near = self._near(said, phrases, vectors)
                siblings = await self._siblings(asked, near)
        except (Unavailable, TimeoutError):
            return question
        akin: dict[QueryTerm, list[str]] = {}
        for run in asked:
            for text in run.texts:
                kin = [phrase for phrase in near[text] if (text, phrase) not in siblings]
                for term in run.terms if text == run.whole else (run.term_of(text),):
                    akin.setdefault(term, []).extend(kin)
        terms = (replace(term, akin=tuple(dict.fromkeys(akin.get(term, ())))) for term in question.terms)
        return replace(question, terms=tuple(terms))

    def _near(self, said: Sequence[str], phrases: Sequence[str], vectors: Mapping[str, Vector]) -> dict[str, list[str]]:
        table = np.stack([vectors[phrase] for phrase in phrases])
        return {text: self._nearest(table @ vectors[text], phrases) for text in said}

    async def _siblings(self, asked: "Sequence[_Run]", near: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
        """Of runs of several words and phrases that share one, those that are alike by that word alone: neither cooking
        classes nor classes are anything wider than yoga classes."""
        pairs = [(run.whole, phrase) for run in asked if len(run.terms) > 1 for phrase in near[run.whole]]
        rests = {pair: rest for pair in pairs if (rest := _rests(*pair)) is not None}
        wanted = list(dict.fromkeys(text for rest in rests.values() for text in rest if text))
        vectors = dict(zip(wanted, await self._embedder.embed(wanted), strict=True)) if wanted else {}
        return {
            pair
            for pair, (said, phrase) in rests.items()
            if not (said and phrase) or vectors[said] @ vectors[phrase] < self._alike
        }

    def _nearest(self, likeness: Vector, phrases: Sequence[str]) -> list[str]:
        first = np.argsort(-likeness)[:_AKIN]
        return [phrases[at] for at in first if likeness[at] >= self._alike]

    async def _vectors(self, said: Sequence[str], phrases: Sequence[str]) -> dict[str, Vector]:
        """Of both; those of `phrases` are kept, what people say is not."""
        unknown = [phrase for phrase in phrases if phrase not in self._kept]
        wanted = [*said, *unknown]
        vectors = dict(zip(wanted, await self._embedder.embed(wanted), strict=True))
        self._kept |= {phrase: vectors[phrase] for phrase in unknown}
        for phrase in phrases:
            self._kept.move_to_end(phrase)
        found = vectors | {phrase: self._kept[phrase] for phrase in phrases}
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return found


@dataclass(frozen=True, slots=True)
class _Run:
    """Content words of a question that stand side by side: all of them together first, then each."""

    terms: tuple[QueryTerm, ...]
    whole: str

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.whole, *(term.text for term in self.terms))))

    def term_of(self, text: str) -> QueryTerm:
        return next(term for term in self.terms if term.text == text)


def _rests(run: str, phrase: str) -> tuple[str, str] | None:
    """What each of two phrases has besides the words that they share; None where they share none."""
    mine, theirs = ({stem(word): word for word in _WORD.findall(text)} for text in (run, phrase))
    shared = mine.keys() & theirs.keys()
    if not shared:
        return None
    first, second = (" ".join(word for key, word in each.items() if key not in shared) for each in (mine, theirs))
    return first, second


def _runs(question: Question) -> list[_Run]:
    text, terms = question.search_text, {term.text.lower(): term for term in question.terms}
    mentions = [each for each in find_terms(text) if each.term.text.lower() in terms]
    runs: list[list[TermMention]] = []
    for mention in mentions:
        if runs and not text[runs[-1][-1].end : mention.start].strip(" -"):
            runs[-1].append(mention)
        else:
            runs.append([mention])
    return [_Run(tuple(terms[each.term.text.lower()] for each in run), _said(text, run)) for run in runs]


def _said(text: str, run: Sequence[TermMention]) -> str:
    return text[run[0].start : run[-1].end].lower()[:_MOST_LETTERS]


def _phrases_of(found: Found) -> Iterator[str]:
    for heading in found.passage.chunk.policy_path.split(">"):
        yield from _phrases_in(heading)
    for unit in units_of(found.passage):
        yield from _phrases_in(unit.text)


def _phrases_in(text: str) -> Iterator[str]:
    """Runs of content words, and the last two of longer ones."""
    for part in _BETWEEN.split(text):
        run: list[str] = []
        for word in [*(match[0].lower() for match in _WORD.finditer(part)), ""]:
            if word and not is_filler(word) and not word.isdigit():
                run.append(word)
                continue
            if 0 < len(run) <= _LONGEST:
                yield " ".join(run)
            if len(run) > 2:
                yield " ".join(run[-2:])
            run = []
