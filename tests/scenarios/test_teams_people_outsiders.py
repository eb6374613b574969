"""Whoever the operator lets ask from outside asks no person and answers for none: by no button, and by no dialog that
a member opened and whose payload came into his hands."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.teams.addresses import TeamsAddress
from adapters.teams.delivery.signed_cards import signed_card
from bot.model.outcomes import Admitted
from bot.model.posted import Subject
from bot.people.escalations import Escalation, EscalationState
from bot.render.teams.elements import attachment, card, text_block
from bot.render.teams.people import ANSWER, PLACES, SOURCES, STATEMENTS, data, open_dialog
from bot.render.teams.view import TeamsVerb
from bot.wording import people as say
from bot.wording import teams as own
from ops.sandbox.teams.clicking import Dialog
from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.world import TENANT, PersonKind
from tests.fakes.teams_people import ADS, GENERAL, PeopleInTeams, people_in_teams, shown_card

GUEST = 4


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PeopleInTeams]:
    """A guest reads both channels, and gets answers."""
    async with people_in_teams(tmp_path, external=True) as opened:
        await opened.answer()
        opened.teams.person(GUEST, kind=PersonKind.GUEST)
        for where in ("ads", "general"):
            opened.teams.join(GUEST, where)
        yield opened


async def heard(world: PeopleInTeams, message: Message, title: str) -> str:
    """What the guest alone is shown for a click."""
    guest = world.teams.person(GUEST)
    guest.told.clear()
    await guest.clicks(message, title)
    found = (shown_card(guest.dialog.card) if guest.dialog else "") + "\n".join(guest.told)
    guest.closes()
    return found


async def opened(world: PeopleInTeams, number: int, message: Message, title: str) -> Dialog:
    """By a member."""
    who = world.teams.person(number)
    await who.clicks(message, title)
    assert who.dialog is not None, who.told
    return who.dialog


async def sent(world: PeopleInTeams, dialog: Dialog, **given: str) -> str:
    """By the guest."""
    guest = world.teams.person(GUEST)
    guest.told.clear()
    await guest.submits(dialog, given)
    await world.settled()
    assert guest.dialog is None
    return "\n".join(guest.told)


async def escalation(world: PeopleInTeams, asked: Message) -> Escalation:
    [posted] = await world.people.ports.posted.in_thread("teams", TENANT, GENERAL, asked.id)
    assert posted.subject is Subject.ESCALATION
    found = await world.people.ports.escalations.of(posted.subject_id)
    assert found is not None
    return found


async def test_no_button_opens_anything(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    for message, title in (
        (world.teams.bot_messages("ads")[0], "Ask a person"),
        (asked, "I answer this"),
        (asked, "Answer"),
    ):
        said = await heard(world, message, title)
        assert own.NOT_FOR_YOU in said, title
        assert "Input." not in said, title


async def test_a_members_dialog_asks_nobody(world: PeopleInTeams) -> None:
    note = await opened(world, 1, await world.answered(), "Ask a person")
    assert own.NOT_FOR_YOU in await sent(world, note, note="Tell me")
    assert await world.pump() == 0


async def test_a_members_dialog_answers_nothing(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    dialog = await opened(world, 2, asked, "Answer")
    assert own.NOT_FOR_YOU in await sent(world, dialog, **{ANSWER: "Yes!"})
    assert (await escalation(world, asked)).state is EscalationState.OPEN
    assert await world.pump() == 0


async def test_a_members_dialog_saves_nothing(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    await world.teams.person(2).mentions("Yes, with a label.", "general", thread=asked.id)
    await world.pump()
    back = world.teams.bot_messages("ads")[-1]
    said = await heard(world, back, own.SAVE_DRAFT)
    assert own.NOT_FOR_YOU in said
    assert "Input." not in said
    form = await opened(world, 2, back, own.SAVE_DRAFT)
    assert own.NOT_FOR_YOU in await sent(world, form, sources="1")
    assert await SqlCuratedAnswers(world.engine).all() == ()


async def test_a_question_is_shown_only_where_people_are_asked(world: PeopleInTeams) -> None:
    """Although the button is signed for where it stands: another card of ours could carry the same id."""
    asked = await world.escalated()
    to = await world.knows(ADS)
    assert world.parts.signing is not None
    found = await escalation(world, asked)
    button = open_dialog("Answer", data(TeamsVerb.ANSWER_ESCALATION, escalation=found.escalation_id))
    made = {"type": "message", "attachments": [attachment(card([text_block("?")], [button]))]}
    id_ = await world.sdk.outbound.send(to, signed_card(made, world.parts.signing, to.signed_for))
    elsewhere = next(each for each in world.teams.messages("ads") if each.id == id_)
    dialog = await opened(world, 2, elsewhere, "Answer")
    assert say.refusal("escalation_unknown") in shown_card(dialog.card)
    assert "Can I advertise" not in shown_card(dialog.card)


async def test_who_became_one_while_the_form_was_open_saves_nothing(world: PeopleInTeams) -> None:
    """He answered as a member: that it was he is not enough."""
    asked = await world.escalated()
    await world.teams.person(2).mentions("Yes, with a label.", "general", thread=asked.id)
    await world.pump()
    two = world.teams.person(2)
    form = await opened(world, 2, world.teams.bot_messages("ads")[-1], own.SAVE_DRAFT)

    async def public_only(address: TeamsAddress, *, seconds: float = 0.0) -> Admitted:
        return Admitted.PUBLIC_ONLY

    object.__setattr__(world.parts, "admits", public_only)
    await two.submits(form, {STATEMENTS: "A label is needed.", SOURCES: "1", PLACES: "uk"})
    assert own.NOT_FOR_YOU in "\n".join(two.told)
    assert await SqlCuratedAnswers(world.engine).all() == ()
