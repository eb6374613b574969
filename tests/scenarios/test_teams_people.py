"""A question from an answer in Teams to a person and back, through the connector: nothing to anybody who may not see
it, and nothing by a forged click."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.tables.audit import audit_records
from adapters.teams.actions import escalations
from bot.model.channels import ChannelPreferences
from bot.model.messages import Actor
from bot.model.posted import Posted, PostedMessages, Subject
from bot.people.escalations import Escalation, EscalationState
from bot.render.teams.elements import attachment, card, execute, text_block
from ops.sandbox.teams.world import TEAM, TENANT, PersonKind
from rag_core.curated.kept import CuratedState, Owner
from rag_core.errors import Unavailable
from tests.fakes.slack_people import PUBLIC, SECRET
from tests.fakes.teams_people import (
    ADS,
    GENERAL,
    PeopleInTeams,
    chat,
    people_in_teams,
    person,
    shown,
    shown_card,
)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PeopleInTeams]:
    async with people_in_teams(tmp_path) as opened:
        await opened.answer()
        yield opened


async def test_a_question_goes_to_people_and_their_answer_comes_back(world: PeopleInTeams) -> None:
    asked = await world.escalated(note="For the **spring** campaign <at>everyone</at>")
    assert any("comes back to the place where you asked" in each for each in world.teams.person(1).told)
    for part in ("Can I advertise", "Ads for wine need a label", "United Kingdom", "Acme Ads", "allowed", "Person 1"):
        assert part in shown(asked), part
    assert "**spring**" not in shown(asked)
    assert person(1) not in shown(asked)  # names are for people, ids for nobody
    assert asked.activity["summary"]

    await world.teams.person(2).clicks(asked, "I answer this")
    await world.settled()
    assert "Claimed by Person 2" in world.now(asked)
    assert "I answer this" not in world.now(asked)

    await world.teams.person(2).mentions("Yes, *if* it is labelled.", "general", thread=asked.id)
    await world.settled()
    await world.pump()
    back = world.teams.bot_messages("ads")[-1]
    assert back.root == world.teams.bot_messages("ads")[0].id
    assert "A person answered: Person 2" in shown(back)
    assert "not a quote from the policies" in shown(back)
    assert all(sign not in shown(back) for sign in "✅⛔⚠️")
    assert "Answered by Person 2" in world.now(asked)
    assert world.questions == []


async def found_one(world: PeopleInTeams) -> str:
    """The id of the escalation that was posted last."""
    asked = world.teams.bot_messages("general")[-1]
    posted = await world.people.ports.posted.in_thread("teams", TENANT, GENERAL, asked.id)
    return next(each.subject_id for each in posted if each.subject is Subject.ESCALATION)


async def escalation(world: PeopleInTeams) -> Escalation:
    found = await world.people.ports.escalations.of(await found_one(world))
    assert found is not None
    return found


async def test_asking_twice_is_asking_once(world: PeopleInTeams) -> None:
    await world.asks()
    await world.asks()
    assert await world.pump() == 1
    await world.asks(number=3)  # somebody else's question of the same answer
    assert await world.pump() == 1
    assert len(world.teams.bot_messages("general")) == 2


async def test_nobody_to_ask_is_said_and_nothing_is_sent(world: PeopleInTeams) -> None:
    await world.settings.save("teams", TENANT, ADS, ChannelPreferences(), person(1))
    await world.asks()
    assert "Nobody is named" in world.teams.person(1).told[-1]
    assert await world.pump() == 0


async def test_who_comes_second_is_told_whose_it_is(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    await world.people.ports.asking.claim(Actor("teams", TENANT, person(2)), await found_one(world), GENERAL)
    await world.teams.person(3).clicks(asked, "I answer this")
    assert "Person 2 has it already" in world.teams.person(3).told[-1]
    found = await escalation(world)
    assert found.claim is not None
    assert found.claim.named == person(2)


async def test_only_the_authors_words_go_back_and_others_ask_the_bot(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    two, three = world.teams.person(2), world.teams.person(3)
    await two.mentions("Yes.", "general", thread=asked.id)
    await three.mentions("Can I advertise kites?", "general", thread=asked.id)
    world.news.clock.move(seconds=5)
    await two.mentions("But label it.", "general", thread=asked.id)
    await world.teams.person(1).mentions("And in France?", "general", thread=asked.id)  # who asked answers nothing
    await two.mentions("help", "general", thread=asked.id)
    await world.pump()
    back = [shown(each) for each in world.teams.bot_messages("ads")[1:]]
    assert [("Yes." in each, "But label it." in each, "adds" in each) for each in back] == [
        (True, False, False),
        (False, True, True),
    ]
    assert [each.text for each in world.questions][:2] == ["Can I advertise kites?", "And in France?"]
    assert len(world.questions) == 3  # and help


async def test_with_the_consent_to_hear_all_replies_need_no_mention(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    world.teams.world.teams[TEAM].hears_all = True
    await world.teams.person(2).says("Yes, it may.", "general", thread=asked.id)
    await world.teams.person(3).says("I wonder.", "general", thread=asked.id)
    await world.teams.person(1).says("Thanks", "general", thread=asked.id)
    await world.teams.person(2).says("Lunch?", "general")  # no reply to it
    await world.pump()
    assert ["Yes, it may." in shown(each) for each in world.teams.bot_messages("ads")[1:]] == [True]
    assert world.questions == []


async def test_an_answer_by_the_dialog_goes_back_once(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    two = world.teams.person(2)
    await two.clicks(asked, "Answer")
    assert two.dialog is not None
    assert "Can I advertise" in shown_card(two.dialog.card)
    dialog = two.dialog
    await two.submits(dialog, {})
    assert two.dialog is not None
    assert "Write an answer first" in shown_card(two.dialog.card)
    await two.submits(dialog, {"reply": "Yes, with a label."})
    await two.submits(dialog, {"reply": "Yes, with a label."})  # Teams sends it again
    await world.settled()
    await world.pump()
    assert ["Yes, with a label." in shown(each) for each in world.teams.bot_messages("ads")[1:]] == [True]
    assert "Answered by Person 2" in world.now(asked)
    await world.teams.person(1).clicks(asked, "Answer")
    assert "somebody else has to answer" in told_or_shown(world, 1)
    three = world.teams.person(3)
    await three.clicks(asked, "Answer")
    assert three.dialog is not None
    await three.submits(three.dialog, {"reply": "No."})
    assert "Person 2 has it already" in three.told[-1]
    assert await world.pump() == 0


def told_or_shown(world: PeopleInTeams, number: int) -> str:
    who = world.teams.person(number)
    return (shown_card(who.dialog.card) if who.dialog else "") + "\n".join(who.told[-1:])


async def test_a_private_answer_comes_back_to_the_asker_alone(world: PeopleInTeams) -> None:
    await world.knows(chat(1), 1)
    await world.settings.save("teams", TENANT, chat(1), ChannelPreferences(escalate_to=GENERAL), person(1))
    await world.answer("a2", shown_in="")
    asked = await world.escalated(channel=chat(1), answer_id="a2")
    await world.teams.person(2).mentions("Yes.", "general", thread=asked.id)
    before = len(world.teams.bot_messages("ads"))
    await world.pump()
    back = world.teams.bot_messages(chat(1))[-1]
    assert "A person answered: Person 2" in shown(back)
    assert "To your question: Can I advertise" in shown(back)
    assert len(world.teams.bot_messages("ads")) == before


async def test_a_person_can_be_asked_in_his_own_chat(world: PeopleInTeams) -> None:
    await world.knows(chat(2), 2)
    await world.settings.save("teams", TENANT, ADS, ChannelPreferences(escalate_to=chat(2)), person(1))
    await world.asks()
    await world.pump()
    [asked] = world.teams.bot_messages(chat(2))
    two = world.teams.person(2)
    await two.clicks(asked, "I answer this")
    await two.clicks(asked, "Answer")
    assert two.dialog is not None, two.told
    await two.submits(two.dialog, {"reply": "Yes."})
    await world.pump()
    assert "A person answered: Person 2" in shown(world.teams.bot_messages("ads")[-1])


async def test_nothing_restricted_is_told_where_people_are_asked(world: PeopleInTeams) -> None:
    await world.answer("a3", PUBLIC, SECRET, groups=frozenset({"legal"}))
    await world.escalated(answer_id="a3")
    everything = "\n".join(shown(each) for each in world.teams.bot_messages("general"))
    assert "Ads for wine need a label" in everything
    assert "Parts of the answer are left out" in everything
    for hidden in ("Hidden agreement", "Confidential", "Secret terms", "allowed"):
        assert hidden not in everything, hidden


async def test_outsiders_neither_ask_nor_claim_nor_answer(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    guest = world.teams.person(4, kind=PersonKind.GUEST)
    for where in ("ads", "general"):
        world.teams.join(4, where)
    await guest.clicks(asked, "I answer this")
    await guest.clicks(asked, "Answer")
    await guest.clicks(world.teams.bot_messages("ads")[0], "Ask a person")
    await guest.mentions("Yes.", "general", thread=asked.id)
    world.teams.world.teams[TEAM].hears_all = True
    await guest.says("Yes!", "general", thread=asked.id)
    await world.settled()
    assert (await escalation(world)).state is EscalationState.OPEN
    assert await world.pump() == 0
    assert "I answer this" in world.now(asked)


async def test_where_outsiders_are_answered_they_still_ask_nobody_and_answer_for_nobody(tmp_path: Path) -> None:
    async with people_in_teams(tmp_path, external=True) as world:
        await world.answer()
        asked = await world.escalated()
        guest = world.teams.person(4, kind=PersonKind.GUEST)
        for where in ("ads", "general"):
            world.teams.join(4, where)
        await guest.clicks(asked, "I answer this")
        assert "Guests" in guest.told[-1]
        await guest.clicks(asked, "Answer")
        assert "Guests" in told_or_shown(world, 4)
        await guest.clicks(world.teams.bot_messages("ads")[0], "Ask a person")
        assert "Guests" in told_or_shown(world, 4)
        world.teams.world.teams[TEAM].hears_all = True
        await guest.says("Yes!", "general", thread=asked.id)
        await world.settled()
        assert (await escalation(world)).state is EscalationState.OPEN
        assert await world.pump() == 0


async def test_a_button_of_one_conversation_does_nothing_in_another(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    to = await world.knows(ADS)
    copied = dict(asked.activity)
    id_ = await world.sdk.outbound.send(to, {"type": "message", "attachments": copied["attachments"]})
    forged = next(each for each in world.teams.messages("ads") if each.id == id_)
    await world.teams.person(2).clicks(forged, "I answer this")
    await world.teams.person(2).clicks(forged, "Answer")
    await world.settled()
    assert (await escalation(world)).state is EscalationState.OPEN


async def test_what_was_not_signed_does_nothing(world: PeopleInTeams) -> None:
    await world.escalated()
    to = await world.knows(GENERAL)
    button = {"adpolicy": "claim", "escalation": await found_one(world)}
    made = card([text_block("Win a prize")], [execute("Claim", "claim", button)])
    found = await escalation(world)
    id_ = await world.sdk.outbound.send(to, {"type": "message", "attachments": [attachment(made)]})
    forged = next(each for each in world.teams.messages("general") if each.id == id_)
    await world.teams.person(2).clicks(forged, "Claim")
    now = await world.people.ports.escalations.of(found.escalation_id)
    assert now is not None
    assert now.state is EscalationState.OPEN


async def test_who_answered_saves_it_as_a_draft_and_nobody_else(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    await world.teams.person(2).mentions("Wine needs a label.", "general", thread=asked.id)
    await world.pump()
    back = world.teams.bot_messages("ads")[-1]
    three = world.teams.person(3)
    await three.clicks(back, "Save as draft of an approved answer")
    assert "Only the person who answered" in told_or_shown(world, 3)
    two = world.teams.person(2)
    await two.clicks(back, "Save as draft of an approved answer")
    assert two.dialog is not None, two.told
    await two.submits(two.dialog, {"statements": "Wine needs a label, always.", "places": "nowhere"})
    assert two.dialog is not None
    assert "at least one source" in shown_card(two.dialog.card)
    assert "Wine needs a label, always." in shown_card(two.dialog.card), "nothing typed is lost"
    await two.submits(two.dialog, {"sources": "1", "places": "nowhere"})
    assert "One of the places is not known" in shown_card(two.dialog.card)
    await two.submits(two.dialog, {"sources": "1", "places": "uk"})
    assert "Kept as a draft" in two.told[-1]
    [kept] = await SqlCuratedAnswers(world.engine).all()
    assert kept.state is CuratedState.DRAFT
    assert kept.owner == Owner("teams", TENANT, GENERAL)
    assert [each.text for each in kept.statements] == ["Wine needs a label, always."]


async def test_all_of_it_is_on_record_under_pseudonyms(world: PeopleInTeams) -> None:
    asked = await world.escalated()
    await world.teams.person(2).clicks(asked, "I answer this")
    await world.teams.person(2).mentions("Yes.", "general", thread=asked.id)
    await world.settled()
    async with world.engine.connect() as connection:
        rows = (await connection.execute(select(audit_records.c.canonical))).scalars().all()
    said = "\n".join(bytes(each).decode() if isinstance(each, bytes) else str(each) for each in rows)
    for act in ("escalation_begun", "escalation_claimed", "escalation_answered"):
        assert said.count(f'"{act}"') == 1, act


class DeadPosted:
    """A PostedMessages of which nobody hears, at once or not at all."""

    def __init__(self, posted: PostedMessages, *, hangs: bool) -> None:
        self._posted = posted
        self._hangs = hangs

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        if self._hangs:
            await asyncio.sleep(60)
        raise Unavailable("store_down")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._posted, name)


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_mention_in_a_thread_is_kept_while_nobody_knows_whose_thread_it_is(
    world: PeopleInTeams, monkeypatch: pytest.MonkeyPatch, *, hangs: bool
) -> None:
    """Teams need not send it again; what the bot is told without a mention is for it alone to tell again."""
    monkeypatch.setattr(escalations, "_LOOK_SECONDS", 0.05)
    object.__setattr__(world.people.ports, "posted", DeadPosted(world.people.ports.posted, hangs=hangs))
    root = (await world.teams.person(1).says("Look at this.", "ads")).written
    asked = await world.teams.person(1).mentions("And in Germany?", "ads", thread=root.id)
    await world.settled()
    assert asked.status == 200
    assert [each.text for each in world.questions] == ["And in Germany?"]
    world.teams.world.teams[TEAM].hears_all = True
    assert (await world.teams.person(1).says("Yes.", "ads", thread=root.id)).status == 503
