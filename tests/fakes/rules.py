"""Builders for tests of reading rules: passages, units, questions, evidence, from a line of text."""

from dataclasses import replace
from datetime import date
from typing import Any

from rag_core.answering.compose import Target
from rag_core.answering.evidence import Evidence, judge
from rag_core.answering.units import Unit, UnitKind, units_of
from rag_core.answering.verdicts import Decision, decide
from rag_core.documents import Passage
from rag_core.questions import Intent, QueryTerm, Question, Scope
from rag_core.retrieval.found import Found
from rag_core.understanding.terms import terms_of
from tests.fakes.documents import Section, make_version, make_write, passages_of

DAY = date(2026, 6, 1)


def passage(
    body: str,
    heading: str = "Rules",
    regions: tuple[str, ...] = ("global",),
    *,
    document_id: str = "acme_rules",
    title: str = "Advertising",
    lead_in: str = "",
    **version: Any,
) -> Passage:
    """One section of a document; `version` are further fields of DocumentVersion."""
    write = make_write(make_version(document_id, title=title, **version), [Section(heading, body, regions)])
    found = passages_of(write)[0]
    return Passage(replace(found.chunk, lead_in=lead_in), found.version)


def unit(body: str, heading: str = "Rules", regions: tuple[str, ...] = ("global",), **changes: Any) -> Unit:
    """The last rule that `body` states; `changes` as for `passage`."""
    return units_of(passage(body, heading, regions, **changes))[-1]


def whole_list(body: str, heading: str = "Rules", regions: tuple[str, ...] = ("global",)) -> Unit:
    """The list in `body` as one rule."""
    return next(each for each in units_of(passage(body, heading, regions)) if each.kind is UnitKind.LIST)


def words(text: str) -> tuple[QueryTerm, ...]:
    """The content words of `text`, with their synonyms."""
    return terms_of(text)


def question(text: str, *places: str, intent: Intent = Intent.PERMISSION, **scope: Any) -> Question:
    """A question on the topic `text`, in `places`."""
    return Question(text, Scope(scope.pop("as_of", DAY), regions=places, **scope), intent, terms_of(text), True)


def evidence(text: str, place: str | None, *passages: Passage, intent: Intent = Intent.PERMISSION) -> Evidence:
    """What `passages` say to a question on `text`; each scores less than the one before."""
    results = [Found(each, 1.0 - 0.05 * position) for position, each in enumerate(passages)]
    return judge(question(text, *([place] if place else []), intent=intent), place, results)


def decision(text: str, place: str | None, *passages: Passage) -> Decision:
    """The verdict on `text` in `place` from `passages`."""
    return decide(evidence(text, place, *passages))


def target(text: str, place: str | None, *passages: Passage, policy_source: str = "acme") -> Target:
    """What composing takes: evidence and verdict for one place on one platform."""
    found = evidence(text, place, *passages)
    return Target(place, policy_source, found, decide(found))
