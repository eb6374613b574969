"""Asking a person from an answer: the note, who claims it, and answers by dialog or in the escalation's thread."""

import asyncio

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.people_dialogs import card_in, people_of, signed_dialog
from adapters.teams.actions.replies import card_instead, sentence
from adapters.teams.addresses import PLATFORM, TeamsPlace, thread_of
from adapters.teams.conversations import is_unnamed, reference_in
from adapters.teams.delivery.notices import name_of, named
from adapters.teams.delivery.signed_cards import signed_card
from adapters.teams.gate import admitted
from adapters.teams.listening import InvokeReply
from adapters.teams.messages import TeamsActivity, said_to
from adapters.teams.parts import TeamsParts, TeamsPeople
from bot.commands.grammar import Ask, parse
from bot.model.messages import Actor
from bot.model.outcomes import Admitted
from bot.model.posted import Posted, Subject
from bot.people.answers import LONGEST_NOTE, LONGEST_REPLY, begun_by
from bot.people.escalations import AskedPlace, Escalation
from bot.render.teams.people import ANSWER, NOTE, answer_form, ask_form
from bot.render.teams.view import TeamsInvoke, TeamsVerb
from bot.wording import people as say
from bot.wording import teams as own
from rag_core.errors import Rejected, Unavailable

_LOOK_SECONDS = 2.0
"""So that there is time left to keep the message elsewhere while the store does not answer."""


async def taken_by_escalation(parts: TeamsParts, activity: TeamsActivity) -> bool:
    """Whether a message stands in the thread of an escalation, and so is no question to the bot; then it is kept for
    the asker, if it is an answer.

    Without the consent to hear all of a channel only mentions reach the bot: so one is an answer here, if he who writes
    it may answer; else it is a question like any other.

    While nobody knows which thread it is, a mention is a question: as such it can be kept. Raises Unavailable for what
    was not kept: Teams should send it again.
    """
    people, thread = parts.people, thread_of(activity.conversation_id)
    if people is None or not thread or thread == activity.id or not _is_said_by_person(activity):
        return False
    heard = said_to(activity)
    is_mentioned = heard.mentions_bot
    found = await _begun(people, activity, thread, is_mentioned=is_mentioned)
    if found is None:
        return False
    if is_mentioned and _is_command(parts, heard.text):
        return False
    if await admitted(parts, activity.address) is not Admitted.ALLOWED:
        return not is_mentioned  # what he writes goes nowhere; who asks the bot is told why he may not
    actor = Actor(PLATFORM, activity.tenant, activity.sender.person)
    try:
        is_answer = await people.ports.asking.reply(
            actor, found.escalation_id, activity.channel, activity.id, heard.text
        )
    except Rejected:  # forgotten in this moment
        return True
    if is_answer:
        parts.background.start(_show(parts, people, found.escalation_id, activity), "show answered")
    return is_answer or not is_mentioned


async def _begun(people: TeamsPeople, activity: TeamsActivity, thread: str, *, is_mentioned: bool) -> Escalation | None:
    """None also for a mention of which that cannot be known. Raises Unavailable."""
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            return await begun_by(people.ports, PLATFORM, activity.tenant, activity.channel, thread)
    except (Unavailable, TimeoutError) as exc:
        if is_mentioned:
            return None
        raise Unavailable("store_unavailable") from exc


def _is_said_by_person(activity: TeamsActivity) -> bool:
    return activity.kind == "message" and activity.sender.role != "bot" and bool(activity.sender.person)


def _is_command(parts: TeamsParts, text: str) -> bool:
    try:
        return not isinstance(parse(text, parts.clock().date()), Ask)
    except Rejected:
        return True  # a command that cannot be read: he is told so


async def _open_note(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_YOU)
    return signed_dialog(parts, click, say.ASK_TITLE, ask_form(click.answer, _thread(click)))


async def _ask(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    people = people_of(parts)
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_YOU)
    activity, thread = click.activity, click.fields.get("thread", "")
    place = AskedPlace(
        PLATFORM, activity.tenant, activity.channel, click.actor.person, thread, private=click.is_personal
    )
    note = click.input(NOTE)[:LONGEST_NOTE]
    try:
        await people.ports.asking.ask(click.actor, click.answer, place, note)
    except Rejected as exc:
        return sentence(click.invoke, own.refusal(exc.code))
    except Unavailable:
        again = ask_form(click.answer, thread, {NOTE: note}, own.NOT_KEPT)
        return signed_dialog(parts, click, say.ASK_TITLE, again)
    return sentence(click.invoke, say.ASKED_PEOPLE)


