"""A hundred questions to the sample policies, through everything real: parsers, chunker, model, index, store.

The figure may rise; the guards may not break: a wrong "yes" costs more than "the policies do not say".
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bot.model.links import Links
from ops.config import Config
from ops.wiring import open_answering
from rag_core.answers import Answer, AskTrace, Citation, Clarification, Refusal, RefusalReason, Reply
from rag_core.ask import Asker
from rag_core.questions import AskRequest, Turn
from rag_core.regions import seen_from
from tests.fakes.same_information import addresses, missing_words, only_in_one
from tests.fakes.samples import sample_copy

pytestmark = pytest.mark.timeout(300)

QUESTIONS = Path(__file__).parents[1] / "golden" / "sample_questions.jsonl"
TODAY = date(2026, 6, 1)
LEAST_RIGHT = 60
"""Of a hundred: what the reader is not sure of is quoted without a verdict, and counts as not right here."""
RESTRICTED = "quillmoor_gambling_preclearance"
KINDS: dict[type, str] = {Answer: "answer", Refusal: "refusal", Clarification: "clarification"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question of the golden file with what came back, for nobody in particular and for the legal group, and the
    versions that were looked through for each."""

    golden: dict[str, Any]
    reply: Reply
    for_legal: Reply
    read: frozenset[str]
    read_for_legal: frozenset[str]

    @property
    def name(self) -> str:
        return f"{self.golden['id']} {self.golden['question']}"

    @property
    def verdict(self) -> str | None:
        found = self.reply.verdict if isinstance(self.reply, Answer) else None
        return found.value if found else None

    @property
    def is_right(self) -> bool:
        """Kind, verdict and document are those agreed on."""
        expected = self.golden["expected"]
        kinds = expected.get("kind_any", [expected.get("kind")])
        documents = {each.document_id for each in _citations(self.reply)}
        return (
            KINDS[type(self.reply)] in kinds
            and ("verdict" not in expected or self.verdict == expected["verdict"])
            and documents >= set(expected.get("document_ids", ()))
        )


@pytest.fixture(scope="session")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    config = Config(data_dir=sample_copy(tmp_path_factory.mktemp("samples") / "data"))
    return asyncio.run(_ask_all(config))


async def _ask_all(config: Config) -> list[Outcome]:
    async with open_answering(config) as answering:
        asker = answering.asker
        golden = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
        return [await _outcome(asker, each) for each in golden]


async def _outcome(asker: Asker, golden: dict[str, Any]) -> Outcome:
    reply, trace = await asker.ask(_request(golden, frozenset()))
    for_legal, trace_for_legal = reply, trace
    if "restricted_document" in golden["tags"]:
        for_legal, trace_for_legal = await asker.ask(_request(golden, frozenset({"legal"})))
    return Outcome(golden, reply, for_legal, _read(trace), _read(trace_for_legal))


def _read(trace: AskTrace) -> frozenset[str]:
    return frozenset(each.doc_id for each in trace.candidates)


def _request(golden: dict[str, Any], groups: frozenset[str]) -> AskRequest:
    as_of = golden.get("as_of")
    return AskRequest(
        golden["question"],
        TODAY,
        groups,
        history=tuple(Turn(**turn) for turn in golden.get("history", ())),
        as_of=date.fromisoformat(as_of) if as_of else None,
    )


def _citations(reply: Reply) -> Sequence[Citation]:
    return reply.citations if isinstance(reply, Answer) else ()


def _names(outcomes: list[Outcome], wrong: Callable[[Outcome], bool]) -> list[str]:
    return [each.name for each in outcomes if wrong(each)]


def test_most_are_answered_as_agreed(outcomes: list[Outcome]) -> None:
    assert len(outcomes) == 100
    wrong = _names(outcomes, lambda each: not each.is_right)
    assert len(outcomes) - len(wrong) >= LEAST_RIGHT, wrong


def test_what_is_not_simply_allowed_is_never_called_allowed(outcomes: list[Outcome]) -> None:
    limited = ("prohibited", "restricted")
    wrong = _names(outcomes, lambda e: e.verdict == "allowed" and e.golden["expected"].get("verdict") in limited)
    assert wrong == []


