"""Whole answers to questions on documents that nobody tuned anything to: `python -m ops.training measure`."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ops.config import Config
from ops.evaluation.corpora import Corpus, ingested
from ops.wiring import open_answering
from rag_core.answers import Answer, Reply
from rag_core.ask import Asker
from rag_core.ports import AnswerModel
from rag_core.questions import AskRequest, Filters, Turn

BLIND = Path(__file__).parents[2] / "tests" / "golden" / "reading"
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the set with the reply to it; `milliseconds`: how long that took."""

    line: dict[str, Any]
    reply: Reply
    milliseconds: float

    @property
    def verdict(self) -> str | None:
        found = self.reply.verdict if isinstance(self.reply, Answer) else None
        return found.value if found else None

    @property
    def expected(self) -> str | None:
        verdict = self.line["expected"]["verdict"]
        return None if verdict in (None, "null") else str(verdict)

    @property
    def states(self) -> bool:
        """Whether it answers, and says nothing is missing."""
        return isinstance(self.reply, Answer) and not self.reply.not_stated

    @property
    def cites(self) -> bool:
        """Whether one of the deciding wordings is quoted."""
        if not isinstance(self.reply, Answer):
            return False
        said = _words(" ".join(each.text for each in self.reply.statements))
        return any(_words(each) in said for each in self.line["expected"]["anchors"])


async def measure(
    config: Config, folder: Path, cache: Path, today: date, model: AnswerModel | None = None
) -> dict[str, float]:
    """The figures of the set in `folder`: shares in [0, 1], counts, and milliseconds."""
    paths = sorted((folder / "documents").glob("*.md"))
    files = {f"{path.stem}/{path.name}": path.read_bytes() for path in paths}
    entries = [
        {"id": path.stem, "type": "folder", "path": path.stem, "policy_source": path.stem, "display_name": path.stem}
        for path in paths
    ]
    settings = await ingested(Corpus("blind", files, entries), config, cache)
    async with open_answering(settings, model=model) as answering:
        asked = [await _asked(answering.asker, line, today) for line in _lines(folder / "questions.jsonl")]
        messages = _lines(folder / "offtopic.jsonl") if (folder / "offtopic.jsonl").is_file() else []
        others = [await _asked(answering.asker, line, today) for line in messages]
    return figures(asked) | {
        f"{kind} turned away": _share([each for each in others if each.line["kind"] == kind], turned_away)
        for kind in sorted({each.line["kind"] for each in others})
    }


def figures(asked: list[Asked]) -> dict[str, float]:
    """The figures of questions on policies."""
    permission = [each for each in asked if each.expected]
    given = [each for each in permission if each.verdict]
    near = [each for each in asked if each.line["kind"] == "nearmiss"]
    facts = [each for each in asked if not each.expected and each.line["kind"] != "nearmiss"]
    prohibited = [each for each in permission if each.expected == "prohibited"]
    times = sorted(each.milliseconds for each in asked)
    return {
        "questions": float(len(asked)),
        "verdict given": len(given) / max(1, len(permission)),
        "verdict right": _share(permission, lambda each: each.verdict == each.expected),
        "verdict right where given": _share(given, lambda each: each.verdict == each.expected),
        "allowed though prohibited": _share(prohibited, lambda each: each.verdict == "allowed"),
        "near-misses handled": _share(near, lambda each: each.verdict is None and not each.states),
        "facts stated": _share(facts, lambda each: each.states and each.cites),
        "deciding words cited": _share([*permission, *facts], lambda each: each.cites),
        "milliseconds p50": times[len(times) // 2],
        "milliseconds p95": times[int(len(times) * 0.95)],
    }


def turned_away(asked: Asked) -> bool:
    """Whether no rule was told to somebody who asked for none."""
    return not isinstance(asked.reply, Answer) or asked.reply.documents is not None


async def _asked(asker: Asker, line: dict[str, Any], today: date) -> Asked:
    sources = (line["document"].removesuffix(".md"),) if "document" in line else ()
    history = tuple(Turn("user", each) for each in line.get("history") or ())
    reply, trace = await asker.ask(AskRequest(line["question"], today, filters=Filters(sources), history=history))
    return Asked(line, reply, trace.timings_ms["total"])


def _share(asked: list[Asked], holds: Any) -> float:
    return Counter(bool(holds(each)) for each in asked)[True] / max(1, len(asked))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
