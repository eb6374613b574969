"""Check this against the policies: the text of a message, asked as a question of who chose it.

Reading it takes longer than Teams waits, so that the dialog says only that it is worked on. The answer comes to the
person's own chat with the bot, for nobody in the conversation asked for it, and it is made of what he alone may see.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.teams.actions.replies import dialog, sentence
from adapters.teams.activities import TeamsActivity
from adapters.teams.keeping import ACCEPT_SECONDS, asked_at, question_at
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from adapters.teams.typed import files_in, said_to
from bot.commands.grammar import Ask
from bot.model.visible import one_line, shorten
from bot.questions.inbox import is_kept
from bot.render.teams.forms import note_card
from bot.render.teams.view import TeamsInvoke
from bot.wording import answers as answers_said
from bot.wording import teams as said
from bot.wording.commands import ad_copy_asked

MOST_COPY = 1_500
"""Characters: with what stands around them they make a question that is not too long."""

_MOST_FILES, _LONGEST_NAME = 5, 80
_INVOKE = TeamsInvoke.MESSAGE_ACTION_OPEN


async def check(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    """Keeps the question, and says where its answer will be. Never asked twice for one delivery."""
    message = _message(activity)
    text = one_line(said_to(message).text)
    if not any(each.isalnum() for each in text):
        return _told([said.nothing_to_check(), *_not_read(message)])
    ask = Ask(ad_copy_asked(shorten(text, MOST_COPY)), parts.clock().date(), private=True)
    there = await asked_at(parts, activity, ask)
    if there is None:
        return sentence(_INVOKE, said.no_personal_chat())
    question = question_at(parts, there.address, activity.claim_key, ask)
    if not await is_kept(parts.accept, question, ACCEPT_SECONDS / 2):
        return sentence(_INVOKE, answers_said.not_taken())
    cut = [said.only_beginning_read(MOST_COPY)] if len(text) > MOST_COPY else []
    return _told([said.check_begun(), *cut, *_not_read(message)])


def _message(activity: TeamsActivity) -> TeamsActivity:
    """The message that was chosen, as if it had been sent. What Teams does not send is empty."""
    payload = _mapping(activity.value, "messagePayload")
    body = _mapping(payload, "body")
    text, kind = body.get("content"), body.get("contentType")
    attached = payload.get("attachments")
    return replace(
        activity,
        text=text if isinstance(text, str) else "",
        raw={
            "textFormat": "html" if kind == "html" else "plain",
            "attachments": attached if isinstance(attached, list) else [],
        },
    )


def _not_read(message: TeamsActivity) -> list[str]:
    names = [shorten(one_line(each), _LONGEST_NAME) for each in files_in(message)]
    known = [each for each in names if each][:_MOST_FILES]
    return [said.files_not_read(known)] if known else [said.pictures_not_read()] if names else []


def _told(lines: list[str]) -> InvokeReply:
    return dialog(said.check_title(), note_card(*lines), height="small")


def _mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}
