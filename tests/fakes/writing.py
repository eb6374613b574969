"""A question about kites, put in a fake model's words."""

from collections.abc import Callable
from typing import Any

from rag_core.answering.generative.writer import (
    Writer,
)
from rag_core.answers import Answer, AskTrace, Statement
from rag_core.ask import Asker
from rag_core.questions import AskRequest, Question
from tests.fakes.kites import TODAY, TOYS
from tests.fakes.model import statement
from tests.fakes.policies import open_desk

ASKED = "can I advertise kites in the UK?"
IN_WORDS = "In the UK, kite ads may run if the audience is 18 or over."
QUOTE = ("doc1", "may run if the audience is aged 18")
GOOD = statement(IN_WORDS, QUOTE)


async def ask(writer: Writer | None, text: str = ASKED) -> tuple[Answer, AskTrace]:
    desk = open_desk(TOYS)
    reply, trace = await Asker(desk.search, desk.store, writer=writer).ask(AskRequest(text, TODAY))
    assert isinstance(reply, Answer)
    return reply, trace


async def notes_of(writer: Writer) -> tuple[Answer, dict[str, Any]]:
    reply, trace = await ask(writer)
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


async def watched(writer: Writer | None, watcher: Watcher, text: str = ASKED) -> Answer:
    desk = open_desk(TOYS)
    reply, _ = await Asker(desk.search, desk.store, writer=writer).ask(AskRequest(text, TODAY), watcher)
    assert isinstance(reply, Answer)
    return reply
