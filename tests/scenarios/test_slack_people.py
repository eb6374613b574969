"""A question from an answer to a person and back, over signed requests: and nothing to anybody who may not see it."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.settings import AllowedWorkspaces, OAuthSettings
from adapters.sql.people.curated import SqlCuratedAnswers
from bot.model.channels import ChannelPreferences
from bot.model.messages import Actor
from bot.model.outcomes import Admitted
from bot.people.escalations import EscalationState
from ops.sandbox.slack.workspace import Message
from rag_core.answers import Verdict
from rag_core.curated.kept import CuratedState, Owner
from tests.fakes.slack import SETTINGS
from tests.fakes.slack_people import DESK, PSEUDONYMS, PUBLIC, SECRET, PeopleWorld, people_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PeopleWorld]:
    async with people_world(tmp_path) as opened:
        await opened.answer()
        yield opened


def shown(message: Message) -> str:
    return json.dumps(message.payload, ensure_ascii=False)


def modal_of(world: PeopleWorld, user: str) -> str:
    modal = world.slack.person(user).modal
    assert modal is not None
    return json.dumps(modal.blocks)


async def escalated(world: PeopleWorld, **more: Any) -> Message:
    """The message where people are asked."""
    await world.asks(await world.answered(), **more)
    return (await world.send())[0]


async def test_a_question_goes_to_people_and_their_answer_comes_back(world: PeopleWorld) -> None:
    answer = await world.answered()
    await world.asks(answer, note="For <!here> the *spring* campaign")
    assert "comes back to the place where you asked" in modal_of(world, "U1")
    (asked,) = await world.send()
    assert asked.channel == DESK
    for part in ("Can I advertise", "Ads for wine need a label", "United Kingdom", "Acme Ads", "allowed", "<@U1>"):
        assert part in shown(asked)
    assert "<!channel>" not in shown(asked)
    assert "<!here>" not in shown(asked)

    await world.slack.person("U2").clicks(asked, "I answer this")
    await world.settled()
    now = world.slack.workspace.find(DESK, asked.ts)
    assert now is not None
    assert "Claimed by <@U2>" in shown(now)
    assert "I answer this" not in shown(now)

    await world.slack.person("U2").says("Yes, *if* <!channel> it is labelled.", DESK, asked.ts)
    await world.settled()
    (back,) = await world.send()
    assert (back.channel, back.thread_ts) == ("C1", answer.ts)
    assert "A person answered: <@U2>" in shown(back)
    assert "not a quote from the policies" in shown(back)
    assert "<!channel>" not in shown(back)
    assert all(sign not in shown(back) for sign in "✅⛔⚠️")
    now = world.slack.workspace.find(DESK, asked.ts)
    assert now is not None
    assert "Answered by <@U2>" in shown(now)


async def test_asking_twice_is_asking_once(world: PeopleWorld) -> None:
    answer = await world.answered()
    await world.asks(answer)
    await world.asks(answer)
    assert len(await world.send()) == 1
    await world.asks(answer, user="U3")  # somebody else's question of the same answer
    assert len(await world.send()) == 1


async def test_of_two_who_claim_the_first_has_it(world: PeopleWorld) -> None:
    asked = await escalated(world)
    await world.slack.person("U2").clicks(asked, "I answer this")
    await world.ports.asking.claim(Actor("slack", "T1", "U7"), asked_id(world), DESK)
    await world.settled()
    found = await world.ports.escalations.of(asked_id(world))
    assert found is not None
    assert found.claim is not None
    assert found.claim.named == "U2"


async def test_who_comes_second_is_told(world: PeopleWorld) -> None:
    asked = await escalated(world)
    await world.ports.asking.claim(Actor("slack", "T1", "U2"), asked_id(world), DESK)
    await world.slack.person("U7").clicks(asked, "I answer this")
    await world.settled()
    assert "has it already" in world.slack.person("U7").ephemeral(DESK)[-1].text


def asked_id(world: PeopleWorld) -> str:
    return next(each.subject_id for each in world.posted.kept.values())


async def test_only_the_authors_words_go_back(world: PeopleWorld) -> None:
    asked = await escalated(world)
    for user, text in (("U2", "Yes."), ("U7", "Are you sure?"), ("U2", "I am."), ("U7", "Fine.")):
        world.clock.move(seconds=5)
        await world.slack.person(user).says(text, DESK, asked.ts)
    await world.settled()
    texts = [shown(each) for each in await world.send()]
    assert [("Yes." in each, "I am." in each, "adds" in each) for each in texts] == [
        (True, False, False),
        (False, True, True),
    ]
    assert world.questions == []


async def test_a_member_who_is_at_home_in_another_workspace_of_the_organisation_answers(world: PeopleWorld) -> None:
    asked = await escalated(world)
    await world.slack.person("U6").says("Yes, it may.", DESK, asked.ts)  # Slack's word on him is the rule's
    await world.settled()
    assert [each.text != "" for each in await world.send()] == [True]


async def test_what_is_no_persons_reply_goes_nowhere(world: PeopleWorld) -> None:
    asked = await escalated(world)
    world.slack.other_bot_says("beep", DESK, thread_ts=asked.ts)
    await world.settled()
    mentioned = await world.slack.person("U2").says("@adpolicy and in France?", DESK, asked.ts)
    other = await world.slack.person("U2").says("Good morning", DESK)
    await world.slack.person("U2").says("hello", DESK, other.ts)
    world.rule.says = Admitted.PUBLIC_ONLY  # Slack does not say, or the operator answers outsiders
    stranger = await world.slack.person("U6").says("From another company", DESK, asked.ts)
    await world.settled()
    assert (await world.send(), mentioned.text != "", stranger.text) == ([], True, "From another company")
    found = await world.ports.escalations.of(asked_id(world))
    assert found is not None
    assert found.state is EscalationState.OPEN
    # edits and deletions of the bot's own messages arrive as messages, too
    reply = await world.slack.person("U2").says("Yes.", DESK, asked.ts)
    await world.slack.person("U2").edits(reply, "No.")
    await world.slack.person("U2").deletes(reply)
    await world.settled()
    assert len(await world.send()) == 1


async def test_a_reply_delivered_twice_goes_back_once(world: PeopleWorld) -> None:
    asked = await escalated(world)
    asking, actor = world.ports.asking, Actor("slack", "T1", "U2")
    for _ in range(2):
        assert await asking.reply(actor, asked_id(world), DESK, "17.1", "Yes.")
    assert len(await world.send()) == 1
    assert asked.channel == DESK


async def test_nothing_hidden_reaches_the_channel_where_people_are_asked(world: PeopleWorld) -> None:
    await world.answer("a2", PUBLIC, SECRET, groups=frozenset({"legal"}))
    await world.asks(await world.answered("a2"))
    (asked,) = await world.send()
    for hidden in ("Confidential", "Secret terms", "Hidden agreement", "acme_secret", "allowed"):
        assert hidden not in shown(asked)
    assert "Ads for wine need a label" in shown(asked)
    assert "Parts of the answer are left out" in shown(asked)
    # where all who read it are in the group, it is whole
    world.directory.readers[DESK] = ("U2",)
    found = await world.ports.escalations.of(asked_id(world))
    assert found is not None
    assert "Confidential" in json.dumps(await world.ports.messages.asked(found))
    # and with the directory down, nothing of it
    world.directory.down = True
    assert "Confidential" not in json.dumps(await world.ports.messages.asked(found))


async def test_what_was_answered_for_a_group_has_no_verdict_before_others(world: PeopleWorld) -> None:
    """Whatever it cites: why it is so may stand in what only the group may see."""
    await world.answer("a2", PUBLIC, groups=frozenset({"legal"}))
    await world.asks(await world.answered("a2"))
    (asked,) = await world.send()
    assert "allowed" not in shown(asked)
    assert "Parts of the answer are left out" in shown(asked)


async def test_an_approved_answer_is_told_as_what_a_person_wrote(world: PeopleWorld) -> None:
    await world.answer("a2", approved=True)
    await world.asks(await world.answered("a2"))
    (asked,) = await world.send()
    assert "an approved answer, written by a person" in shown(asked)


async def test_a_private_answers_question_is_answered_privately(world: PeopleWorld) -> None:
    answer = await world.answered(only_to="U1")
    await world.asks(answer)
    (asked,) = await world.send()
    await world.slack.person("U2").says("Between us: yes.", DESK, asked.ts)
    await world.settled()
    (back,) = await world.send()
    assert back.channel == world.slack.person("U1").direct.channel_id
    assert "To your question: Can I advertise" in shown(back)
    assert not any("Between us" in shown(each) for each in world.slack.messages_in("C1"))
    # what the asker writes below it is no answer to himself
    await world.settled()
    await world.slack.person("U1").writes_to_bot("Thanks!", back.ts)
    await world.settled()
    assert [each.text for each in world.questions] == ["Thanks!"]  # to the bot, not to the person
    assert await world.send() == []


async def test_a_user_group_is_called_in_the_channel_itself_and_never_for_a_private_answer(world: PeopleWorld) -> None:
    world.settings.kept["C1"] = ChannelPreferences(escalate_to="S1")
    await world.asks(await world.answered())
    (asked,) = await world.send()
    assert asked.channel == "C1"
    assert "<!subteam^S1>" in shown(asked)
    await world.asks(await world.answered(only_to="U3"), user="U3")
    assert await world.send() == []
    assert "This answer was for you alone" in modal_of(world, "U3")
    world.settings.kept["C1"] = ChannelPreferences(escalate_to=f"{DESK}/S1")
    await world.answer("a3")
    await world.asks(await world.answered("a3", only_to="U3"), user="U3")
    assert [(each.channel, "<!subteam^S1>" in shown(each)) for each in await world.send()] == [(DESK, True)]


async def test_the_askers_own_words_are_no_persons_answer(world: PeopleWorld) -> None:
    world.settings.kept["C1"] = ChannelPreferences(escalate_to="S1")
    await world.asks(await world.answered())
    (asked,) = await world.send()  # in the asker's own channel
    await world.slack.person("U1").says("It is for a campaign in May.", "C1", asked.ts)
    await world.slack.person("U1").clicks(asked, "I answer this")
    await world.settled()
    assert await world.send() == []
    assert "You asked this yourself" in world.slack.person("U1").ephemeral("C1")[-1].text
    found = await world.ports.escalations.of(asked_id(world))
    assert found is not None
    assert (found.state, found.acts) == (EscalationState.OPEN, ())
    await world.slack.person("U2").says("Yes.", "C1", asked.ts)
    await world.settled()
    assert ["Yes." in shown(each) for each in await world.send()] == [True]


async def test_an_answer_that_was_not_shown_here_is_not_asked_about(world: PeopleWorld) -> None:
    """Somebody's private question, by its id alone."""
    for answer_id, shown_in in (("private", ""), ("elsewhere", "C5")):
        await world.answer(answer_id, shown_in=shown_in)
        await world.asks(await world.answered(answer_id), user="U2")
        assert "not kept any more" in modal_of(world, "U2")
        assert await world.send() == []
        await world.asks(await world.answered(answer_id))
        assert len(await world.send()) == 1


