"""Roads through people's answers: an answer shown where people are asked, and one that a person approved."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from adapters.sql.audit.answers import SqlGivenAnswers
from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.policies.store import SqlKeptPassages
from bot.answers.curated import Approver, Curating
from bot.people.escalations import AskedPlace, Escalation, EscalationState, EscalationViews
from bot.render.slack import escalation as slack_escalation
from bot.render.teams import escalation as teams_escalation
from ops.parts import new_id, utc_now
from rag_core.curated.kept import CuratedAnswer, CuratedCitation, CuratedScope, CuratedState, CuratedStatement
from tests.security.access.answered import ASKED, answer_of
from tests.security.access.attempts import HELD_APART, Attempt, Proof, Road
from tests.security.access.people import INSIDERS
from tests.security.access.world import Door, World

_QUESTIONS = {
    "memo": "Can I advertise mervelgate balloons in Norway on Tarrow?",
    "closed": "Can I advertise mervelgate balloons in Norway on Moorle?",
}
_PLACE = AskedPlace("slack", "T1", "C1", "U1", people_in="C2")


def _escalated(_: World) -> Iterator[Attempt]:
    for of, question, told in ASKED:
        shows_rules = not question.startswith(("which", "list", "help"))  # lists of documents are not shown there
        take, proof = _shown(question), told if shows_rules else Proof.TAKEN
        yield Attempt(question, of, take, proof=proof, alike=False, before=question, before_by=INSIDERS)


def _shown(question: str) -> Callable[[Door], Any]:
    """What a channel of people like the asker is shown of a member's answer; the question is the member's to tell."""

    async def take(door: Door) -> str:
        answering = door.world.answering
        answer_id = await answer_of(door, question)
        asked = Escalation("e", answer_id, "p", EscalationState.OPEN, _PLACE, "", datetime.now(UTC))
        views = EscalationViews(SqlGivenAnswers(answering.engine), answering.store, answering.access)
        view = await views.for_groups(asked, door.asker.groups)
        told = {name: value for name, value in asdict(view).items() if name != "question"}
        nameless = replace(view, question="")
        platforms = (slack_escalation, teams_escalation)
        cards = [each.escalation_message(asked, nameless, answering.names) for each in platforms]
        return json.dumps([told, *cards]).replace(json.dumps(HELD_APART)[1:-1], "")

    return take


def _approved(_: World) -> Iterator[Attempt]:
    for of, question in _QUESTIONS.items():
        yield Attempt(f"an approved answer from {of}", of, _asked_approved(of), question, _proof(of), alike=False)


def _proof(of: str) -> Proof:
    """Nobody may see what has no groups."""
    return Proof.TAKEN if of == "closed" else Proof.HIDDEN


def _asked_approved(of: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        async with _approving(door.world, of):
            return await door.post("/api/v1/ask", {"question": _QUESTIONS[of]})

    return take


@asynccontextmanager
async def _approving(world: World, of: str) -> AsyncIterator[None]:
    """An answer that quotes the hidden version `of`, approved meanwhile; none where there is no such version."""
    engine = world.answering.engine
    passages = SqlKeptPassages(engine)
    curating = Curating(SqlCuratedAnswers(engine), passages, now=utc_now, new_id=new_id)
    secret = world.secrets.get(of)
    if secret is None:
        yield
        return
    found = (await passages.passages(secret.chunk_ids[:1]))[secret.chunk_ids[0]]
    chunk = found.chunk
    quote = chunk.chunk_text
    cited = CuratedCitation(
        chunk.chunk_id, chunk.doc_id, found.version.document_id, chunk.policy_path, chunk.content_hash, quote
    )
    answer = CuratedAnswer(
        curated_id="",
        key=f"bench-{of}-{new_id()}",
        revision=0,
        state=CuratedState.DRAFT,
        wordings=(_QUESTIONS[of],),
        scope=CuratedScope(("no",), (chunk.policy_source,)),
        verdict=None,
        statements=(CuratedStatement(quote, (1,)),),
        citations=(cited,),
        changed_at=utc_now(),
    )
    kept = await curating.put(answer, "bench")
    await curating.approve(kept.key, Approver("bench", "", "bench"))
    try:
        yield
    finally:
        await curating.retire(kept.key, "bench")


ROADS = (
    Road("an answer where people are asked", _escalated),
    Road("an answer that a person approved", _approved),
)
