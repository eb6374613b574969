"""`python -m ops curated`: who does what."""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.people.privacy import open_pseudonyms
from adapters.sql.policies.store import SqlKeptPassages, SqlPolicyStore
from bot.access.pseudonyms import ACCOUNT
from bot.answers.curated import Approver, Curating
from bot.audit.entries import INSTALLATION
from bot.model.jsonable import jsonable
from bot.model.messages import Actor
from ingest.model.labels import declared_groups, declared_labels
from ingest.model.operators import operator
from ops.backends import build_vault
from ops.config import Config
from ops.curated.entries import CitationEntry, CuratedEntry
from ops.curated.file import Location, ReadFile, read_file, written
from ops.parts import new_id, utc_now
from ops.wiring import open_engine
from ops.wording import curated as wording
from rag_core.answers import Verdict
from rag_core.curated.kept import CuratedAnswer, CuratedCitation, CuratedScope, CuratedState, CuratedStatement, Owner
from rag_core.curated.matching import asked_in, wording_said
from rag_core.documents import Passage, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, DeclaredLabel
from rag_core.regions import normalise
from rag_core.understanding.mentions import told_apart


class Resolving:
    """Raises Rejected("curated_file_invalid") with the line of what is wrong."""

    def __init__(
        self,
        passages: SqlKeptPassages,
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


async def curated(args: argparse.Namespace, config: Config) -> int:
    """Raises Rejected, which says what cannot be."""
    async with open_engine(config) as engine:
        shelf = SqlCuratedAnswers(engine)
        curating = Curating(shelf, SqlKeptPassages(engine), now=utc_now, new_id=new_id)
        match args.what:
            case "list":
                return _list(args, await shelf.all())
            case "show":
                return await _show(args, shelf, curating)
            case "import":
                return await _import(args, config, engine, curating)
            case "export":
                return await _export(args, shelf)
            case "approve":
                found = await curating.approve(args.name, await _approver(args, config, engine))
            case "suspend":
                found = await curating.suspend(args.name, operator())
            case _:
                found = await curating.retire(args.name, operator())
    print(wording.done(found))
    return 0


def _list(args: argparse.Namespace, answers: tuple[CuratedAnswer, ...]) -> int:
    if args.format == "json":
        print(json.dumps([jsonable(each) for each in answers], ensure_ascii=False))
    else:
        print("\n".join(wording.listed(answers)) if answers else wording.NONE_THERE)
    return 0


async def _show(args: argparse.Namespace, shelf: SqlCuratedAnswers, curating: Curating) -> int:
    answer = await shelf.find(args.name)
    if answer is None:
        raise Rejected("curated_unknown", name=args.name)
    fallen = await curating.fallen_of(answer)
    if args.format == "json":
        print(json.dumps({**jsonable(answer), "fallen": dict(fallen)}, ensure_ascii=False))
    else:
        print("\n".join(wording.shown(answer, fallen)))
    return 0


async def _import(args: argparse.Namespace, config: Config, engine: AsyncEngine, curating: Curating) -> int:
    """All of the file, or after a mistake in it nothing."""
    read = read_file(await asyncio.to_thread(_text_of, args.file), args.file)
    groups = frozenset(await asyncio.to_thread(declared_groups, config.catalogue))
    sources = await SqlPolicyStore(engine).sources(groups)
    labels, _ = told_apart(await asyncio.to_thread(declared_labels, config.catalogue), sources)
    now = utc_now()
    answers = await Resolving(SqlKeptPassages(engine), sources, labels, now).answers(read)
    before = {each.key: each.revision for each in await SqlCuratedAnswers(engine).all()}
    after = [await curating.put(each, operator()) for each in answers]
    new = sum(each.key not in before for each in after)
    changed = sum(before.get(each.key, each.revision) != each.revision for each in after)
    print(wording.imported(new, changed, len(after) - new - changed))
    return 0


async def _export(args: argparse.Namespace, shelf: SqlCuratedAnswers) -> int:
    answers = [each for each in await shelf.all() if each.state is not CuratedState.RETIRED]
    text = written(answers)
    if args.file == "-":
        print(text, end="")
        return 0
    await asyncio.to_thread(_write, args.file, text)
    print(wording.exported(len(answers)), file=sys.stderr)
    return 0


async def _approver(args: argparse.Namespace, config: Config, engine: AsyncEngine) -> Approver:
    account = operator()
    pseudonyms = await open_pseudonyms(engine, build_vault(config))
    return Approver(args.by.strip() or account, pseudonyms.of(Actor(ACCOUNT, INSTALLATION, account)), account)


def _text_of(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as exc:
        raise Rejected("curated_file_unreadable", path=path) from exc


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as exc:
        raise Rejected("curated_file_unreadable", path=path) from exc
