"""Answers that grow in Teams: statements told one after the other, each once it is to be seen there."""

from collections.abc import Awaitable, Callable
from functools import partial

from bot.questions.answerer import Asked
from rag_core.questions import Intent, Question
from tests.fakes.replies import scope, statement
from tests.fakes.service import until
from tests.fakes.teams_delivery import Process, Standing, World

FIRST, SECOND = "Beer needs a licence", "Wine does, too"
UNDERSTOOD = Question("", scope(), Intent.PERMISSION, ())


def telling(world: World, *texts: str, failure: Exception | None = None) -> Callable[[Asked], Awaitable[None]]:
    """Tells of statements, each after the one before is to be seen in Teams."""

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.understood(UNDERSTOOD)
        for text in texts:
            asked.watching.stated(statement(text))
            await until(partial(_is_shown, world, text), 5.0)
        if failure is not None:
            raise failure

    return before


async def _is_shown(world: World, text: str) -> bool:
    return any(text in each.text for each in world.messages)


async def called(world: World, method: str, times: int = 1) -> None:
    async def was() -> bool:
        return world.teams.calls.count(method) >= times

    await until(was, 5.0)


def streaming(world: World, *texts: str, failure: Exception | None = None) -> Process:
    process = world.process(streams=True)
    process.asking.before = telling(world, *texts, failure=failure)
    return process


def info_of(part: object) -> dict[str, object]:
    assert isinstance(part, dict)
    [found] = [each for each in part["entities"] if each["type"] == "streaminfo"]
    assert isinstance(found, dict)
    return found


async def only_answer(world: World, answer_id: str = "q1") -> Standing:
    """The one message that there is, whole."""
    [message] = world.messages
    assert (message.text, message.has_card, message.is_open) == (f"answer {answer_id}", True, False)
    assert [each.place.message for each in await world.kept(answer_id)] == [message.id]
    assert [each.place.thread for each in await world.kept(answer_id)] != ["stream"]
    return message
