"""A question about kites, read by a fake language model."""

from collections.abc import Callable
from typing import Any

from ingest.ports import VersionWrite
from rag_core.answers import Answer, AskTrace, Reply, Statement
from rag_core.generation.reader import LanguageModelReader
from rag_core.questions import AskRequest, Question
from tests.fakes.kites import TODAY, TOYS
from tests.fakes.model import FakeModel
from tests.fakes.policies import open_desk

ASKED = "can I advertise kites in the UK?"
IN_WORDS = "In the UK, kite ads may run if the audience is 18 or over."
ADULTS = "aged 18"
LIMITS = {ADULTS: "limits"}
"""What a careful model says of the British rule."""

GOOD = (IN_WORDS, ADULTS)


async def replied(
    model: FakeModel | None, text: str = ASKED, *writes: VersionWrite, seconds: float = 5.0, **settings: Any
) -> tuple[Reply, AskTrace]:
    """The reply to `text` from `writes` (default: the policies on toys)."""
    reader = LanguageModelReader(model, seconds) if model else None
    desk = open_desk(*(writes or (TOYS,)), language_model=reader, **settings)
    return await desk.asker.ask(AskRequest(text, TODAY))


async def ask(model: FakeModel | None, text: str = ASKED, *writes: VersionWrite, **settings: Any) -> Answer:
    reply, _ = await replied(model, text, *writes, **settings)
    assert isinstance(reply, Answer)
    return reply


async def notes_of(model: FakeModel, text: str = ASKED, **settings: Any) -> tuple[Answer, dict[str, Any]]:
    reply, trace = await replied(model, text, **settings)
    assert isinstance(reply, Answer)
    return reply, trace.notes["model"]


def reasons(notes: dict[str, Any]) -> list[str]:
    return [each["reason"] for each in notes["dropped"]]


class Watcher:
    """Keeps what it is told."""

    def __init__(self, told: Callable[[Statement], None] = lambda _: None) -> None:
        self.questions: list[Question] = []
        self.statements: list[Statement] = []
        self._told = told

    def understood(self, question: Question) -> None:
        self.questions.append(question)

    def stated(self, statement: Statement) -> None:
        self.statements.append(statement)
        self._told(statement)


async def watched(model: FakeModel | None, watcher: Watcher, text: str = ASKED) -> Answer:
    reader = LanguageModelReader(model, 5.0) if model else None
    reply, _ = await open_desk(TOYS, language_model=reader).asker.ask(AskRequest(text, TODAY), watcher)
    assert isinstance(reply, Answer)
    return reply
