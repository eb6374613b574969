"""Share from a personal chat: the answer's question, asked again for everybody who reads a channel or group chat."""

import asyncio
from collections.abc import Sequence

from adapters.teams.actions.asking import ask_there
from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.finding import found
from adapters.teams.actions.replies import dialog, sentence
from adapters.teams.addresses import PLATFORM, TeamsAddress, TeamsPlace, conversation_of
from adapters.teams.conversations import reference_of
from adapters.teams.gate import admitted
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from bot.answers.again import question_of, shared
from bot.answers.seen import SeenAnswer
from bot.model.channels import KnownConversation
from bot.render.teams.forms import SHARE_TO, share_card
from bot.render.teams.view import ANSWER, TeamsInvoke, TeamsVerb, data_of
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording import why_not
from rag_core.deadlines import within
from rag_core.errors import Rejected, Unavailable

MOST_PLACES = 25
_LOOK_SECONDS = 1.2


async def _open(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    seen = await found(parts, click)
    if not click.is_personal or not seen.is_own:
        return sentence(click.invoke, told.ONLY_FROM_PERSONAL_CHAT)
    return await _form(parts, click, seen)


async def _submitted(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    seen = await found(parts, click)
    if not click.is_personal or not seen.is_own:
        return sentence(click.invoke, told.ONLY_FROM_PERSONAL_CHAT)
    known = await _chosen(parts, click)
    if known is None or await _is_member(parts, click, known) is not True:
        return await _form(parts, click, seen, (told.NOT_IN_PLACE,))
    address = _address(click, known, seen)
    may = await admitted(parts, address)  # who may ask here need not be one who may ask there
    if may.is_refused:
        return await _form(parts, click, seen, (why_not(may),))
    is_new = await ask_there(parts, address, shared(seen, known.channel))
    return sentence(click.invoke, told.shared_to(name_of(known)) if is_new else said.ALREADY_SHARED)


async def _form(parts: TeamsParts, click: TeamsClick, seen: SeenAnswer, errors: tuple[str, ...] = ()) -> InvokeReply:
    places, is_part = await _places(parts, click)
    data = data_of(TeamsVerb.SHARE, click.sign(parts), **{ANSWER: click.answer})
    listed = [(each.channel, name_of(each)) for each in places]
    return dialog(said.SHARE_TITLE, share_card(question_of(seen), listed, data, errors, is_part=is_part))


async def _places(parts: TeamsParts, click: TeamsClick) -> tuple[Sequence[KnownConversation], bool]:
    """Those that the bot and who clicked are in; whether there may be others. Raises Unavailable."""
    if parts.shared_places is None:
        return (), False
    listed = await parts.shared_places.shared(PLATFORM, click.activity.tenant, MOST_PLACES)
    known = [each for each in listed if _is_shared(each)]
    members = await asyncio.gather(*(_is_member(parts, click, each) for each in known))
    return [each for each, is_in in zip(known, members, strict=True) if is_in], None in members


async def _chosen(parts: TeamsParts, click: TeamsClick) -> KnownConversation | None:
    """What was chosen, if the bot is there. Raises Unavailable."""
    channel = click.input(SHARE_TO)
    if not channel or parts.known is None:
        return None
    known = await parts.known.of_channel(PLATFORM, click.activity.tenant, channel)
    return known if known is not None and _is_shared(known) else None


def _is_shared(known: KnownConversation) -> bool:
    """Not somebody's own chat with the bot, whose id begins otherwise."""
    return not known.person and known.channel.rpartition("/")[2].startswith("19:")


async def _is_member(parts: TeamsParts, click: TeamsClick, known: KnownConversation) -> bool | None:
    """Whether who clicked is there, as one of the organisation. None: that is not known now."""
    try:
        async with within(_LOOK_SECONDS):
            member = await parts.directory.member(reference_of(known), click.activity.sender.user)
    except (Unavailable, TimeoutError):
        return None
    except Rejected:
        return False
    return member is not None and member.is_full(click.activity.tenant) and _is_same(click, member.person)


def _is_same(click: TeamsClick, person: str) -> bool:
    return person.lower() == click.activity.sender.person


def _address(click: TeamsClick, known: KnownConversation, seen: SeenAnswer) -> TeamsAddress:
    """A new post there, by who shares."""
    reference, sender = reference_of(known), click.activity.sender
    is_chat = place_of(known) is TeamsPlace.GROUP
    return TeamsAddress(
        service_url=reference.service_url,
        tenant=click.activity.tenant,
        conversation_id=conversation_of(known.channel),
        place=place_of(known),
        bot=reference.bot,
        user=sender.user,
        person=sender.person,
        team="" if is_chat else known.channel.rpartition("/")[0],
        shared_by=sender.name or sender.user,
        shared_chunks=" ".join(seen.cited),
        outside=click.activity.address.outside,
    )


def place_of(known: KnownConversation) -> TeamsPlace:
    return TeamsPlace.CHANNEL if "/" in known.channel or "@thread.tacv2" in known.channel else TeamsPlace.GROUP


def name_of(known: KnownConversation) -> str:
    """As Teams told it; else by kind and last use."""
    if known.name:
        return known.name
    kind = told.A_CHANNEL if place_of(known) is TeamsPlace.CHANNEL else told.A_GROUP_CHAT
    return told.place_without_name(kind, known.seen_at.date())


VERBS: Verbs = {
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.SHARE): _open,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.SHARE): _submitted,
}
