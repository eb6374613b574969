"""Asking with everything around it, in memory: conversations, limits, records."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import Actor, Conversation
from bot.questions.answerer import Asked, Asking
from bot.questions.conversation import Conversations, LayeredMemory
from bot.questions.limits import SteadyLimits
from rag_core.answers import AskTrace, Reply
from rag_core.ports import Watching
from rag_core.questions import AskRequest, Intent, QueryTerm, Question
from tests.fakes.clock import FakeClock
from tests.fakes.replies import answer, scope
from tests.fakes.shared_services import FakeLimits, FakeLocks, FakeMemory, FakeRecords

ACTOR = Actor("rest", "local", "anonymous")
PSEUDONYMS = Pseudonyms(bytes(32))
HERE = Conversation("rest", "local", PSEUDONYMS.of(ACTOR), "c-1")


class FakeAsker:
    """Understands "and in France?" from the history, as far as these tests need it."""

    def __init__(self) -> None:
        self.requests: list[AskRequest] = []
        self.reply: Reply = answer()
        self.failure: Exception | None = None
        self.wait: Callable[[], Any] | None = None
        self.running = self.most_running = 0

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        self.requests.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await (self.wait() if self.wait else asyncio.sleep(0.005))
        finally:
            self.running -= 1
        if self.failure:
            raise self.failure
        rewritten = f"{request.history[-1].content} ({request.text})" if request.history else None
        question = Question(request.text, scope(), Intent.PERMISSION, (QueryTerm("alcohol"),), rewritten=rewritten)
        return self.reply, AskTrace(question)


class FakeEvents:
    def __init__(self) -> None:
        self.seen: list[tuple[object, ...]] = []

    def answered(self, asked_from: str, kind: str, degraded: tuple[str, ...], seconds: float) -> None:
        assert 0 <= seconds < 10
        self.seen.append((asked_from, kind, degraded))

    def failed(self, asked_from: str, code: str) -> None:
        self.seen.append((asked_from, code))


class Made:
    """Asking with everything around it."""

    def __init__(self, **changes: Any) -> None:
        self.asker, self.records, self.events = FakeAsker(), FakeRecords(), FakeEvents()
        self.fast, self.durable, self.locks = FakeMemory(), FakeMemory(), FakeLocks()
        self.limits, self.own_limits = FakeLimits(), FakeLimits()
        self.clock = FakeClock()
        self.memory = LayeredMemory(self.fast, self.durable)
        self.numbers = iter(range(1, 1000))
        self.asking = self.process(**changes)

    def process(self, deadline: float = 5.0, **changes: Any) -> Asking:
        """Another process with the same services around it."""
        return Asking(
            self.asker,
            self.records,
            shape=lambda answer_id, reply, _: {"answer_id": answer_id, "degraded": list(reply.degraded)},
            now=self.clock,
            new_id=lambda: f"a{next(self.numbers)}",
            deadline_seconds=deadline,
            conversations=Conversations(self.memory, self.locks, **changes),
            limits=SteadyLimits(self.limits, self.own_limits),
            events=self.events,
            pseudonyms=PSEUDONYMS,
        )

    async def degraded(self, **changes: Any) -> tuple[str, ...]:
        return (await self.asking.ask(asked(**changes))).reply.degraded


def asked(text: str = "alcohol in the UK", **changes: Any) -> Asked:
    return replace(Asked(text, ACTOR, "rest", conversation=HERE), **changes)
