"""Roads inside: what a language model is given, what is recorded and logged, what an evaluation prints."""

import io
import json
import logging
import tempfile
from argparse import Namespace
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import select

from adapters.sql.database.transactions import fetch
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.tables.policies import answers
from bot.questions.answerer import Asked
from ops.evaluation.bots import InProcessBot, Query
from ops.evaluation.corpora import SETTINGS
from ops.evaluation.drafting import draft_questions
from ops.monitoring.logs import set_up_logs
from ops.parts import utc_now
from rag_core.ask import Asker
from rag_core.errors import PolicyBotError
from rag_core.generation.follow_ups import FollowUpWriter
from rag_core.generation.reader import LanguageModelReader
from rag_core.ports import ModelPiece, ModelRequest, TokenUsage
from rag_core.questions import AskRequest, Turn
from tests.security.access import asking
from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.world import Door, World

_ASKED = tuple((of, question) for of, question, _ in (*asking.FORMS[:4], *asking.FORMS[15:17], *asking.FORMS[22:31]))
_SECONDS = 5.0


class NotingModel:
    """`rag_core.ports.AnswerModel` that writes down what it is given, and has nothing to say."""

    name = "noting"
    window = 32_000

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    async def generate(self, request: ModelRequest) -> ModelPiece:
        self.requests.append(request)
        return ModelPiece("{}", TokenUsage())

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        yield await self.generate(request)

    @property
    def given(self) -> str:
        return "\n".join(f"{each.system}\n{each.user}" for each in self.requests)


def _prompts(_: World) -> Iterator[Attempt]:
    proofs = {question: proof for _, question, proof in asking.FORMS}
    for of, question in _ASKED:
        proof = (
            Proof.HIDDEN if proofs[question] is Proof.HIDDEN and of != "copy" else Proof.TAKEN
        )  # no id is in a prompt
        yield Attempt(question, of, _prompted(question), question, proof)
    for of, before, question in (("memo", "can I advertise vexolune", "and in Norway?"), ("twist", "alcohol", "why?")):
        take = _prompted(question, Turn("user", before), Turn("assistant", "It depends."))
        yield Attempt(f"{before} / {question}", of, take, before + question, Proof.TAKEN)


def _prompted(question: str, *history: Turn) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        answering, model = door.world.answering, NotingModel()
        changes = SqlChangeFeed(answering.engine)
        asker = Asker(
            answering.search,
            answering.store,
            None,
            changes,
            language_model=LanguageModelReader(model, _SECONDS),
            follow_ups=FollowUpWriter(model, _SECONDS),
        )
        await asker.ask(AskRequest(question, utc_now().date(), door.asker.groups, history=history))
        return model.given

    return take


def _recorded(_: World) -> Iterator[Attempt]:
    for of, question, proof in asking.FORMS[:30]:
        kept = Proof.HIDDEN if proof is Proof.HIDDEN else Proof.TAKEN
        yield Attempt(question, of, _record_of(question), question, kept, alike=False)


def _record_of(question: str) -> Callable[[Door], Any]:
    """The whole of the answer's record, trace and all."""

    async def take(door: Door) -> str:
        answering = door.world.answering
        asked = Asked(question, door.asker.actor, "rest", groups=door.asker.groups, counted=False)
        answered = await answering.asking.ask(asked)
        rows = await fetch(answering.engine, select(answers).where(answers.c.answer_id == answered.answer_id))
        [row] = [dict(each._mapping) for each in rows]
        return json.dumps(row, default=str, ensure_ascii=False)

    return take


@asynccontextmanager
async def _logged(world: World) -> AsyncIterator[World]:
    """Everything that is logged goes into `world.log`."""
    root = logging.getLogger()
    handlers, level, before = root.handlers, root.level, structlog.get_config()
    set_up_logs(world.config.model_copy(update={"log_level": "DEBUG", "log_format": "json"}))
    [handler] = root.handlers
    if isinstance(handler, logging.StreamHandler):
        handler.setStream(world.log)
    try:
        yield world
    finally:
        root.handlers = handlers
        root.setLevel(level)
        structlog.configure(**before)


def _logs(_: World) -> Iterator[Attempt]:
    """All lines up to now, also those of members: nobody's question and no document is in them."""
    for of, question, _proof in (*asking.FORMS[:2], *asking.FORMS[22:31]):
        yield Attempt(question, of, _logged_asking(question), proof=Proof.TAKEN, alike=False)
    yield Attempt("no question", "memo", _logged_asking(" "), proof=Proof.TAKEN, alike=False)


def _logged_asking(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        await door.post("/api/v1/ask", {"question": question})
        await door.post("/api/v1/search", {"query": question, "filters": {"policy_source": "zorblatt"}})
        logging.getLogger("a.library").error("failed for %s", question)
        lines = door.world.log.getvalue()
        if '"event": "answered' not in lines:  # or "answered_degraded"
            raise ValueError("nothing was logged")
        return lines

    return take


def _evaluated(_: World) -> Iterator[Attempt]:
    """`ops evaluate` asks as nobody: its reports go to files that others read."""
    for of, question, proof in (*asking.FORMS[:16], *asking.FORMS[21:31]):
        shown = Proof.PUBLIC if proof is Proof.PUBLIC else Proof.TAKEN
        yield Attempt(question, of, _observed(question), question, shown)
    yield Attempt("drafting", "memo", _drafted, proof=Proof.PUBLIC)


def _observed(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        bot = InProcessBot(door.world.answering, utc_now().date(), 15)
        try:
            observed = await bot.ask(Query(question))
        except PolicyBotError as exc:
            return str(exc)
        supported = await bot.supports(observed)
        return f"{observed.kind} {observed.shown} {observed.retrieved} {observed.statements} {supported}"

    return take


async def _drafted(door: Door) -> str:
    model = NotingModel()
    with tempfile.TemporaryDirectory() as folder:
        arguments = {"corpus": SETTINGS, "data": Path(folder), "cache": None, "today": None, "count": 100, "seed": 1}
        said = io.StringIO()
        with redirect_stdout(said):
            await draft_questions(Namespace(output=Path(folder) / "out.jsonl", **arguments), door.world.config, model)
        return model.given + said.getvalue().replace(folder, "")


def _names(_: World) -> Iterator[Attempt]:
    yield Attempt("names in links", "platform", _known_names, proof=Proof.PUBLIC)


async def _known_names(door: Door) -> str:
    await door.world.answering.refresh_names()
    return json.dumps(door.world.answering.names)


ROADS = (
    Road("prompts of a language model", _prompts),
    Road("record and trace", _recorded),
    Road("logs", _logs, around=_logged),
    Road("evaluation", _evaluated),
    Road("names of platforms", _names),
)