def test_what_is_prohibited_is_hardly_ever_called_restricted(outcomes: list[Outcome]) -> None:
    """One sentence with a permission and a ban, and a duty beside a closed list, are read so; never as allowed."""
    prohibited = [each for each in outcomes if each.golden["expected"].get("verdict") == "prohibited"]
    assert len(prohibited) > 25
    assert len(_names(prohibited, lambda each: each.verdict == "restricted")) <= 3


def test_near_misses_hardly_ever_get_a_verdict(outcomes: list[Outcome]) -> None:
    near = [each for each in outcomes if "near_miss" in each.golden["tags"]]
    assert len(near) == 12
    assert len(_names(near, lambda each: not each.is_right or each.verdict is not None)) <= 1


def test_what_is_off_topic_is_refused_as_that(outcomes: list[Outcome]) -> None:
    off = [each for each in outcomes if "off_topic" in each.golden["tags"]]
    assert len(off) == 6
    assert all(isinstance(each.reply, Refusal) and each.reply.reason is RefusalReason.OFF_TOPIC for each in off)
    assert all(each.reply.nearest == () for each in off if isinstance(each.reply, Refusal))


def test_the_restricted_document_shows_to_nobody_outside_its_group(outcomes: list[Outcome]) -> None:
    shown = _names(outcomes, lambda each: RESTRICTED in repr(each.reply) or "pre-clearance" in repr(each.reply))
    assert shown == []
    assert _names(outcomes, lambda each: RESTRICTED in repr(each.read)) == [], "nor is it looked through for them"


def test_its_group_does_see_it(outcomes: list[Outcome]) -> None:
    hidden = [each for each in outcomes if "restricted_document" in each.golden["tags"]]
    assert len(hidden) == 2
    assert all(RESTRICTED in repr(each.read_for_legal) for each in hidden)
    assert any(RESTRICTED in repr(each.for_legal) for each in hidden), "though other rules may come nearer"


def test_no_citation_is_only_of_places_that_were_not_asked(outcomes: list[Outcome]) -> None:
    asked = [each for each in outcomes if isinstance(each.reply, Answer) and each.reply.scope.regions]
    assert len(asked) > 50
    assert _names(asked, _cites_another_place) == []


def _cites_another_place(outcome: Outcome) -> bool:
    """A section on several places ("Norway and Turkey") is shown to each of them."""
    visible = frozenset().union(*(seen_from(place) for place in outcome.reply.scope.regions))
    return any(not visible & set(each.regions) for each in _citations(outcome.reply))


def test_every_citation_holds_on_the_day_asked(outcomes: list[Outcome]) -> None:
    wrong = _names(outcomes, lambda each: any(not _holds(c, each.reply.scope.as_of) for c in _citations(each.reply)))
    assert wrong == []


def _holds(citation: Citation, day: date) -> bool:
    return citation.effective_from <= day and (citation.effective_to is None or day < citation.effective_to)


def test_the_words_that_matter_are_shown(outcomes: list[Outcome]) -> None:
    agreed = [each for each in outcomes if each.golden["expected"].get("must_mention")]
    missing = _names(agreed, _lacks_a_word)
    assert len(agreed) - len(missing) >= 0.7 * len(agreed), missing


def _lacks_a_word(outcome: Outcome) -> bool:
    shown = outcome.reply.statements if isinstance(outcome.reply, Answer) else ()
    text = " ".join(each.text for each in shown)
    return any(phrase not in text for phrase in outcome.golden["expected"]["must_mention"])


def test_slack_and_teams_say_the_same(outcomes: list[Outcome]) -> None:
    """Slack has less room: where it left something out, Teams says it and Slack says so."""
    links = Links("https://bot.example", {"quillmoor": "Quillmoor Ads"})
    for each in outcomes:
        question = each.golden["question"]
        alone = only_in_one(question, each.reply, links)
        shorter = any("Left out for length" in line for line in alone)
        assert [line for line in alone if not shorter] == [], each.name
        slack, teams = addresses(question, each.reply, links)
        assert slack == teams or (shorter and slack < teams), each.name
        missing = missing_words(question, each.reply, links)
        assert [line for line in missing if line.startswith("Teams") or not shorter] == [], each.name
