"""What somebody asks by a click: as a question of his own, kept before Slack is acknowledged."""

import asyncio
from dataclasses import dataclass
from datetime import date

from adapters.slack.actions.clicks import Click
from adapters.slack.addresses import SlackAddress
from adapters.slack.parts import SlackParts
from bot.messages import InboundQuestion
from bot.own_answers import SHOWN_IN
from bot.render.json_reading import scope_from
from bot.seen_answers import SeenAnswer
from rag_core.questions import Filters, Scope

KEEP_SECONDS = 1.0
"""With the gate, `finding.FIND_SECONDS` and a look at Slack before it, an acknowledgement comes within 3 s."""


@dataclass(frozen=True, slots=True)
class Next:
    """`once`: what makes it the same question when it comes again."""

    text: str
    once: str
    filters: Filters
    as_of: date | None


async def ask_next(parts: SlackParts, click: Click, seen: SeenAnswer, asked: Next) -> bool:
    """Asks where the reply stands, in its thread; for the asker's eyes only where the reply was. False: it was asked
    already. Raises Unavailable, TimeoutError."""
    address = SlackAddress(
        team=click.team,
        channel=click.channel,
        user=click.user,
        enterprise=click.enterprise,
        thread=click.answer_thread,
        response_url=click.response_url,
        to_asker=click.is_ephemeral,
        outside=click.outside,
    )
    return await _accepted(parts, click, address, asked, private=is_private(click, seen))


async def ask_there(parts: SlackParts, click: Click, address: SlackAddress, asked: Next) -> bool:
    """Asks for everybody at `address`. As `ask_next`."""
    return await _accepted(parts, click, address, asked, private=False)


def is_private(click: Click, seen: SeenAnswer) -> bool:
    """Whether nobody but the asker sees the reply; so it is where nothing says that others do."""
    notes = (seen.record.trace or {}).get("notes")
    return click.is_ephemeral or not (isinstance(notes, dict) and notes.get(SHOWN_IN))


def question_of(seen: SeenAnswer) -> str:
    """As it was read: a follow-up with what it refers to."""
    rewritten = seen.record.reply.get("rewritten_question")
    return rewritten if isinstance(rewritten, str) and rewritten else seen.record.question_text


def scope_of(seen: SeenAnswer) -> Scope:
    """Raises Rejected("answer_unreadable")."""
    return scope_from(seen.record.reply, seen.record.trace)


def fixed_day(scope: Scope) -> date | None:
    """The day that was chosen, and neither assumed nor read out of the words, which say it again."""
    return None if not _is_chosen(scope, "as_of") or scope.since else scope.as_of


def fixed_filters(scope: Scope) -> Filters:
    """What it holds for, and is not read out of the words: chosen, or the default of the channel that it was asked in,
    for another channel may have others."""
    return Filters(
        policy_sources=scope.policy_sources if "policy_sources" not in scope.inferred else (),
        regions=scope.regions if "regions" not in scope.inferred else (),
        content_types=tuple(map(str, scope.content_types)) if "content_types" not in scope.inferred else (),
    )


def _is_chosen(scope: Scope, name: str) -> bool:
    return name not in scope.inferred and name not in scope.assumed


async def _accepted(parts: SlackParts, click: Click, address: SlackAddress, asked: Next, *, private: bool) -> bool:
    question = InboundQuestion(
        question_id=parts.new_id(),
        claim_key=f"slack:{click.team}:{asked.once}",
        actor=click.actor,
        conversation=address.conversation,
        text=asked.text,
        reply_address=address.as_reply_address(),
        received_at=parts.clock(),
        filters=asked.filters,
        as_of=asked.as_of,
        private=private,
    )
    async with asyncio.timeout(KEEP_SECONDS):
        return await parts.accept(question)
