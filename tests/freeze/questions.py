"""The questions that are asked, by the corpus that they are asked of."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ops.config import Config
from ops.evaluation.bots import Query, query_of
from ops.evaluation.corpora import SAMPLE, Corpus, corpus_named
from ops.evaluation.questions import Injection, read_injections, read_questions
from rag_core.questions import Filters, Turn

GOLDEN = Path(__file__).parents[1] / "golden"
WITH_MODEL = "reading_2"
"""The corpus that is asked of with a language model's recorded replies."""

_EVERY = {  # of each file every so many-th question
    "questions_answerable.jsonl": 8,
    "questions_unanswerable.jsonl": 10,
    "sample_questions.jsonl": 3,
    "unseen_real.jsonl": 8,
    "other_styles/questions.jsonl": 5,
}
_WRITTEN_BLIND = {"reading": 8, WITH_MODEL: 5, "reading_3": 8}
_WRITTEN_SINCE = "2026-01-01"
"""Else they hold from the day on which they are read, which their addresses and ids name."""

_INJECTION, _FOLLOW_UP, _FOREIGN = 2, 2, 6


def frozen_questions() -> dict[str, list[Query]]:
    """Some of every file, evenly, of follow-ups more; each has an id of its own in `about`."""
    found: dict[str, list[Query]] = {}
    for name, every in _EVERY.items():
        for number, each in enumerate(read_questions(GOLDEN / name)):
            if number % (_FOLLOW_UP if each.history else every) == 0:
                found.setdefault(each.corpus or SAMPLE, []).append(query_of(each))
    for one in _injections()[::_INJECTION]:
        groups = frozenset({one.id}) if one.where == "document" else frozenset[str]()
        found.setdefault(one.asked_of, []).append(Query(one.asked, groups=groups, about=one.id))
    for name, every in _WRITTEN_BLIND.items():
        found[name] = [_written_blind(each) for each in list(_rows(GOLDEN / name))[::every]]
    lines = (GOLDEN / "foreign_questions.tsv").read_text(encoding="utf-8").splitlines()
    found[SAMPLE] += [Query(each.split("\t")[1], about=f"foreign-{at}") for at, each in enumerate(lines[::_FOREIGN])]
    return found


def corpus_of(name: str, config: Config, data: Path) -> Corpus:
    """The documents under this name; `data`: the folder of public data sets."""
    if name not in _WRITTEN_BLIND:
        return corpus_named(name, config, data, _injections())
    paths = sorted((GOLDEN / name / "documents").glob("*.md"))
    files = {f"{path.stem}/{path.stem}.{_WRITTEN_SINCE}.md": path.read_bytes() for path in paths}
    entries = [
        {"id": path.stem, "type": "folder", "path": path.stem, "policy_source": path.stem, "display_name": path.stem}
        for path in paths
    ]
    return Corpus(name, files, entries)


def _injections() -> list[Injection]:
    return read_injections(GOLDEN / "injections.jsonl")


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for name in ("questions.jsonl", "offtopic.jsonl"):
        yield from map(json.loads, (folder / name).read_text(encoding="utf-8").splitlines())


def _written_blind(row: dict[str, Any]) -> Query:
    sources = (row["document"].removesuffix(".md"),) if "document" in row else ()
    history = tuple(Turn("user", each) for each in row.get("history") or ())
    return Query(row["question"], Filters(sources), history, about=row["id"])