async def test_where_nobody_is_named_it_says_so(world: PeopleWorld) -> None:
    world.settings.kept.clear()
    await world.asks(await world.answered())
    assert "Nobody is named" in modal_of(world, "U1")
    assert await world.send() == []


async def test_an_answer_that_is_not_there_or_of_another_workspace_is_not_asked_about(world: PeopleWorld) -> None:
    await world.asks(await world.answered("nobody's"))
    assert "not kept any more" in modal_of(world, "U1")
    assert await world.send() == []


async def saved(world: PeopleWorld, user: str, **values: Any) -> Any:
    """The person's answer of U2, saved by `user`; the state of what is kept afterwards."""
    asked = await escalated(world)
    await world.slack.person("U2").says("Yes, with a label.", DESK, asked.ts)
    await world.settled()
    (back,) = await world.send()
    person = world.slack.person(user)
    await person.clicks(back, "Save as approved answer")
    await world.settled()
    assert person.modal is not None
    filled = {
        "questions": "Can I advertise wine in the UK?",
        "sources": ["1"],
        "shown_by": "Legal desk",
        **values,
    }
    await person.submits(person.modal, filled)
    await world.settled()
    return await SqlCuratedAnswers(world.engine).all()


async def test_who_answered_saves_a_draft(world: PeopleWorld) -> None:
    (kept,) = await saved(world, "U2")
    assert (kept.state, kept.wordings) == (CuratedState.DRAFT, ("Can I advertise wine in the UK?",))
    assert (kept.scope.regions, kept.scope.policy_sources, kept.verdict) == (("uk",), ("acme",), Verdict.ALLOWED)
    assert [each.text for each in kept.statements] == ["Yes, with a label."]
    assert [each.document_id for each in kept.citations] == ["acme_alcohol"]
    assert kept.owner == Owner("slack", "T1", DESK)


