"""The second model's work: for each sentence of the first one, the quotes that say the same; at once, not afterwards.

Whatever it fails at, the sentence stays: then the check looks for its support in the cited documents by itself.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any

from rag_core.answering.generative import prompt
from rag_core.answering.generative.budget import Context
from rag_core.answering.generative.drafts import Draft, DraftCitation, Judgement
from rag_core.answering.generative.parse import StatementScanner, read_citations
from rag_core.answering.locate import find_quote
from rag_core.errors import Unavailable
from rag_core.ports import AnswerModel, ModelRequest, TokenUsage
from rag_core.questions import Question

_AT_ONCE = 2
_MOST_SENTENCES = 8
"""A model that rambles would keep the other one at work for minutes."""


class QuoteExtractor:
    """A fast model that finds quotes; `judge`, by default the same one, says whether the question is answered."""

    def __init__(self, model: AnswerModel, judge: AnswerModel | None = None) -> None:
        self._model = model
        self._judge = judge or model

    @property
    def name(self) -> str:
        return self._model.name

    @asynccontextmanager
    async def at_work(self, question: Question, context: Context, *, judges: bool) -> AsyncIterator["Extraction"]:
        """For one answer; what is still under way at the end is stopped."""
        work = Extraction(self._model, self._judge, context)
        if judges:
            work.judge(question)
        try:
            yield work
        finally:
            await work.stop()


class Extraction:
    """The sentences of one answer, in order, each with the search for its quotes."""

    def __init__(self, model: AnswerModel, judge: AnswerModel, context: Context) -> None:
        self._model = model
        self._judge_model = judge
        self._context = context
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._under_way: list[tuple[Draft, asyncio.Task[Draft]]] = []
        self._judging: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[Any]] = []
        self._begun = 0
        self.judgement: tuple[Judgement | None, tuple[str, ...]] = (None, ())
        self.usage = TokenUsage()

    def judge(self, question: Question) -> None:
        self._judging = asyncio.create_task(self._judge(question))
        self._tasks.append(self._judging)

    def look_for(self, drafts: Iterable[Draft]) -> None:
        """Begin to look for the quotes of `drafts`, as far as there is room for them."""
        room = _MOST_SENTENCES - self._begun
        begun = [(draft, asyncio.create_task(self._with_quotes(draft))) for draft in islice(drafts, max(room, 0))]
        self._begun += len(begun)
        self._under_way += begun
        self._tasks += [task for _, task in begun]

    @property
    def is_full(self) -> bool:
        """Whether no further sentence is looked at."""
        return self._begun >= _MOST_SENTENCES

    def ready(self) -> list[Draft]:
        """The next sentences whose search has ended."""
        ready: list[Draft] = []
        while self._under_way and self._under_way[0][1].done():
            ready.append(self._under_way.pop(0)[1].result())
        return ready

    async def all(self) -> AsyncIterator[Draft]:
        """The sentences that are left, each as its search ends, and the judgement behind them."""
        while self._under_way:
            draft = await asyncio.shield(self._under_way[0][1])
            self._under_way.pop(0)
            yield draft
        if self._judging is not None:
            await asyncio.shield(self._judging)

    def left(self) -> list[Draft]:
        """Sentences whose search did not end: as they were written."""
        left = [task.result() if task.done() and not task.cancelled() else draft for draft, task in self._under_way]
        self._under_way.clear()
        return left

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _with_quotes(self, draft: Draft) -> Draft:
        labels = [each.doc for each in draft.citations if each.doc in self._context.blocks] or list(
            self._context.blocks
        )
        text = await self._said(
            self._model, prompt.quotes_request(draft.text, {each: self._context.blocks[each] for each in labels})
        )
        found = tuple(each for each in read_citations(text) if self._stands(each))
        if not found:
            return draft
        # the documents it names itself still count: this model may have found the wrong quote
        own = tuple(DraftCitation(each.doc) for each in draft.citations if each.doc in self._context.passages)
        return Draft(draft.text, (*found, *own))

    def _stands(self, citation: DraftCitation) -> bool:
        """A quote that this model made up is no fault of the sentence."""
        passage = self._context.passages.get(citation.doc)
        if passage is None or citation.quote is None:
            return False
        chunk = passage.chunk
        return any(find_quote(text, citation.quote) for text in (chunk.chunk_text, chunk.lead_in))

    async def _judge(self, question: Question) -> None:
        scanner = StatementScanner()
        request = prompt.judge_request(question, self._context.blocks)
        scanner.feed(await self._said(self._judge_model, request))
        self.judgement = (scanner.judgement, scanner.missing)

    async def _said(self, model: AnswerModel, request: ModelRequest) -> str:
        """What the model writes; nothing where it does not answer."""
        try:
            async with self._places:
                piece = await model.generate(request)
        except Unavailable:
            return ""
        self.usage += piece.usage or TokenUsage()
        return piece.text