async def _claim(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    people, channel = people_of(parts), click.activity.channel
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_YOU)
    escalation_id = click.fields.get("escalation", "")
    try:
        found, mine = await people.ports.asking.claim(click.actor, escalation_id, channel)
    except Rejected as exc:
        return sentence(click.invoke, own.refusal(exc.code))
    parts.background.start(_show(parts, people, escalation_id, click.activity), "show claim")
    if not mine:
        who = await _who(people, found) if found.claim else ""
        return sentence(click.invoke, say.claimed_already(who))
    return card_instead(card_in(await _message(parts, people, found, click.activity.reference.signed_for)))


async def _open_answer(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    people = people_of(parts)
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_YOU)
    found = await _here(people, click)
    if found is None:
        return sentence(click.invoke, own.refusal("escalation_unknown"))
    if people.ports.known_as(click.actor) == found.person:
        return sentence(click.invoke, own.refusal("escalation_own"))
    question = (await people.ports.views.where_asked(found)).question
    return signed_dialog(parts, click, own.ANSWER_TITLE, answer_form(found.escalation_id, parts.new_id(), question))


async def _answer(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    people, channel = people_of(parts), click.activity.channel
    escalation_id, once = click.fields.get("escalation", ""), click.fields.get("once", "")
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_YOU)
    text = click.input(ANSWER)[:LONGEST_REPLY]
    if not text.strip():
        return signed_dialog(parts, click, own.ANSWER_TITLE, answer_form(escalation_id, once, "", {}, own.ANSWER_EMPTY))
    try:
        is_answer = await people.ports.asking.reply(click.actor, escalation_id, channel, f"form:{once}", text)
    except Rejected as exc:
        return sentence(click.invoke, own.refusal(exc.code))
    except Unavailable:
        again = answer_form(escalation_id, once, "", {ANSWER: text}, own.NOT_KEPT)
        return signed_dialog(parts, click, own.ANSWER_TITLE, again)
    if not is_answer:
        return sentence(click.invoke, await _why_not(people, click))
    parts.background.start(_show(parts, people, escalation_id, click.activity), "show answered")
    return sentence(click.invoke, own.ANSWERED)


async def _why_not(people: TeamsPeople, click: TeamsClick) -> str:
    """Of an answer that did not go back: it is the asker's own, or somebody else's to answer."""
    found = await _here(people, click)
    if found is None or people.ports.known_as(click.actor) == found.person:
        return own.refusal("escalation_own" if found else "escalation_unknown")
    return own.not_the_author(await _who(people, found))


async def _here(people: TeamsPeople, click: TeamsClick) -> Escalation | None:
    """Only where people are asked."""
    found = await people.ports.escalations.of(click.fields.get("escalation", ""))
    here = (PLATFORM, click.activity.tenant, click.activity.channel)
    place = found.place if found else None
    return found if place and (place.platform, place.workspace, place.people_in) == here else None


async def _who(people: TeamsPeople, found: Escalation) -> str:
    """Whose it is."""
    act = found.claim or next(iter(found.replies), None)
    place = found.place
    return await name_of(people.names, place.workspace, act.named, place.people_in) if act else ""


async def _show(parts: TeamsParts, people: TeamsPeople, escalation_id: str, activity: TeamsActivity) -> None:
    """The escalation's message as it is now, for everybody who reads it."""
    now = await people.ports.escalations.of(escalation_id)
    posted = await _message_of(people, now) if now is not None else None
    if now is None or posted is None or is_unnamed(posted.place.message) or parts.known is None:
        return
    to = await reference_in(parts.known, now.place.workspace, now.place.people_in)
    message = await _message(parts, people, now, activity.reference.signed_for)
    await parts.outbound.update(to or activity.reference, posted.place.message, message)


async def _message_of(people: TeamsPeople, found: Escalation) -> Posted | None:
    """The message where people are asked: the first of it in that channel."""
    posted = await people.ports.posted.of_subject(Subject.ESCALATION, found.escalation_id)
    return next((each for each in posted if each.place.channel == found.place.people_in), None)


async def _message(parts: TeamsParts, people: TeamsPeople, found: Escalation, conversation: str) -> dict[str, object]:
    shown = await named(await people.ports.messages.asked(found), people.names, found.place.workspace)
    return signed_card(shown, parts.signing, conversation) if parts.signing else shown


def _thread(click: TeamsClick) -> str:
    """Of a channel: the message that its thread begins with."""
    activity = click.activity
    if activity.place is not TeamsPlace.CHANNEL:
        return ""
    return thread_of(activity.conversation_id) or click.card


VERBS: Verbs = {
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.ASK_PERSON): _open_note,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.ASK_PERSON): _ask,
    (TeamsInvoke.CARD_ACTION, TeamsVerb.CLAIM): _claim,
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.ANSWER_ESCALATION): _open_answer,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.ANSWER_ESCALATION): _answer,
}
