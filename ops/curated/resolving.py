"""An entry of a file made an answer: its citations found in the documents as they are today, its questions read."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from ops.curated.entries import CitationEntry, CuratedEntry
from ops.curated.file import Location, ReadFile
from ops.wording import curated as wording
from rag_core.answers import Verdict
from rag_core.curated.kept import (
    CuratedAnswer,
    CuratedCitation,
    CuratedScope,
    CuratedState,
    CuratedStatement,
    Owner,
)
from rag_core.curated.matching import asked_in, wording_said
from rag_core.documents import Passage, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, DeclaredLabel
from rag_core.regions import normalise


class LivePassages(Protocol):
    """Documents as they hold on a day, whoever may see them. Raises Unavailable."""

    async def live_on(self, document_id: str, day: date) -> list[Passage]:
        """In the order of the text; none for a document that is not there or does not hold."""
        ...


class Resolving:
    """Raises Rejected("curated_file_invalid") with the line of what is wrong."""

    def __init__(
        self,
        passages: LivePassages,
        sources: Sequence[PolicySource],
        labels: Sequence[DeclaredLabel],
        now: datetime,
    ) -> None:
        self._passages = passages
        self._sources = sources
        self._labels = labels
        self._now = now

    async def answers(self, read: ReadFile) -> list[CuratedAnswer]:
        """All of them, or none."""
        return [await self._answer(read, number, entry) for number, entry in enumerate(read.entries)]

    async def _answer(self, read: ReadFile, number: int, entry: CuratedEntry) -> CuratedAnswer:
        scope = self._scope(read, number, entry)
        self._check_questions(read, number, entry, scope)
        cited = [await self._cited(read, (number, "citations", at), each) for at, each in enumerate(entry.citations)]
        for at, each in enumerate(entry.answer):
            if unknown := [one for one in each.cites if one > len(cited)]:
                raise read.refused((number, "answer", at, "cites"), wording.no_such_citation(unknown[0], len(cited)))
        passages = [passage for passage, _ in cited]
        platform, _, place = entry.owner.partition(":")
        workspace, _, channel = place.partition("/")
        return CuratedAnswer(
            curated_id="",
            key=entry.key,
            revision=0,
            state=CuratedState.DRAFT,
            wordings=entry.questions,
            scope=scope,
            verdict=Verdict(entry.verdict) if entry.verdict else None,
            statements=tuple(CuratedStatement(each.text, each.cites) for each in entry.answer),
            citations=tuple(citation for _, citation in cited),
            changed_at=self._now,
            groups=frozenset(group for each in passages for group in each.version.allowed_groups),
            owner=Owner(platform, workspace, channel),
        )

    def _scope(self, read: ReadFile, number: int, entry: CuratedEntry) -> CuratedScope:
        known = {each.slug for each in self._sources}
        for at, slug in enumerate(entry.platforms):
            if slug not in known:
                raise read.refused((number, "platforms", at), wording.unknown_platform(slug, sorted(known)))
        regions = []
        for at, code in enumerate(entry.regions):
            try:
                regions.append(normalise(code))
            except Rejected as exc:
                raise read.refused((number, "regions", at), wording.unknown_place(code)) from exc
        return CuratedScope(tuple(regions), entry.platforms, entry.content_types, entry.labels)

    def _check_questions(self, read: ReadFile, number: int, entry: CuratedEntry, scope: CuratedScope) -> None:
        """A wording that nobody could ask, or that asks about another scope, would never be found, or wrongly."""
        for at, text in enumerate(entry.questions):
            where: Location = (number, "questions", at)
            try:
                said = asked_in(AskRequest(text, self._now.date()), self._sources, self._labels)
                fixed = wording_said(text, scope, self._now.date(), self._sources, self._labels)
            except Rejected as exc:
                raise read.refused(where, wording.not_a_question(exc.code)) from exc
            asked = said.question.scope
            if not fixed.can_be_matched or asked.as_of != self._now.date():
                raise read.refused(where, wording.NOT_FOR_MATCHING)
            if asked.regions and frozenset(asked.regions) != frozenset(scope.regions):
                raise read.refused(where, wording.other_places(asked.regions, scope.regions))
            if asked.policy_sources and frozenset(asked.policy_sources) != frozenset(scope.policy_sources):
                raise read.refused(where, wording.other_platforms(asked.policy_sources, scope.policy_sources))

    async def _cited(self, read: ReadFile, where: Location, entry: CitationEntry) -> tuple[Passage, CuratedCitation]:
        live = await self._passages.live_on(entry.document_id, self._now.date())
        if not live:
            raise read.refused((*where, "document_id"), wording.no_live_document(entry.document_id))
        section = [each for each in live if each.chunk.policy_path == entry.section]
        if not section:
            paths = list(dict.fromkeys(each.chunk.policy_path for each in live))
            raise read.refused((*where, "section"), wording.no_such_section(entry.section, paths))
        found = [each for each in section if each.is_intact and entry.quote in each.chunk.chunk_text]
        if not found:
            raise read.refused((*where, "quote"), wording.not_verbatim(entry.quote))
        chunk = found[0].chunk
        return found[0], CuratedCitation(
            chunk.chunk_id, chunk.doc_id, entry.document_id, chunk.policy_path, chunk.content_hash, entry.quote
        )
