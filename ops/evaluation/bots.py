"""The bots that can be measured: in this process, behind an address, and one that knows the answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol
from urllib.parse import quote

import aiohttp

from bot.model.outcomes import Rejection
from bot.render.json import reply_json
from bot.render.slack.message import slack_message
from bot.render.text import reply_text
from ops.evaluation.matching import cited_for, is_supported, stands_in
from ops.evaluation.observed import Cited, GivenVerdict, Observed, Retrieved, observed_from, texts_in
from ops.evaluation.questions import Expected, GoldQuestion
from ops.parts import Answering
from rag_core.answers import AskTrace
from rag_core.claims.support import LONGEST_CLAIM, SupportVerdict
from rag_core.documents import Passage
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import AskRequest, Filters, Turn
from rag_core.regions import GLOBAL

_WIDTH = 100
_LAST_CHUNK = 100_000


@dataclass(frozen=True, slots=True)
class Query:
    """A question as a bot gets it. `groups`: the asker's, where the bot believes them. `about`: the golden question's
    id, which only the mock looks at."""

    text: str
    filters: Filters = field(default_factory=Filters)
    history: tuple[Turn, ...] = ()
    as_of: date | None = None
    groups: frozenset[str] = frozenset()
    about: str = ""


def query_of(question: GoldQuestion) -> Query:
    return Query(question.question, question.chosen, question.turns, question.as_of, about=question.id)


class Bot(Protocol):
    """Answers a question; one it does not take is `Observed("rejected")`. `supports`: of each statement, whether what
    it cites says it. Raises Unavailable."""

    async def ask(self, query: Query) -> Observed: ...

    async def supports(self, observed: Observed) -> tuple[bool, ...]: ...


class InProcessBot:
    """All of answering, without a record: nothing of an evaluation is kept. Tells what it retrieved."""

    def __init__(self, answering: Answering, today: date, top_k: int) -> None:
        self._answering = answering
        self._today = today
        self._top_k = top_k
        self._versions: dict[str, list[Passage]] = {}

    async def ask(self, query: Query) -> Observed:
        request = AskRequest(
            query.text,
            self._today,
            query.groups,
            query.filters,
            query.history,
            as_of=query.as_of,
            top_k=self._top_k,
        )
        links = self._answering.links
        try:
            reply, trace = await self._answering.asker.ask(request)
        except Rejected as exc:
            shown = texts_in(slack_message("", "", Rejection(exc.code, exc.details), links))
            return Observed("rejected", reason=exc.code, shown=tuple(shown))
        shown = [reply_text("", reply, links, _WIDTH), *texts_in(slack_message("", "", reply, links)["blocks"])]
        found = await self._retrieved(trace, query.groups)
        return observed_from(reply_json("", reply, links, trace.timings_ms), shown, found)

    async def supports(self, observed: Observed) -> tuple[bool, ...]:
        found = []
        for statement in observed.statements:
            passages = [each for cited in cited_for(observed, statement) for each in await self._section(cited)]
            found.append(await asyncio.to_thread(is_supported, statement, passages))
        return tuple(found)

    async def _section(self, cited: Cited) -> list[Passage]:
        """The chunks of the section that is cited; a version never changes, so it is read once."""
        if cited.doc_id not in self._versions:
            self._versions[cited.doc_id] = await self._answering.store.section(
                cited.doc_id, 0, _LAST_CHUNK, frozenset()
            )
        return [each for each in self._versions[cited.doc_id] if each.chunk.policy_path == cited.section_path]

    async def _retrieved(self, trace: AskTrace, groups: frozenset[str]) -> list[Retrieved]:
        """What was found, best score first; where several places or platforms were asked, all in one row."""
        ranked = sorted(trace.candidates, key=lambda each: -each.score)
        passages = await self._answering.store.passages([each.chunk_id for each in ranked], groups, None)
        return [retrieved(each) for each in passages]


class RestBot:
    """A server that is running, through `POST /api/v1/ask`; with `retrieval_only` through `/search`, which knows no
    history. Its day is today."""

    def __init__(
        self, session: aiohttp.ClientSession, address: str, top_k: int, *, retrieval_only: bool = False
    ) -> None:
        self._retrieval_only = retrieval_only
        self._session = session
        self._address = address.rstrip("/")
        self._top_k = top_k

    async def ask(self, query: Query) -> Observed:
        common: dict[str, object] = {
            "filters": _filters(query.filters),
            **({"as_of": query.as_of.isoformat()} if query.as_of else {}),
        }
        if self._retrieval_only:
            found = await self._post("/api/v1/search", common | {"query": query.text, "limit": self._top_k})
            return self._observed(*found)
        history = [{"role": each.role, "content": each.content} for each in query.history]
        asked = {"question": query.text, "history": history, "top_k": self._top_k}
        return self._observed(*await self._post("/api/v1/ask", common | asked))

    async def supports(self, observed: Observed) -> tuple[bool, ...]:
        """By the chunk that is cited, else by the server's own check: of the chunk, then of the version, as it may
        stand in another chunk of the section."""
        return tuple([await self._supports(observed, each) for each in observed.statements])

    async def _supports(self, observed: Observed, statement: str) -> bool:
        cited = cited_for(observed, statement)
        texts = [text for each in cited for text in await self._texts(each.chunk_id)]
        if stands_in(statement, texts):
            return True
        places = [{"chunk_id": each.chunk_id} for each in cited] + [{"doc_id": each.doc_id} for each in cited]
        for place in places:
            body = {"claim": statement[:LONGEST_CLAIM], **place}
            status, answer = await self._post("/api/v1/verify-citation", body)
            if status == 200 and answer.get("verdict") == SupportVerdict.SUPPORTED:
                return True
        return False

    async def _texts(self, chunk_id: str) -> list[str]:
        status, chunk = await self._sent("GET", f"/api/v1/chunks/{quote(chunk_id, safe='')}")
        return [chunk["lead_in"], chunk["chunk_text"]] if status == 200 else []

    def _observed(self, status: int, answer: dict[str, Any]) -> Observed:
        if status in (400, 413, 422):
            return Observed("rejected", reason=str(answer.get("code", "")), shown=tuple(texts_in(answer)))
        if status != 200:
            raise Unavailable("evaluated_bot_failed", address=self._address, status=status)
        if self._retrieval_only:
            return Observed("answer", retrieved=tuple(_found(each) for each in answer["results"]))
        return observed_from(answer)

    async def _post(self, path: str, body: Mapping[str, object]) -> tuple[int, dict[str, Any]]:
        return await self._sent("POST", path, body)

    async def _sent(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> tuple[int, dict[str, Any]]:
        try:
            async with self._session.request(method, self._address + path, json=body) as response:
                return response.status, await response.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError) as exc:
            raise Unavailable("evaluated_bot_down", address=self._address, reason=type(exc).__name__) from exc


class MockBot:
    """Answers from the gold: what it is asked is looked up. To see that the measures call right what is right."""

    def __init__(self, questions: Sequence[GoldQuestion]) -> None:
        self._gold = {each.id: each.expected for each in questions}

    async def ask(self, query: Query) -> Observed:
        """A question that is not in the gold is refused."""
        gold = self._gold.get(query.about, Expected(kind="refusal"))
        if gold.kind == "gap" or gold.kind == "refusal":
            return Observed("refusal", reason="not_covered", retrieved=(), milliseconds=0.0)
        if gold.kind == "clarification":
            return Observed("clarification", retrieved=(), milliseconds=0.0)
        cited = self._cited(gold)
        return Observed(
            "answer",
            verdict=gold.verdict,
            verdicts=tuple(
                GivenVerdict(each.region, each.policy_source, each.verdict) for each in gold.verdicts if each.verdict
            ),
            statements=(" ".join((*gold.anchors, *gold.must_mention)),),
            citations=cited,
            regions=tuple(each.region for each in gold.verdicts if each.region),
            retrieved=tuple(_as_retrieved(each) for each in cited),
            milliseconds=0.0,
        )

    async def supports(self, observed: Observed) -> tuple[bool, ...]:
        """Gold is taken at its word."""
        return (True,) * len(observed.statements)

    def _cited(self, gold: Expected) -> tuple[Cited, ...]:
        """A citation for each section, each quoting all anchors."""
        starts = gold.version_day or date.min
        return tuple(
            Cited(
                chunk_id=section,
                document_id=gold.document_ids[0],
                policy_source=gold.document_ids[0],
                section_path=section,
                rule_number=None,
                regions=(GLOBAL,),
                effective_from=starts,
                effective_to=None,
                texts=gold.anchors,
            )
            for section in gold.sections
        )


def _as_retrieved(cited: Cited) -> Retrieved:
    return Retrieved(
        cited.chunk_id, cited.document_id, cited.policy_source, cited.section_path, " ".join(cited.texts),
        cited.regions, cited.effective_from, cited.effective_to,
    )  # fmt: skip


def retrieved(passage: Passage) -> Retrieved:
    """A passage as evaluation looks at it."""
    chunk, version = passage.chunk, passage.version
    return Retrieved(
        chunk_id=chunk.chunk_id,
        document_id=version.document_id,
        policy_source=chunk.policy_source,
        section_path=chunk.policy_path,
        text=f"{chunk.lead_in}\n{chunk.chunk_text}",
        regions=chunk.regions,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
    )


def _found(result: Mapping[str, Any]) -> Retrieved:
    """A result of `POST /api/v1/search`."""
    ends = result["effective_to"]
    return Retrieved(
        chunk_id=result["chunk_id"],
        document_id=result["document_id"],
        policy_source=result["policy_source"],
        section_path=result["policy_path"],
        text=f"{result['lead_in']}\n{result['chunk_text']}",
        regions=tuple(result["regions"]),
        effective_from=date.fromisoformat(result["effective_from"]),
        effective_to=date.fromisoformat(ends) if ends else None,
    )


def _filters(filters: Filters) -> dict[str, object]:
    return {
        "policy_source": list(filters.policy_sources),
        "region": list(filters.regions),
        "content_type": list(filters.content_types),
        "policy_section": list(filters.sections),
        "labels": {key: list(values) for key, values in filters.labels.items()},
    }
