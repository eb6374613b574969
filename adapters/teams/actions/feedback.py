"""Useful or not: what Teams' own buttons under an answer say, kept before the click is answered.

Their payload is not signed by us and names no answer: Teams says who clicks, and under which message; the answer is
the one that was posted there. https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.finding import FIND_SECONDS, ports_of
from adapters.teams.actions.replies import dialog, sentence
from adapters.teams.addresses import PLATFORM, TeamsPlace
from adapters.teams.gate import admitted
from adapters.teams.keeping import actor_at
from adapters.teams.listening import InvokeReply, Listeners
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.answers.feedback import LONGEST_COMMENT, FeedbackReason, Rating, Said
from bot.model.posted import Subject
from bot.render.teams.forms import COMMENT, REASONS, feedback_card
from bot.render.teams.view import ANSWER, TeamsInvoke, TeamsVerb, data_of, signed_data
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording import why_not
from bot.wording.answers import reasons
from rag_core.errors import Rejected, Unavailable

KEEP_SECONDS = 1.5
_RATINGS = {"like": Rating.USEFUL, "dislike": Rating.NOT_USEFUL}
_RATING, _TEXT = "rating", "feedbackText"


async def rated(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    """`message/submitAction`: a reaction, and what was written with it. Raises Rejected for what Teams does not send;
    Unavailable where it could not be kept: Teams says so, and the person tries again."""
    action = _mapping(activity.value, "actionValue")
    rating = _RATINGS.get(str(action.get("reaction", "")))
    if activity.value.get("actionName") != "feedback" or rating is None:
        raise Rejected("teams_unreadable")
    may = await admitted(parts, activity.address)
    if may.is_refused:
        return _told(parts, activity, why_not(may))
    answer_id = await _answer_at(parts, activity)
    chosen, comment = _written(action.get("feedback"))
    if answer_id and await _kept(parts, activity, Said(answer_id, rating, chosen, comment)):
        return InvokeReply({})
    return _told(parts, activity, told.FEEDBACK_UNKNOWN)


async def asked_why(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    """`message/fetchTask`: where the form is ours and not Teams' own."""
    action = _mapping(_mapping(activity.value, "data") or activity.value, "actionValue")
    rating = _RATINGS.get(str(action.get("reaction", "")))
    if rating is None:
        raise Rejected("teams_unreadable")
    may = await admitted(parts, activity.address)
    if may.is_refused:
        return sentence(TeamsInvoke.FEEDBACK_OPEN, why_not(may))
    try:
        answer_id = await _answer_at(parts, activity)
    except Unavailable:
        return sentence(TeamsInvoke.FEEDBACK_OPEN, said.NOT_READABLE_NOW)
    if not answer_id or parts.signing is None:
        return sentence(TeamsInvoke.FEEDBACK_OPEN, told.FEEDBACK_UNKNOWN)
    data = signed_data(
        parts.signing,
        activity.reference.signed_for,
        TeamsVerb.FEEDBACK,
        **{ANSWER: answer_id, _RATING: rating.value},
    )
    return dialog(said.FEEDBACK_TITLE, feedback_card(reasons(), LONGEST_COMMENT, data))


async def _submitted(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    """The form, where it comes back like other dialogs."""
    chosen, comment = _filled(click.inputs)
    rating = Rating.USEFUL if click.fields.get(_RATING) == Rating.USEFUL.value else Rating.NOT_USEFUL
    if rating is Rating.NOT_USEFUL and not chosen and not comment.strip():
        data = data_of(TeamsVerb.FEEDBACK, click.sign(parts), **click.fields)
        return dialog(said.FEEDBACK_TITLE, feedback_card(reasons(), LONGEST_COMMENT, data, (said.CHOOSE_A_REASON,)))
    try:
        kept = await _kept(parts, click.activity, Said(click.answer, rating, chosen, comment))
    except Unavailable:
        return sentence(click.invoke, said.FEEDBACK_NOT_KEPT)
    return sentence(click.invoke, said.THANKS if kept else said.ANSWER_UNREADABLE)


async def _answer_at(parts: TeamsParts, activity: TeamsActivity) -> str:
    """The answer that the message says which was rated; "" for none. Raises Unavailable."""
    if parts.posted_at is None or not activity.reply_to:
        return ""
    try:
        async with asyncio.timeout(FIND_SECONDS):
            posted = await parts.posted_at.at(PLATFORM, activity.tenant, activity.channel, activity.reply_to)
    except TimeoutError as exc:
        raise Unavailable("store_unavailable") from exc
    return posted.subject_id if posted is not None and posted.subject is Subject.ANSWER else ""


async def _kept(parts: TeamsParts, activity: TeamsActivity, opinion: Said) -> bool:
    """Whether there is such an answer for who says it. Raises Unavailable."""
    giving, address = ports_of(parts).feedback, activity.address
    try:
        async with asyncio.timeout(KEEP_SECONDS):
            return await giving.give(actor_at(address), opinion, PLATFORM, address.conversation) is not None
    except TimeoutError as exc:
        raise Unavailable("store_unavailable") from exc


def _written(feedback: object) -> tuple[list[FeedbackReason], str]:
    """What came with a reaction: JSON, of Teams' own form or of ours. What is none is taken as it was written."""
    if not isinstance(feedback, str):
        return [], ""
    try:
        found = json.loads(feedback)
    except (ValueError, RecursionError):
        return [], feedback
    return _filled(found) if isinstance(found, Mapping) else ([], feedback)


def _filled(fields: Mapping[str, Any]) -> tuple[list[FeedbackReason], str]:
    """What is no reason of ours is left out."""
    chosen, comment = fields.get(REASONS), fields.get(COMMENT, fields.get(_TEXT))
    named = set(chosen.split(",")) if isinstance(chosen, str) else set()
    return [each for each in FeedbackReason if each.value in named], comment if isinstance(comment, str) else ""


def _told(parts: TeamsParts, activity: TeamsActivity, text: str) -> InvokeReply:
    """A reaction is answered with nothing that a person reads: where nobody else does, he is told in a message."""
    if activity.place is TeamsPlace.PERSONAL:
        parts.background.start(_tell(parts, activity, text), "teams.feedback")
    return InvokeReply({})


async def _tell(parts: TeamsParts, activity: TeamsActivity, text: str) -> None:
    """Raises as TeamsOutbound."""
    await parts.outbound.send(activity.reference, {"type": "message", "text": text, "textFormat": "plain"})


def _mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


LISTENERS: Listeners = {
    f"invoke/{TeamsInvoke.FEEDBACK}": rated,
    f"invoke/{TeamsInvoke.FEEDBACK_OPEN}": asked_why,
}
VERBS: Verbs = {(TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.FEEDBACK): _submitted}