async def test_an_admin_of_the_workspace_approves_at_once(world: PeopleWorld) -> None:
    (kept,) = await saved(world, "U3")
    assert kept.state is CuratedState.APPROVED
    assert (kept.approval.by, kept.approval.person) == ("Legal desk", PSEUDONYMS.of(Actor("slack", "T1", "U3")))


async def test_an_admin_of_one_workspace_approves_nothing_for_the_others(tmp_path: Path) -> None:
    """Approved answers are shown in all of them."""
    oauth = OAuthSettings("1.1", "x", "https://b.example", ("commands",), AllowedWorkspaces(frozenset({"T1", "T2"})))
    async with people_world(tmp_path, replace(SETTINGS, oauth=oauth)) as world:
        await world.answer()
        (kept,) = await saved(world, "U3")
        assert kept.state is CuratedState.DRAFT
        assert "whoever runs the bot approves it" in modal_of(world, "U3")


async def test_nobody_else_saves_it(world: PeopleWorld) -> None:
    asked = await escalated(world)
    await world.slack.person("U2").says("Yes.", DESK, asked.ts)
    await world.settled()
    (back,) = await world.send()
    person = world.slack.person("U1")
    await person.clicks(back, "Save as approved answer")
    await world.settled()
    assert "Only the person who answered" in modal_of(world, "U1")
    assert await SqlCuratedAnswers(world.engine).all() == ()
