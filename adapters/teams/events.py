"""Messages in Teams: which of them ask the bot, and what edits and deletions change."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from adapters.teams.actions.escalations import taken_by_escalation
from adapters.teams.actions.telling import is_first_time, said, said_plainly, tell_there
from adapters.teams.addresses import TeamsPlace, thread_of
from adapters.teams.command_calls import CommandCall
from adapters.teams.commands import run_command
from adapters.teams.conversations import refresh
from adapters.teams.keeping import ACCEPT_SECONDS, address_of, asked_at, hearing_of, question_at
from adapters.teams.listening import InvokeReply, Listeners
from adapters.teams.messages import TeamsActivity, files_in, said_to
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity
from bot.commands.grammar import Ask, Command, ShowHelp, command_name, parse
from bot.model.messages import EDITED, edit_key
from bot.questions.addressing import Said
from bot.questions.inbox import is_kept
from bot.questions.threads import EDIT_SECONDS
from bot.render.teams.welcome import is_starter
from bot.wording import problem
from bot.wording.commands import HELP_ASKED, MESSAGE_NOT_KEPT, failed_command
from bot.wording.teams_welcome import ANSWERED_ALONE, COMMANDS_TO_TYPE, NO_CHAT_ALONE, ONLY_TEXT_IS_READ, files_not_read
from rag_core.errors import Rejected, Unavailable

_DELETION_KEY = ";deleted"
"""So that what was deleted and came back within a moment has two keys."""


def change_key(activity: TeamsActivity) -> str:
    """The claim key of the message as this edit or deletion leaves it; its own where it is neither."""
    return edit_key(activity.claim_key, changed(activity))


def changed(activity: TeamsActivity) -> str:
    """When it was made, equal for all its deliveries; "" for what is none."""
    if activity.kind == "message":
        return ""
    said = str(activity.raw.get("timestamp") or activity.channel_data.get("eventTimestamp") or activity.event)[:100]
    return f"{said}{_DELETION_KEY}" if activity.kind == "messageDelete" else said


def standing(key: str, known: Sequence[str]) -> str:
    """The last change of a message: `key`, or of the `known` ones one that was made later. Of one that does not say
    when, nobody knows that it was."""
    last = key
    for each in known:
        made, before = _moment(each), _moment(last)
        if made is not None and before is not None and made > before:
            last = each
    return last


def _moment(key: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(key.rpartition(EDITED)[2].removesuffix(_DELETION_KEY))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


_RUN_SECONDS = 5.0
_EDITED = ("editMessage", "undeleteMessage")
_DELETED = "softDeleteMessage"
_A_BOT = "28:"


async def take_message(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply | None:
    """Keeps what is asked. Raises Unavailable."""
    if not _is_persons(activity):
        return None
    parts.background.start(refresh(parts, activity), "teams conversation remembered")
    if await taken_by_escalation(parts, activity):
        return None
    heard = said_to(activity)
    if not heard.text and not heard.mentions_bot:
        await _without_text(parts, activity)
    elif await _asks_bot(parts, activity, heard):
        await _asked(parts, activity, heard)
    return None


async def take_edit(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply | None:
    """A question that says something else is asked again, and what was answered is replaced; so is one that was
    deleted, and comes back. Teams does not tell what it said before. Raises Unavailable."""
    if activity.event not in _EDITED or not _is_persons(activity) or not _is_recent(parts, activity):
        return None
    heard, key = said_to(activity), change_key(activity)
    if not (heard.text or heard.mentions_bot) or not await _asks_bot(parts, activity, heard):
        return None
    if await _is_outdated(parts, activity, key):
        return None
    command = await _parsed(parts, activity, heard)
    # kept first: what it said before is dropped only when what it says now cannot be lost any more
    if isinstance(command, Ask) and await _keep(parts, activity, command, key=key):
        await _withdraw(parts, activity, key)
    return None


async def take_deletion(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply | None:
    """What was asked by it is not answered any more; an answer that is there goes, if nobody goes on with it. Raises
    Unavailable."""
    if activity.event != _DELETED or not activity.id or parts.withdrawals is None:
        return None
    key = change_key(activity)
    if await _is_outdated(parts, activity, key):
        return None
    waited = await _withdraw(parts, activity, key)
    await parts.withdrawals.withdraw(key)  # so that an edit that was made before, and comes behind, is outdated
    if not waited:
        parts.background.start(_remove(parts, activity), "teams answer removed")
    return None


def _is_persons(activity: TeamsActivity) -> bool:
    """Neither ours nor another bot's."""
    sender = activity.sender
    is_bot = sender.role.lower() == "bot" or sender.user.startswith(_A_BOT) or sender.user == activity.bot
    return bool(activity.id) and not is_bot


async def _asks_bot(parts: TeamsParts, activity: TeamsActivity, heard: Said) -> bool:
    is_direct = activity.place is TeamsPlace.PERSONAL or is_starter(activity.value)
    is_reply = activity.place is TeamsPlace.CHANNEL and thread_of(activity.conversation_id) not in ("", activity.id)
    where, today = address_of(activity).conversation, parts.clock().date()
    return await hearing_of(parts).is_asked(heard, where, today, is_direct=is_direct, is_reply=is_reply)


