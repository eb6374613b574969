"""The message extension: search the policies from the compose box, and check a message against them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adapters.teams.actions.replies import closed, dialog, sentence
from adapters.teams.gate import admitted
from adapters.teams.keeping import ACCEPT_SECONDS, asked_at, question_at
from adapters.teams.listening import INVOKE_SECONDS, InvokeReply, Listeners, TeamsListener
from adapters.teams.messages import TeamsActivity, files_in, said_to
from adapters.teams.parts import TeamsParts
from bot.commands.grammar import Ask
from bot.model.outcomes import Admitted, Rejection
from bot.model.visible import one_line, shorten
from bot.questions.inbox import is_kept
from bot.render.teams.forms import note_card
from bot.render.teams.found import passage_entries, passage_entry
from bot.render.teams.view import ExtensionCommand, TeamsInvoke
from bot.wording import answers as answers_said
from bot.wording import rejection, why_not
from bot.wording import teams as said
from bot.wording.commands import ad_copy_asked
from rag_core.documents import Passage
from rag_core.errors import Rejected, Unavailable

MOST_COPY = 1_500
"""Characters: with what stands around them they make a question that is not too long."""

_MOST_FILES, _LONGEST_NAME = 5, 80
_INVOKE = TeamsInvoke.MESSAGE_ACTION_OPEN


async def check(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    """Keeps the question, and says where its answer will be. Never asked twice for one delivery."""
    message = _message(activity)
    text = one_line(said_to(message).text)
    if not any(each.isalnum() for each in text):
        return _told([said.NOTHING_TO_CHECK, *_not_read(message)])
    ask = Ask(ad_copy_asked(shorten(text, MOST_COPY)), parts.clock().date(), private=True)
    there = await asked_at(parts, activity, ask)
    if there is None:
        return sentence(_INVOKE, said.NO_PERSONAL_CHAT)
    question = question_at(parts, there.address, activity.claim_key, ask)
    if not await is_kept(parts.accept, question, ACCEPT_SECONDS / 2):
        return sentence(_INVOKE, answers_said.NOT_TAKEN)
    cut = [said.only_beginning_read(MOST_COPY)] if len(text) > MOST_COPY else []
    return _told([said.CHECK_BEGUN, *cut, *_not_read(message)])


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
    return [said.files_not_read(known)] if known else [said.PICTURES_NOT_READ] if names else []


def _told(lines: list[str]) -> InvokeReply:
    return dialog(said.CHECK_TITLE, note_card(*lines), height="small")


def _mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


_log = logging.getLogger(__name__)
_SECONDS = INVOKE_SECONDS - 0.2
_MOST_PAGE, _MOST_SKIPPED = 25, 500
_INITIAL, _CHUNK = "initialRun", "chunk"
_SHOWN = 100


async def _query(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    if activity.value.get("commandId") != ExtensionCommand.SEARCH:
        return sentence(TeamsInvoke.SEARCH, said.COMMAND_UNKNOWN)
    typed, (skip, most) = _typed(activity.value), _page(activity.value)
    if not any(each.isalnum() for each in typed):
        return sentence(TeamsInvoke.SEARCH, said.search_help(await parts.starters()))
    if parts.search is None or skip >= _MOST_SKIPPED:
        return _listed([])
    try:
        found = await parts.search.find(typed, parts.clock().date(), skip=skip, most=most)
    except Rejected as exc:
        return sentence(TeamsInvoke.SEARCH, _why_not(exc))
    if not found and not skip:
        return sentence(TeamsInvoke.SEARCH, said.nothing_found(shorten(one_line(typed), _SHOWN)))
    return _listed(_entries(parts, activity, found))


async def _select(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    """Read again: it may have been withdrawn since it was found."""
    fields = parts.signing.read(activity.value, _searcher(activity)) if parts.signing is not None else None
    chunk = (fields or {}).get(_CHUNK, "")
    passage = await parts.search.passage(chunk, parts.clock().date()) if chunk and parts.search is not None else None
    if passage is None or parts.answers is None:
        return sentence(TeamsInvoke.SELECT, said.RESULT_GONE)
    return _listed([passage_entry(passage, parts.answers.links)])


async def _message_action(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    if activity.value.get("commandId") != ExtensionCommand.CHECK_MESSAGE:
        return sentence(TeamsInvoke.MESSAGE_ACTION_OPEN, said.COMMAND_UNKNOWN)
    return await check(parts, activity)


async def _submitted(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
    """The dialog of a check has nothing to send: whatever comes closes it."""
    return closed()


_Answering = Callable[[TeamsParts, TeamsActivity], Awaitable[InvokeReply]]


def _guarded(invoke: TeamsInvoke, answering: _Answering) -> TeamsListener:
    """`answering` for who may, in time, and a kind sentence for everything else."""

    async def take(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply:
        try:
            async with asyncio.timeout(_SECONDS):
                may = await _admitted(parts, activity)
                return sentence(invoke, why_not(may)) if may.is_refused else await answering(parts, activity)
        except (Unavailable, TimeoutError) as exc:
            _log.warning("teams message extension not answered: invoke=%s error=%s", invoke, type(exc).__name__)
            return sentence(invoke, said.SEARCH_DOWN if invoke is TeamsInvoke.SEARCH else said.LATE)

    return take


async def _admitted(parts: TeamsParts, activity: TeamsActivity) -> Admitted:
    """A message extension is used where the bot is not, and Teams tells it nothing of who is there: then it is for
    people of the organisation, with what everybody may see."""
    try:
        return await admitted(parts, activity.address)
    except Rejected:
        return Admitted.PUBLIC_ONLY


def _entries(parts: TeamsParts, activity: TeamsActivity, found: Sequence[Passage]) -> list[dict[str, object]]:
    """Raises Unavailable where nothing can be signed or linked, which no server is like."""
    if parts.signing is None or parts.answers is None:
        raise Unavailable("store_unavailable")
    who = _searcher(activity)
    chosen = [(each, parts.signing.signed({_CHUNK: each.chunk.chunk_id}, who)) for each in found]
    return passage_entries(chosen, parts.answers.links)


def _searcher(activity: TeamsActivity) -> str:
    """What is found is chosen by who searched, in whatever conversation Teams says that he does."""
    return f"search:{activity.tenant}:{activity.sender.user}"


def _listed(entries: list[dict[str, object]]) -> InvokeReply:
    found = {"type": "result", "attachmentLayout": "list", "attachments": entries}
    return InvokeReply({"composeExtension": found})


def _typed(value: Mapping[str, Any]) -> str:
    """What stands in the search box; "" when it was just opened."""
    given = value.get("parameters")
    listed = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    found = (each.get("value") for each in listed if each.get("name") != _INITIAL)
    return next((each for each in found if isinstance(each, str)), "")


def _page(value: Mapping[str, Any]) -> tuple[int, int]:
    options = value.get("queryOptions")
    asked = options if isinstance(options, Mapping) else {}
    skip, count = asked.get("skip"), asked.get("count")
    first = skip if isinstance(skip, int) and skip > 0 else 0
    return first, min(count, _MOST_PAGE) if isinstance(count, int) and count > 0 else _MOST_PAGE


def _why_not(error: Rejected) -> str:
    if error.code == "place_unclear":
        return said.place_unclear(str(error.details.get("said", "")))
    return said.query_unreadable(rejection(Rejection(error.code, dict(error.details))).detail)


LISTENERS: Listeners = {
    f"invoke/{TeamsInvoke.SEARCH}": _guarded(TeamsInvoke.SEARCH, _query),
    f"invoke/{TeamsInvoke.SELECT}": _guarded(TeamsInvoke.SELECT, _select),
    f"invoke/{TeamsInvoke.MESSAGE_ACTION_OPEN}": _guarded(TeamsInvoke.MESSAGE_ACTION_OPEN, _message_action),
    f"invoke/{TeamsInvoke.MESSAGE_ACTION_SUBMIT}": _guarded(TeamsInvoke.MESSAGE_ACTION_SUBMIT, _submitted),
}
