"""The rules that the product finds for each judged question: what calibration and its figures rest on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ops.config import Config
from ops.evaluation.corpora import Corpus, ingested
from ops.training.documents import TrainingDocument
from ops.training.examples import Judged, Judgements
from ops.wiring import open_answering
from rag_core.answering.evidence import asks_whether
from rag_core.answering.rule_reading import asked_text
from rag_core.questions import AskRequest, Filters, Turn
from rag_core.rules.reader import AskedText
from rag_core.rules.rule import Rule

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Candidates:
    """For one place of a question: the rules that would be read, with their scores of retrieval, and of each what was
    judged ("" where nobody did)."""

    judged: Judged
    platform: str
    asked: AskedText
    place: str | None
    asks_permission: bool
    rules: Sequence[tuple[Rule, float]]
    codes: Sequence[str]


def corpus_of(name: str, documents: Iterable[TrainingDocument]) -> Corpus:
    """The documents as a corpus, each platform a source of its own."""
    files: dict[str, bytes] = {}
    platforms: dict[str, str] = {}
    for each in documents:
        slug = slug_of(each.platform)
        platforms[slug] = each.platform
        files[f"{slug}/{each.path.parent.name}-{each.path.name}".replace(" ", "-")] = each.path.read_bytes()
    entries = [
        {"id": slug, "type": "folder", "path": slug, "policy_source": slug, "display_name": shown.title()}
        for slug, shown in sorted(platforms.items())
    ]
    return Corpus(name, files, entries)


def slug_of(platform: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", platform.lower()).strip("-")


async def candidates_of(
    data: Judgements, questions: Sequence[Judged], config: Config, cache: Path, today: date
) -> list[Candidates]:
    """What the product would read for `questions`, each asked of its document's platform only."""
    asked = {data.platform(each.document) for each in questions}
    corpus = corpus_of("reading", [each for each in data.documents.values() if each.platform in asked])
    settings = await ingested(corpus, config, cache)
    found: list[Candidates] = []
    async with open_answering(settings) as answering:
        for judged in questions:
            document = data.documents[judged.document]
            codes = {words_of(rule.body): judged.judged.get(rule.key, "") for rule in document.rules}
            request = AskRequest(
                judged.question,
                today,
                filters=Filters(policy_sources=(slug_of(document.platform),)),
                history=tuple(Turn("user", each) for each in judged.history),
            )
            question, places = await answering.asker.candidates(request)
            for place, rules in places:
                found.append(
                    Candidates(
                        judged,
                        document.platform,
                        asked_text(question, request, place),
                        place,
                        asks_whether(question),
                        rules,
                        [codes.get(words_of(rule.body[0].text), "") for rule, _ in rules],
                    )
                )
    return found


def words_of(text: str) -> str:
    """The words of a text as they are compared."""
    return " ".join(_WORD.findall(text.lower()))