async def _without_text(parts: TeamsParts, activity: TeamsActivity) -> None:
    """Files alone: what is supported, where only the bot can be meant. What has nothing at all is a form or a click."""
    if activity.place is TeamsPlace.PERSONAL and files_in(activity):
        _tell(parts, activity, said_plainly(ONLY_TEXT_IS_READ))


async def _asked(parts: TeamsParts, activity: TeamsActivity, heard: Said) -> None:
    files = files_in(activity)
    if not heard.text and files:
        _tell(parts, activity, said_plainly(ONLY_TEXT_IS_READ))
        return
    command = await _parsed(parts, activity, heard)
    if isinstance(command, Ask):
        kept = await _keep(parts, activity, command)
        if kept and files:
            _tell(parts, activity, said_plainly(files_not_read(files)), "files")
        if kept and command.text == HELP_ASKED:
            _tell(parts, activity, said_plainly(COMMANDS_TO_TYPE), "help")
    elif command is not None and (activity.place is TeamsPlace.PERSONAL or heard.mentions_bot):
        await _run(parts, activity, command)


async def _parsed(parts: TeamsParts, activity: TeamsActivity, heard: Said) -> Command | None:
    """None: it cannot be understood, and the writer is told why."""
    try:
        command = parse(heard.text, parts.clock().date())
    except Rejected as exc:
        found = problem(exc.code, exc.details)
        _tell(parts, activity, said_plainly(f"{found.title}\n{found.detail}"))
        return None
    return Ask(HELP_ASKED) if isinstance(command, ShowHelp) else command


async def _keep(parts: TeamsParts, activity: TeamsActivity, ask: Ask, *, key: str = "") -> bool:
    """`key`: of an edited question. What is for the asker's eyes only is answered where nobody else reads."""
    at = await asked_at(parts, activity, ask)
    if at is None:
        _tell(parts, activity, said_plainly(NO_CHAT_ALONE))
        return False
    address = replace(at.address, edits=bool(key) and not at.elsewhere)
    question = question_at(parts, address, key or activity.claim_key, ask)
    if not await is_kept(parts.accept, question, ACCEPT_SECONDS):
        _tell(parts, activity, said_plainly(MESSAGE_NOT_KEPT))
        return False
    if at.elsewhere:
        _tell(parts, activity, said_plainly(ANSWERED_ALONE), "alone")
    elif parts.threads is not None and address.place is TeamsPlace.CHANNEL:
        await parts.threads.enter(address.conversation)
    return True


async def _run(parts: TeamsParts, activity: TeamsActivity, command: Command) -> None:
    """What is no question, but to be done."""
    if not await is_first_time(parts, f"run:{activity.claim_key}"):
        return
    try:
        async with asyncio.timeout(_RUN_SECONDS):
            told = await run_command(parts, CommandCall(command, activity))
    except (Unavailable, TimeoutError):
        told = said(failed_command(command_name(command)))
    except Rejected as exc:
        found = problem(exc.code, exc.details)
        told = said_plainly(f"{found.title}\n{found.detail}")
    if told:
        parts.background.start(tell_there(parts, address_of(activity).reference, told), "teams command told")


def _tell(parts: TeamsParts, activity: TeamsActivity, told: Activity, what: str = "") -> None:
    async def once() -> None:
        if await is_first_time(parts, f"{what}:{change_key(activity)}"):
            await tell_there(parts, address_of(activity).reference, told)

    parts.background.start(once(), "teams writer told")


def _is_recent(parts: TeamsParts, activity: TeamsActivity) -> bool:
    """Ids are the milliseconds at which a message was written; of another one it is not known when that was."""
    if not activity.id.isdecimal() or len(activity.id) > _LONGEST_MOMENT:
        return True
    return parts.clock().timestamp() - int(activity.id) / 1000 <= EDIT_SECONDS


_LONGEST_MOMENT = 15


async def _is_outdated(parts: TeamsParts, activity: TeamsActivity, key: str) -> bool:
    """Whether the message was changed again since, though we heard of that first."""
    if parts.withdrawals is None:
        return False
    return standing(key, await parts.withdrawals.edits_of(activity.claim_key)) != key


async def _withdraw(parts: TeamsParts, activity: TeamsActivity, key: str) -> bool:
    """Whether it still waited as it was first asked. None of its wordings is answered any more, whenever it comes, but
    the last one of them."""
    if parts.withdrawals is None:
        return False
    edits = await parts.withdrawals.edits_of(activity.claim_key)
    waited, last = await parts.withdrawals.withdraw(activity.claim_key), standing(key, edits)
    for each in dict.fromkeys((*edits, key)):
        if each != last:
            await parts.withdrawals.withdraw(each)
    return waited


async def _remove(parts: TeamsParts, activity: TeamsActivity) -> None:
    await parts.withdraw(address_of(activity))


LISTENERS: Listeners = {"message": take_message, "messageUpdate": take_edit, "messageDelete": take_deletion}
