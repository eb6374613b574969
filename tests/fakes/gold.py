"""Golden questions and replies to them, with what a test does not care about filled in."""

from datetime import date
from typing import Any

from ops.evaluation.judging import Judged
from ops.evaluation.observed import Cited, GivenVerdict, Observed, Retrieved
from ops.evaluation.questions import GoldQuestion
from rag_core.answers import Verdict

TODAY = date(2026, 6, 1)
PATH = "Alcohol > Country rules > France"


def gold(*tags: str, **expected: Any) -> GoldQuestion:
    """May beer be advertised in France: no, says the section France. History is given by the tag follow-up."""
    usual = {
        "verdict": "prohibited",
        "verdicts": [{"region": "fr", "policy_source": "acme", "verdict": expected.get("verdict", "prohibited")}],
        "document_ids": ["acme_alcohol"],
        "sections": ["France"],
        "anchors": ["beer may not be advertised"],
        "not_regions": ["uk", "us"],
    }
    kind = expected.get("kind", "answer")
    history = [{"role": "user", "content": "wine in Spain?"}] if "follow-up" in tags else []
    return GoldQuestion.model_validate(
        {
            "id": "q-1",
            "question": "beer in france?",
            "tags": tags,
            "history": history,
            "expected": (usual if kind == "answer" else {}) | expected,
        }
    )


def cited(path: str = PATH, text: str = "Beer may not be advertised here.", **given: Any) -> Cited:
    usual: dict[str, Any] = {
        "chunk_id": path,
        "document_id": "acme_alcohol",
        "policy_source": "acme",
        "section_path": path,
        "rule_number": None,
        "regions": ("fr",),
        "effective_from": date(2025, 1, 1),
        "effective_to": None,
        "texts": (text,),
    }
    return Cited(**usual | given)


def retrieved(path: str = PATH, text: str = "Beer may not be advertised here.", **given: Any) -> Retrieved:
    usual: dict[str, Any] = {
        "chunk_id": path,
        "document_id": "acme_alcohol",
        "policy_source": "acme",
        "section_path": path,
        "text": text,
        "regions": ("fr",),
        "effective_from": date(2025, 1, 1),
        "effective_to": None,
    }
    return Retrieved(**usual | given)


def answer(verdict: Verdict | None = Verdict.PROHIBITED, *citations: Cited, **given: Any) -> Observed:
    """The right answer, unless told otherwise."""
    usual: dict[str, Any] = {
        "verdict": verdict,
        "verdicts": (GivenVerdict("fr", "acme", verdict),) if verdict else (),
        "statements": ("Beer may not be advertised here.",),
        "citations": citations or (cited(),),
        "regions": ("fr",),
        "retrieved": (retrieved(),),
    }
    return Observed("answer", **usual | given)


def judged(question: GoldQuestion, observed: Observed) -> Judged:
    return Judged(question, observed, TODAY)
