"""How near completed follow-ups come to the questions that people made of them (MTRAG's conversations)."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from rag_core.questions import AskRequest, Turn
from rag_core.understanding.understand import understand
from rag_core.understanding.words import STOP_WORDS

DOMAINS = ("clapnq", "fiqa", "cloud", "govt")
_TODAY = date(2026, 1, 1)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Task:
    """The questions of a conversation up to one, and that one as a person wrote it to stand alone."""

    domain: str
    asked: tuple[str, ...]
    rewritten: str


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean F1 of content words with the human question: of the last one alone, of the last two, of ours. `changed`: how
    many were completed."""

    count: int
    last: float
    last_two: float
    ours: float
    changed: int


def tasks_of(folder: Path) -> Iterator[Task]:
    """The tasks whose human question differs from the last one asked."""
    for domain in DOMAINS:
        texts = {
            kind: _read(folder / domain / f"{domain}_{kind}.jsonl") for kind in ("lastturn", "questions", "rewrite")
        }
        for id_, [rewritten] in texts["rewrite"].items():
            if rewritten != texts["lastturn"][id_][0]:
                yield Task(domain, tuple(texts["questions"][id_]), rewritten)


def scores_of(tasks: Sequence[Task]) -> Scores:
    """The means over `tasks`."""
    ours = [completed(task.asked) for task in tasks]
    return Scores(
        count=len(tasks),
        last=_mean([f1(task.asked[-1], task.rewritten) for task in tasks]),
        last_two=_mean([f1(" ".join(task.asked[-2:]), task.rewritten) for task in tasks]),
        ours=_mean([f1(own, task.rewritten) for own, task in zip(ours, tasks, strict=True)]),
        changed=sum(own != task.asked[-1] for own, task in zip(ours, tasks, strict=True)),
    )


def completed(asked: Sequence[str]) -> str:
    """The last question, completed from those before it."""
    history = tuple(Turn("user", each) for each in asked[:-1])
    return understand(AskRequest(asked[-1], _TODAY, history=history), ()).search_text


def f1(text: str, other: str) -> float:
    """F1 of the content words (small letters, no stop words, each once) of two texts."""
    ours, theirs = _content(text), _content(other)
    both = len(ours & theirs)
    return 2 * both / (len(ours) + len(theirs)) if both else 0.0


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _read(path: Path) -> dict[str, list[str]]:
    """The turns of people, by the id of the task."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        task = json.loads(line)
        found[task["_id"]] = [turn.strip() for turn in task["text"].split("|user|:") if turn.strip()]
    return found
