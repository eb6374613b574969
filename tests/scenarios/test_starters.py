"""Questions to begin with: made from the sample policies, the same each time, and every one has an answer."""

from datetime import date
from pathlib import Path

from bot.commands.home import MOST_STARTERS, Starters
from ops.config import Config
from ops.wiring import open_answering
from rag_core.answers import Answer
from rag_core.questions import AskRequest

TODAY = date(2026, 6, 1)


async def test_every_one_of_the_sample_has_an_answer_and_some_name_a_place(sample_copy: Path) -> None:
    async with open_answering(Config(data_dir=sample_copy)) as answering:
        found = []
        for _ in range(2):
            starters = Starters(answering.asker, answering.store, answering.names, today=lambda: TODAY)
            found.append(await starters.of(frozenset()))
            await starters.aclose()
        assert found[0] == found[1]
        assert len(found[0]) == MOST_STARTERS
        assert any(" in " in each for each in found[0])
        for question in found[0]:
            reply, _ = await answering.asker.ask(AskRequest(question, TODAY))
            assert isinstance(reply, Answer), question
            assert reply.statements, question
