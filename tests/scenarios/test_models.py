"""Questions answered with a real model, in the process and behind llama.cpp's own server, on the sample policies.

The model is tiny: most of what it writes is unsupported. That must never be shown, and must be seen to be left out.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.sql.changes import SqlChangeFeed
from bot.asking import Asked
from bot.messages import Actor
from bot.render.markdown import body_markdown
from ops.config import Config
from ops.parts import Answering, utc_now
from ops.wiring import open_answering
from rag_core.answering.generative.writer import Writer, WriterSettings
from rag_core.answers import Answer, AskTrace, WarningCode
from rag_core.ask import Asker
from rag_core.documents import Passage
from rag_core.ports import PolicyStore
from rag_core.questions import AskRequest
from tests.fakes.llama_server import serving_model
from tests.fakes.planted import NarrowedModel, check_planted
from tests.fakes.samples import sample_copy

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: ops/test models installs it")
pytest.importorskip("openai", reason="openai is not installed: ops/test models installs it")

from adapters.models.llama_cpp import model_file

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]

QUESTIONS = ("can I advertise alcohol in the UK?", "can I advertise gambling in Germany?")
WINDOW = 2_048
PATIENT: dict[str, Any] = {
    "ask_seconds": 300.0,
    "model_seconds": 200.0,
    "model_window": WINDOW,
    "model_context_tokens": 500,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("with-model")
    return sample_copy(folder / "data")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_model(model_file(None), WINDOW, tmp_path_factory.mktemp("server") / "log") as url:
        yield url


def llama(folder: Path, _: str) -> Config:
    return Config(data_dir=folder, model="llama", **PATIENT)


def endpoint(folder: Path, url: str) -> Config:
    return Config(data_dir=folder, model="openai", model_url=url, model_name="smollm2", **PATIENT)


def two_models(folder: Path, _: str) -> Config:
    return Config(data_dir=folder, model="llama", model_wiring="two", **PATIENT | {"model_seconds": 60.0})


@asynccontextmanager
async def asked(config: Config, *questions: str) -> AsyncIterator[tuple[PolicyStore, list[tuple[Answer, AskTrace]]]]:
    """The answers to all questions, and the store that they come from."""
    async with open_answering(config) as answering:
        replies = []
        for question in questions or QUESTIONS:
            answered = await answering.asking.ask(Asked(question, Actor("test", "local", "somebody"), "terminal"))
            assert isinstance(answered.reply, Answer)
            replies.append((answered.reply, answered.trace))
        yield answering.store, replies


@pytest.mark.parametrize("configured", [llama, endpoint])
async def test_every_statement_is_verified_and_the_others_are_seen_to_be_left_out(
    configured: Any, folder: Path, server: str
) -> None:
    plain = {}
    async with asked(Config(data_dir=folder)) as (_, replies):
        plain = {trace.question.text: reply for reply, trace in replies}
    dropped = 0
    async with asked(configured(folder, server)) as (store, replies):
        for reply, trace in replies:
            notes = trace.notes["model"]
            assert notes["documents"] > 0
            assert notes["usage"]["completion"] > 0, notes
            assert notes["failure"] is None, notes
            assert reply.statements
            await check_quotes(store, reply)
            check_wording(reply, plain[trace.question.text], notes)
            dropped += len(notes["dropped"])
    assert dropped > 0, "the tiny model says much that no quote supports"


async def test_two_models_answer_too(folder: Path) -> None:
    async with asked(Config(data_dir=folder), QUESTIONS[0]) as (_, ((plain, _),)):
        pass
    async with asked(two_models(folder, ""), QUESTIONS[0]) as (store, ((reply, trace),)):
        notes = trace.notes["model"]
        assert notes["extractor"] == notes["name"]
        await check_quotes(store, reply)
        check_wording(reply, plain, notes)


async def check_quotes(store: PolicyStore, reply: Answer) -> None:
    """Every quote is verbatim in its chunk, every citation in its version."""
    for statement in reply.statements:
        assert statement.quotes
        assert statement.citations
        passages = await passages_of(store, {quote.chunk_id for quote in statement.quotes})
        for quote in statement.quotes:
            chunk = passages[quote.chunk_id].chunk
            source = chunk.lead_in if quote.lead_in else chunk.chunk_text
            assert source[quote.start : quote.end] == quote.text
    for citation in reply.citations:
        text = await store.version_text(citation.doc_id, frozenset())
        assert text is not None
        assert text.text[citation.char_start : citation.char_end] == citation.quote


async def passages_of(store: PolicyStore, ids: set[str]) -> dict[str, Passage]:
    found = await store.passages(sorted(ids), frozenset(), None)
    return {passage.chunk.chunk_id: passage for passage in found}


def check_wording(reply: Answer, plain: Answer, notes: dict[str, Any]) -> None:
    """What is shown is the judge's own, or was verified; verdicts are at most the judge's."""
    own = {statement.text for statement in plain.statements}
    written = {each["text"] for each in notes["statements"]}
    assert {statement.text for statement in reply.statements} <= own | written
    left_out = {each["text"] for each in notes["dropped"]} - written - own
    assert not left_out & {statement.text for statement in reply.statements}
    noticed = [each.subjects for each in reply.warnings if each.code is WarningCode.LEFT_OUT]
    assert noticed == ([(str(len(notes["dropped"])),)] if notes["dropped"] else [])
    judged = {(each.region, each.policy_source): each.verdict for each in plain.verdicts}
    for verdict in reply.verdicts:
        assert judged[verdict.region, verdict.policy_source] is verdict.verdict
    assert notes["fallback"] is None or {each.text for each in reply.statements} == own


@asynccontextmanager
async def narrowed(config: Config, *quotes: str) -> AsyncIterator[tuple[Answering, Asker]]:
    """All that answers, with the configured model held to `quotes` and to what is planted."""
    async with open_answering(config) as answering:
        assert answering.models is not None
        model = NarrowedModel(answering.models.main, *quotes)
        settings = WriterSettings(config.model_seconds, config.model_context_tokens)
        changes = SqlChangeFeed(answering.engine)
        yield answering, Asker(answering.search, answering.store, None, changes, writer=Writer(model, settings))


@pytest.mark.parametrize("configured", [llama, endpoint])
async def test_what_holds_is_shown_in_the_models_words_and_what_is_planted_is_left_out(
    configured: Any, folder: Path, server: str
) -> None:
    """The grammar leaves the real model only the choice of the true sentence that it writes before the others."""
    async with asked(Config(data_dir=folder), QUESTIONS[0]) as (_, ((plain, _),)):
        quotes = [each.quote for each in plain.citations if "\n" not in each.quote]
    async with narrowed(configured(folder, server), *quotes[:2]) as (answering, asker):
        reply, trace = await asker.ask(AskRequest(QUESTIONS[0], utc_now().date()))
        shown = body_markdown(reply, answering.links)
    assert isinstance(reply, Answer)
    check_planted(reply, trace, shown, quotes)
