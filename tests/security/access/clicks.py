"""Roads through what can be clicked on an answer that a member was given where everybody reads it."""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from adapters.sql.audit.answers import SqlGivenAnswers
from bot.answers.passages import in_context
from bot.answers.recorded import scope_from
from bot.answers.seen import SeenAnswer, SeenAnswers
from bot.model.messages import Actor, Conversation
from bot.questions.answerer import Asked
from bot.render.blocks import Block
from bot.render.scope_form import ScopeChosen
from bot.render.slack.modals import scope_modal, sources_modal, text_modal, whole_answer_modal
from bot.render.slack.view import SlackModal
from rag_core.errors import Rejected
from tests.security.access.answered import ASKED, CHANGED
from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.people import MEMBERS
from tests.security.access.world import Door, World

_PLACE = Conversation("slack", "T1", "C1")


def _clicks(_: World) -> Iterator[Attempt]:
    for of, question, _proof in (*ASKED, *CHANGED):  # a refusal has no sources, and nothing more
        yield Attempt(question, of, _clicked(question), said=question, proof=Proof.TAKEN, alike=False)


def _clicked(question: str) -> Callable[[Door], Any]:
    """The member asks, and the asker, who sees the answer standing there, clicks on all that opens something."""

    async def take(door: Door) -> str:
        answering = door.world.answering
        member = next((each for each in MEMBERS if each.person == door.asker.person), MEMBERS[0])
        actor = Actor("slack", "T1", member.person)
        asked = Asked(question, actor, "slack", groups=member.groups, conversation=_PLACE, counted=False)
        answered = await answering.asking.ask(asked)
        known = SeenAnswers(SqlGivenAnswers(answering.engine), answering.store, answering.pseudonyms.of)
        clicker = Actor("slack", "T1", door.asker.person or door.asker.name)
        seen = await known.find(answered.answer_id, clicker, _PLACE)
        if seen is None:
            return ""
        read = await known.read(seen, door.asker.groups)
        made = [await _opened(opens, read, door) for opens in (_sources, _whole, _scope)]
        return json.dumps(made, ensure_ascii=False)

    return take


async def _opened(opens: "_Opens", seen: SeenAnswer, door: Door) -> Block:
    try:
        return await opens(seen, door)
    except Rejected as exc:
        return text_modal(SlackModal.MORE, "x", exc.code)


async def _sources(seen: SeenAnswer, door: Door) -> Block:
    found = await in_context(seen, door.world.answering.store, door.asker.groups)
    return sources_modal(seen, found, door.world.answering.links, "")


async def _whole(seen: SeenAnswer, door: Door) -> Block:
    return whole_answer_modal(seen, door.world.answering.links, "")


async def _scope(seen: SeenAnswer, door: Door) -> Block:
    sources = await door.world.answering.store.sources(door.asker.groups)
    scope = scope_from(seen.record.reply, seen.record.trace)
    chosen = ScopeChosen(scope.policy_sources, scope.regions)
    return scope_modal(seen.record.question_text, sources, chosen, "")


_Opens = Callable[[SeenAnswer, Door], Awaitable[Block]]

ROADS = (Road("what opens on an answer in a channel", _clicks),)
