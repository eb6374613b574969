"""The web listener on loopback, in front of hand-written parts."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import date

import aiohttp
from aiohttp import web
from blockbuster import blockbuster_ctx

from adapters.web.app import web_app
from adapters.web.http_server import runner
from adapters.web.parts import Check, Exposition, Readiness, WebParts
from bot.answers.feedback import Said
from bot.model.links import Links
from bot.model.messages import Actor
from bot.ports import Opinion
from bot.questions.answerer import Answered, Asked
from ingest.ports import VersionWrite
from rag_core.answers import (
    Answer,
    AskTrace,
    Citation,
    Condition,
    ConditionKind,
    Notice,
    PlaceVerdict,
    Quote,
    Reply,
    Statement,
    Verdict,
    WarningCode,
)
from rag_core.changes import ChangesWanted, PolicyChange
from rag_core.documents import DocumentVersion, Passage, PolicySource, unlinked
from rag_core.ports import VersionText
from rag_core.questions import Filters, Intent, Question, Scope
from rag_core.retrieval.found import Found, SearchFound
from tests.fakes.documents import ACME, make_write, passages_of

TODAY = date(2026, 3, 2)
PUBLIC_URL = "https://policies.example"
QUOTE = "In the United Kingdom, alcohol ads may be shown to adults only."


def uk_answer(write: VersionWrite, quote: str = QUOTE) -> Answer:
    """ "Restricted in the United Kingdom", with one statement, one condition and one citation out of `write`."""
    passage = next(each for each in passages_of(write) if quote in each.chunk.chunk_text)
    chunk, version = passage.chunk, passage.version
    start = chunk.chunk_text.index(quote)
    citation = Citation(
        number=1,
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        document_id=version.document_id,
        policy_source=chunk.policy_source,
        title=version.title,
        url=version.url,
        anchor=None,
        section_path=chunk.policy_path,
        rule_number=None,
        page=None,
        regions=chunk.regions,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        checked_at=version.checked_at,
        char_start=chunk.char_start + start,
        char_end=chunk.char_start + start + len(quote),
        quote=quote,
    )
    return Answer(
        scope=Scope(TODAY, regions=("uk",), inferred=("regions",), assumed=("as_of",)),
        statements=(Statement(quote, (1,), (Quote(chunk.chunk_id, quote, start, start + len(quote)),)),),
        citations=(citation,),
        verdicts=(
            PlaceVerdict(
                "uk", "acme", Verdict.RESTRICTED, (Condition(ConditionKind.AGE, "adults only", (1,)),), citations=(1,)
            ),
        ),
        warnings=(Notice(WarningCode.SAMPLE),),
    )


@dataclass
class FakeAsk:
    """Answers every question with `reply`, or raises it; keeps what was asked."""

    reply: Reply | Exception
    wait: Callable[[], Awaitable[object]] | None = None
    asked: list[Asked] = field(default_factory=list)

    async def __call__(self, asked: Asked) -> Answered:
        self.asked.append(asked)
        if self.wait is not None:
            await self.wait()
        if isinstance(self.reply, Exception):
            raise self.reply
        question = Question(asked.text, self.reply.scope, Intent.PERMISSION, ())
        return Answered("answer-1", self.reply, AskTrace(question, timings_ms={"retrieve": 1.5}))


@dataclass
class FakeSearch:
    """Finds `passages`, or raises; keeps the arguments of every call."""

    passages: Sequence[Passage] = ()
    degraded: tuple[str, ...] = ()
    error: Exception | None = None
    wait: Callable[[], Awaitable[object]] | None = None
    calls: list[dict[str, object]] = field(default_factory=list)

    async def __call__(
        self,
        query: str,
        *,
        filters: Filters,
        today: date,
        as_of: date | None,
        groups: frozenset[str],
        limit: int,
        prefer_specific: bool,
    ) -> SearchFound:
        call = {"query": query, "filters": filters, "as_of": as_of, "groups": groups, "limit": limit}
        self.calls.append(call | {"today": today, "prefer_specific": prefer_specific})
        if self.wait is not None:
            await self.wait()
        if self.error is not None:
            raise self.error
        return SearchFound(tuple(Found(each, 0.5) for each in self.passages), self.degraded)


@dataclass
class FakePolicyStore:
    """The versions of `writes`, seen by whoever may; raises `error` instead where one is given."""

    writes: Sequence[VersionWrite] = ()
    error: Exception | None = None

    async def passages(self, chunk_ids: Sequence[str], groups: frozenset[str], day: date | None) -> list[Passage]:
        known = {each.chunk.chunk_id: each for write in self._seen(groups) for each in passages_of(write)}
        found = [unlinked(known[chunk_id]) for chunk_id in chunk_ids if chunk_id in known]
        return [each for each in found if day is None or each.version.holds_on(day)]

    async def section(self, doc_id: str, first_index: int, last_index: int, groups: frozenset[str]) -> list[Passage]:
        mine = [each for write in self._seen(groups) if write.version.doc_id == doc_id for each in passages_of(write)]
        return [each for each in mine if first_index <= each.chunk.chunk_index <= last_index]

    async def sources(self, groups: frozenset[str]) -> list[PolicySource]:
        documents = {(write.version.policy_source, write.version.document_id) for write in self._seen(groups)}
        counted = Counter(slug for slug, _ in documents)
        return [PolicySource(slug, f"{slug.title()} Ads", (), counted[slug]) for slug in sorted(counted)]

    async def versions(self, groups: frozenset[str], document_id: str | None = None) -> list[DocumentVersion]:
        seen = [write.version for write in self._seen(groups)]
        mine = [version for version in seen if document_id in (None, version.document_id)]
        return sorted(mine, key=lambda version: (version.document_id, version.effective_from, version.doc_id))

    async def version_text(self, doc_id: str, groups: frozenset[str]) -> VersionText | None:
        mine = [write for write in self._seen(groups) if write.version.doc_id == doc_id]
        return VersionText(mine[0].version, mine[0].text) if mine else None

    def _seen(self, groups: frozenset[str]) -> list[VersionWrite]:
        if self.error is not None:
            raise self.error
        return [write for write in self.writes if write.version.may_see(groups)]


@dataclass
class FakeChangeFeed:
    """Has `known`, in this order, or raises `error`; keeps what was wanted and for which groups."""

    known: Sequence[PolicyChange] = ()
    error: Exception | None = None
    asked: list[tuple[ChangesWanted, frozenset[str], int | None]] = field(default_factory=list)

    async def changes(
        self, wanted: ChangesWanted, groups: frozenset[str], limit: int | None = None
    ) -> list[PolicyChange]:
        self.asked.append((wanted, groups, limit))
        if self.error is not None:
            raise self.error
        return [each for each in self.known if each.change_id > (wanted.after or 0)][:limit]


async def no_answer(answer_id: str, actor: Actor, groups: frozenset[str]) -> None:
    """Nobody has asked anything yet."""


async def no_answer_to_rate(actor: Actor, said: Said, given_from: str) -> Opinion | None:
    return None


@dataclass
class FakeReady:
    """Says how things are; counts how often it was asked."""

    readiness: Readiness = field(default_factory=lambda: Readiness(True, {"store": Check("ok"), "index": Check("ok")}))
    asked: int = 0

    async def __call__(self) -> Readiness:
        self.asked += 1
        return self.readiness


def no_figures() -> Exposition:
    return Exposition("text/plain", b"")


def make_parts(
    ask: Callable[[Asked], Awaitable[Answered]] | None = None,
    search: FakeSearch | None = None,
    store: FakePolicyStore | None = None,
    **changes: object,
) -> WebParts:
    """Parts around one document, with which the answer is `uk_answer`; `changes` are further fields."""
    write = make_write(url=None)
    fields: dict[str, object] = {
        "ask": ask or FakeAsk(uk_answer(write)),
        "search": search or FakeSearch(passages_of(write)),
        "store": store or FakePolicyStore([write]),
        "changes": FakeChangeFeed(),
        "read_answer": no_answer,
        "give_feedback": no_answer_to_rate,
        "links": Links(PUBLIC_URL, {ACME.slug: ACME.display_name}),
        "today": lambda: TODAY,
        "ready": FakeReady(),
        "metrics": no_figures,
    }
    return WebParts(**(fields | changes))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Site:
    """A client of a served application; it follows no redirect and decodes nothing."""

    session: aiohttp.ClientSession
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def get(self, path: str, **headers: str) -> tuple[int, str]:
        async with self.session.get(path, headers=_headers(headers)) as response:
            return response.status, await response.text()

    async def page(self, path: str) -> tuple[int, str]:
        """As a browser asks for a page."""
        return await self.get(path, accept="text/html,application/xhtml+xml")

    async def post(self, path: str, body: object) -> tuple[int, dict[str, object]]:
        async with self.session.post(path, json=body) as response:
            return response.status, await response.json(content_type=None)


def _headers(given: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in given.items()}


@asynccontextmanager
async def serving(parts: WebParts, port: int = 0, *, guarded: bool = True) -> AsyncIterator[Site]:
    """The web listener on a port of this machine (0: a free one), run as in production.

    Whatever would block its event loop while a request is answered, fails that request. `guarded=False` for a site
    that stays open over other tests: the guard is on the whole process.
    """
    running = runner(web_app(parts))
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", port).start()
        given = running.addresses[0][1]
        with blockbuster_ctx("adapters.web") if guarded else nullcontext():
            async with aiohttp.ClientSession(f"http://127.0.0.1:{given}") as session:
                yield Site(session, given)
    finally:
        await running.cleanup()
