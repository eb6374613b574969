"""Make a person's answer an approved one, from the chat platform."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.answers.curated import Approver, Curating, StoredPassages
from bot.answers.recorded import KnownAs
from bot.model.messages import Actor
from bot.model.visible import lines, one_line
from bot.people.escalations import Escalation, EscalationView, SeenSource
from rag_core.answers import Verdict
from rag_core.curated.kept import (
    CuratedAnswer,
    CuratedCitation,
    CuratedScope,
    CuratedState,
    CuratedStatement,
    Owner,
)
from rag_core.documents import Passage
from rag_core.errors import Rejected
from rag_core.regions import normalise

_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_APART = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class Saved:
    """What somebody filled in: `questions` and `statements` one a line, places and platforms apart by commas."""

    questions: str
    places: str
    platforms: str
    verdict: str
    statements: str
    sources: frozenset[int]
    shown_by: str


class SavingCurated:
    """Who answered may save a draft, an admin of the workspace may approve it as well; whether he is one is the
    platform's to say. Raises Rejected: "curated_empty", "curated_not_approvable", "curated_changed", "unknown_region",
    "unknown_source". Raises Unavailable."""

    def __init__(
        self,
        curating: Curating,
        passages: StoredPassages,
        *,
        now: Callable[[], datetime],
        known_as: KnownAs,
    ) -> None:
        self._curating = curating
        self._passages = passages
        self._now = now
        self._known_as = known_as

    async def save(
        self, escalation: Escalation, view: EscalationView, saved: Saved, actor: Actor, *, approves: bool
    ) -> CuratedAnswer:
        """Kept as a draft, and approved if he `approves`; what cannot be approved stays a draft.

        `view`: what he may see of the escalated answer; only sources of it can be cited.
        """
        cited = await self._cited([each for each in view.sources if each.number in saved.sources])
        questions, statements = tuple(lines(saved.questions)), tuple(lines(saved.statements))
        if not (cited and questions and statements):
            raise Rejected("curated_empty")
        numbers = tuple(range(1, len(cited) + 1))
        draft = CuratedAnswer(
            curated_id="",
            key=_key(escalation),
            revision=0,
            state=CuratedState.DRAFT,
            wordings=questions,
            scope=CuratedScope(_places(saved.places), _slugs(saved.platforms)),
            verdict=Verdict(saved.verdict) if saved.verdict in set(Verdict) else None,
            statements=tuple(CuratedStatement(each, numbers) for each in statements),
            citations=tuple(citation for _, citation in cited),
            changed_at=self._now(),
            groups=frozenset(group for passage, _ in cited for group in passage.version.allowed_groups),
            owner=Owner(escalation.place.platform, escalation.place.workspace, escalation.place.people_in),
        )
        kept = await self._curating.put(draft, actor.person)
        if not approves or kept.is_shown:
            return kept
        name = one_line(saved.shown_by)
        return await self._curating.approve(kept.key, Approver(name, self._known_as(actor), actor.person))

    async def _cited(self, sources: Sequence[SeenSource]) -> list[tuple[Passage, CuratedCitation]]:
        """Those that are still stored as they were quoted; of others nothing can be said."""
        stored = await self._passages.passages([each.chunk_id for each in sources])
        found = []
        for each in sources:
            passage = stored.get(each.chunk_id)
            if passage is not None and passage.is_intact and each.quote and each.quote in passage.chunk.chunk_text:
                chunk, document = passage.chunk, passage.version.document_id
                citation = CuratedCitation(
                    chunk.chunk_id, chunk.doc_id, document, chunk.policy_path, chunk.content_hash, each.quote
                )
                found.append((passage, citation))
        return found


def may_save(escalation: Escalation, person: str, *, is_admin: bool) -> bool:
    """`person`: the pseudonym of who wants to."""
    return is_admin or any(each.person == person for each in escalation.replies)


def _key(escalation: Escalation) -> str:
    """The same for the same escalation: saving it again changes what was saved."""
    return f"asked-{hashlib.sha256(escalation.escalation_id.encode()).hexdigest()[:12]}"


def _places(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(normalise(each) for each in _APART.split(text.strip()) if each))


def _slugs(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(each.lower() for each in _APART.split(text.strip()) if each))
    if unknown := [each for each in found if not _SLUG.fullmatch(each)]:
        raise Rejected("unknown_source", value=unknown[0])
    return found
