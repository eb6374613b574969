"""Questions in SQuAD 2.0's layout, answerable and not, each with what the project's own search finds for it."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ops.evaluation.answerability import Case, Rarity
from ops.evaluation.beir import DAY, Collection, found_in, passage_of, prepared_from
from rag_core.documents import Passage
from rag_core.errors import Misconfigured, Rejected
from rag_core.questions import Question, Scope
from rag_core.retrieval.found import Found
from rag_core.retrieval.reranking import TUNED, weighed
from rag_core.retrieval.signals import Asked

EVERY = 6
"""One question in six is asked: some two thousand, spread over all articles."""

_TOP = 15


@dataclass(frozen=True, slots=True)
class Labelled:
    """A case with whether it can be answered. Questions of one `group` are held out together."""

    case: Case
    answerable: bool
    group: int


@dataclass(frozen=True, slots=True)
class _Asked:
    question: str
    answerable: bool
    article: int


async def squad_cases(folder: Path, every: int = EVERY) -> list[Labelled]:
    """Every `every`th question over all paragraphs of the folder's JSON file.

    Raises Misconfigured("dataset_unreadable", path=...), Rejected("dataset_malformed", path, line, problem).
    """
    passages, asked = await asyncio.to_thread(_read, folder)
    queries = {str(number): each for number, each in enumerate(asked[::every])}
    texts = {number: each.question for number, each in queries.items()}
    prepared = await prepared_from(Collection(passages, texts, dict.fromkeys(texts, frozenset())))
    rarity = Rarity(passages)
    return [
        Labelled(_case(list_.asked, [*list_.first], rarity), each.answerable, each.article)
        for list_, each in zip(await found_in(prepared), queries.values(), strict=True)
    ]


def _case(asked: Asked, found: Sequence[Found], rarity: Rarity) -> Case:
    best = weighed(found, asked, TUNED)[:_TOP]
    return Case(Question(asked.text, Scope(DAY), asked.intent, asked.terms, True), None, best, rarity)


def _read(folder: Path) -> tuple[list[Passage], list[_Asked]]:
    path = next(iter(sorted(folder.glob("*.json"))), folder / "dev-v2.0.json")
    try:
        articles = json.loads(path.read_text(encoding="utf-8"))["data"]
        paragraphs = [
            (number, article["title"], each)
            for number, article in enumerate(articles)
            for each in article["paragraphs"]
        ]
        return list(_passages(paragraphs)), list(_questions(paragraphs))
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured("dataset_unreadable", path=str(path)) from exc
    except (ValueError, KeyError, TypeError) as exc:
        raise Rejected("dataset_malformed", path=str(path), line=1, problem=repr(exc)) from exc


def _passages(paragraphs: Sequence[tuple[int, str, dict[str, Any]]]) -> Iterator[Passage]:
    for number, (_, title, paragraph) in enumerate(paragraphs):
        heading = title.replace("_", " ")
        yield passage_of({"_id": f"p{number}", "title": heading, "text": paragraph["context"]}, "squad")


def _questions(paragraphs: Sequence[tuple[int, str, dict[str, Any]]]) -> Iterator[_Asked]:
    for article, _, paragraph in paragraphs:
        for each in paragraph["qas"]:
            yield _Asked(each["question"], not each["is_impossible"], article)
