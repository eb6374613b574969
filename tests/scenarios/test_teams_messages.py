"""Messages, mentions and follow-ups in Teams: activities in, questions in the inbox."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from adapters.teams import events
from adapters.teams.addresses import TeamsAddress, TeamsPlace
from bot.model.messages import InboundQuestion
from bot.model.posted import MessagePlace, Subject
from bot.questions.inbox import Accept, is_kept
from bot.render.teams.welcome import welcome
from rag_core.errors import Misconfigured, Rejected, Unavailable
from tests.fakes.teams import (
    BOT,
    CHANNEL,
    GROUP_CHAT,
    OTHER_TENANT,
    SERVICE_URL,
    TEAM,
    TENANT,
    person_id,
    personal_chat,
    raw_activity,
    user_id,
)
from tests.fakes.teams_ways import (
    IN_CHANNEL,
    ROOT,
    Ways,
    edit,
    in_channel,
    mention,
    no_follow_ups,
    person_mention,
    posted,
    ways_in,
)


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


async def test_a_mention_is_asked_once_and_answered_in_its_thread(ways: Ways) -> None:
    heard = await ways.hears(in_channel("can I advertise alcohol &lt; 0.5% in the UK?", mentions_bot=True, id_=ROOT))
    assert ways.asked == ["can I advertise alcohol < 0.5% in the UK?"]
    assert ways.address == TeamsAddress(
        SERVICE_URL,
        TENANT,
        f"{CHANNEL};messageid={ROOT}",
        TeamsPlace.CHANNEL,
        BOT,
        user_id(1),
        person_id(1),
        TEAM,
        ROOT,
    )
    assert (ways.last.conversation.channel, ways.last.conversation.thread) == (IN_CHANNEL, ROOT)
    assert ways.last.claim_key == heard.claim_key
    assert ways.last.actor.person == person_id(1)
    assert not ways.last.private


async def test_delivered_again_and_by_its_twin_it_is_one_question(ways: Ways) -> None:
    raw = in_channel("beer ads?", mentions_bot=True)
    twin = raw | {"channelData": {**raw["channelData"], "onBehalfOf": []}}  # type: ignore[dict-item]
    for each in (raw, twin, raw):
        await ways.hears(each)
        ways.clock.move(minutes=3)
    assert ways.asked == ["beer ads?"]


async def test_a_post_begins_a_thread_also_where_its_id_does_not_say_so(ways: Ways) -> None:
    raw = in_channel("beer ads?", mentions_bot=True, id_=ROOT)
    await ways.hears(raw | {"conversation": {"id": CHANNEL, "conversationType": "channel"}})
    assert ways.address.conversation_id == f"{CHANNEL};messageid={ROOT}"
    assert ways.last.conversation.thread == ROOT


async def test_one_thread_is_one_conversation_and_another_one_is_another(ways: Ways) -> None:
    await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    await ways.hears(in_channel("in France?", mentions_bot=True, thread=ROOT, by=2))
    assert len({each.conversation for each in ways.inbox.accepted}) == 1
    await ways.hears(in_channel("wine ads?", mentions_bot=True))
    assert len({each.conversation for each in ways.inbox.accepted}) == 2


async def test_everything_in_the_chat_with_the_bot_is_a_question_and_private(ways: Ways) -> None:
    await ways.says("alcohol in the UK")
    await ways.says("what does AdPolicy say?", mentions_bot=True)
    assert ways.asked == ["alcohol in the UK", "what does AdPolicy say?"]
    assert all(each.private for each in ways.inbox.accepted)
    assert len({each.conversation for each in ways.inbox.accepted}) == 1
    assert ways.address.conversation_id == personal_chat(1)


async def test_in_a_group_chat_a_mention_asks_and_nothing_else_does(ways: Ways) -> None:
    place = MessagePlace("teams", TENANT, GROUP_CHAT, "sent-1", person_id(1))
    await ways.posted.save(posted("", place=place))  # what was answered there makes no thread of it
    await ways.says("can we advertise beer?", where=GROUP_CHAT)
    await ways.says("beer ads?", where=GROUP_CHAT, mentions_bot=True)
    await ways.says("and in France?", where=GROUP_CHAT)
    await ways.says("wine ads?", where=GROUP_CHAT, mentions_bot=True, by=2)
    assert ways.asked == ["beer ads?", "wine ads?"]
    assert not ways.last.private
    assert len({each.conversation for each in ways.inbox.accepted}) == 2  # what one asks is not gone on with by others


async def test_a_bare_mention_asks_for_help(ways: Ways) -> None:
    await ways.hears(in_channel("", mentions_bot=True))
    assert ways.asked == ["help"]


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("ask <at>AdPolicy</at> about that", [mention()]),
        ("<at>Person 2</at> can you ask <at>AdPolicy</at>?", [person_mention(2), mention()]),
        ("thanks <at>AdPolicy</at>", [mention()]),
        ("<at>AdPolicy</at> thanks!", [mention()]),
        ("just a sentence", []),
        ("can we advertise beer in France?", []),
    ],
)
async def test_what_is_said_about_the_bot_or_to_others_is_not_answered(
    ways: Ways, text: str, entities: list[dict[str, object]]
) -> None:
    await ways.hears(in_channel(text, entities=entities))
    assert ways.inbox.calls == 0
    assert ways.outbound.written == []


async def test_in_a_thread_with_the_bot_a_question_needs_no_mention(ways: Ways) -> None:
    await ways.hears(in_channel("can I advertise alcohol in the UK?", mentions_bot=True, id_=ROOT))
    await ways.hears(in_channel("and in France?", thread=ROOT, by=2))
    await ways.hears(in_channel("I will ask legal tomorrow", thread=ROOT, by=2))
    await ways.hears(in_channel("<at>Person 3</at> and in Spain?", thread=ROOT, entities=[person_mention(3)]))
    assert ways.asked[1:] == ["and in France?"]
    assert ways.last.actor.person == person_id(2)


async def test_so_it_does_in_one_that_it_answered_in_days_ago(ways: Ways) -> None:
    await ways.posted.save(posted(ROOT))
    await ways.hears(in_channel("and in France?", thread=ROOT))
    assert ways.asked == ["and in France?"]


@pytest.mark.parametrize("why", ["elsewhere", "new post", "alert", "switched off", "not known", "bot unknown"])
async def test_nowhere_else_does_it(ways: Ways, why: str) -> None:
    await ways.posted.save(posted(ROOT, Subject.ALERT if why == "alert" else Subject.ANSWER))
    ways.posted.down = why == "bot unknown"
    ways.preferences.down = why == "not known"
    if why == "switched off":
        ways.preferences.of_all = no_follow_ups()
    thread = {"elsewhere": str(int(ROOT) - 1), "new post": ""}.get(why, ROOT)
    await ways.hears(in_channel("and in France?", thread=thread))
    assert ways.inbox.calls == 0


@pytest.mark.parametrize(
    "sender",
    [
        {"id": BOT, "name": "AdPolicy"},
        {"id": "28:another-bot", "name": "Other"},
        {"id": user_id(1), "role": "bot"},
    ],
)
async def test_the_bot_answers_neither_itself_nor_other_bots(ways: Ways, sender: dict[str, object]) -> None:
    await ways.says("beer ads?", **{"from": sender})
    await ways.hears(in_channel("beer ads?", mentions_bot=True, **{"from": sender}))
    await ways.hears(edit("beer ads?", ROOT) | {"from": sender})
    assert ways.inbox.calls == 0
    assert ways.known.saved == 0
    assert ways.outbound.written == []


async def test_nor_itself_by_whatever_id_teams_calls_it(ways: Ways) -> None:
    itself = {"id": "a-bot-of-another-form", "name": "AdPolicy"}
    await ways.hears(raw_activity("beer ads?") | {"from": itself, "recipient": itself})
    assert ways.inbox.calls == 0


@pytest.mark.parametrize("kind", ["messageReaction", "typing", "event", "endOfConversation", "handoff", "trace"])
async def test_what_is_no_message_is_acknowledged_and_ignored(ways: Ways, kind: str) -> None:
    await ways.says("beer ads?", kind=kind)
    assert ways.inbox.calls == 0
    assert ways.outbound.written == []


@pytest.mark.parametrize("more", [{}, {"value": {"anything": "1"}}, {"text": None}, {"text": "&nbsp;\u200b"}])
async def test_a_message_without_words_is_ignored(ways: Ways, more: dict[str, Any]) -> None:
    await ways.hears(raw_activity("") | more)
    await ways.hears(in_channel("") | more)
    assert ways.inbox.calls == 0
    assert ways.outbound.written == []


FILE = {"contentType": "application/vnd.microsoft.teams.file.download.info", "name": "brief.pdf"}


async def test_a_file_alone_is_answered_with_what_is_read(ways: Ways) -> None:
    raw = raw_activity("", attachments=[FILE])
    for _ in range(2):
        await ways.hears(raw)
    await ways.hears(in_channel("", attachments=[FILE]))  # said to nobody
    assert ways.inbox.calls == 0
    assert len(ways.told) == 1
    assert "questions that are typed" in ways.told[0]
    await ways.hears(in_channel("", mentions_bot=True, attachments=[FILE]))
    assert len(ways.told) == 2


async def test_a_question_with_files_is_answered_and_they_are_said_to_be_unread(ways: Ways) -> None:
    picture = {"contentType": "image/*"}
    raw = in_channel("is this allowed in the UK?", mentions_bot=True, attachments=[FILE, picture])
    for _ in range(2):
        await ways.hears(raw)
    assert ways.asked == ["is this allowed in the UK?"]
    [told] = ways.told
    assert "brief.pdf and 1 more" in told
    assert "was not read" in told


async def test_a_click_on_a_first_question_asks_without_a_mention(ways: Ways) -> None:
    card: Any = welcome(ways.starters, alone=False, name="AdPolicy")["attachments"]
    button = card[0]["content"]["actions"][0]["data"]["msteams"]
    assert button["type"] == "messageBack"
    await ways.hears(in_channel(button["text"], value=button["value"], by=2))
    assert ways.asked == [ways.starters[0]]
    assert ways.last.actor.person == person_id(2)


async def test_what_is_for_the_asker_alone_is_answered_in_his_own_chat(ways: Ways) -> None:
    await ways.says("hello there")  # his chat is known from it
    await ways.hears(in_channel("private can we advertise cannabis?", mentions_bot=True, id_=ROOT))
    assert ways.asked[1:] == ["can we advertise cannabis?"]
    assert ways.last.private
    assert (ways.address.place, ways.address.conversation_id) == (TeamsPlace.PERSONAL, personal_chat(1))
    assert (ways.address.team, ways.address.asked_in) == ("", "")
    [told] = ways.outbound.written
    assert told.to.conversation == f"{CHANNEL};messageid={ROOT}"
    assert "cannabis" not in str(told.activity)
    await ways.hears(in_channel("and in France?", thread=ROOT, by=2))  # no question of others is completed by it
    assert len(ways.inbox.accepted) == 2


async def test_his_chat_is_opened_where_none_is_known(ways: Ways) -> None:
    await ways.hears(in_channel("private can we advertise cannabis?", mentions_bot=True))
    assert ways.address.conversation_id == f"a:chat-of-{person_id(1)}"


@pytest.mark.parametrize(
    "trouble",
    [Rejected("teams_channel_closed"), Unavailable("teams_unreachable"), Misconfigured("secret_key_wrong")],
)
async def test_where_he_has_none_nobody_is_answered_and_he_is_told(ways: Ways, trouble: Any) -> None:
    ways.outbound.troubles.append(trouble)
    await ways.hears(in_channel("private can we advertise cannabis?", mentions_bot=True))
    assert ways.inbox.calls == 0
    assert "was not taken" in ways.told[0]
    assert "cannabis" not in ways.told[0]


async def test_nor_where_nobody_can_be_reached_by_what_is_known(ways: Ways) -> None:
    await ways.says("hello there")
    known = ways.known.rows[personal_chat(1)]
    ways.known.rows[personal_chat(1)] = replace(known, reference={"conversation": personal_chat(1)})
    await ways.hears(in_channel("private can we advertise cannabis?", mentions_bot=True))
    assert ways.asked == ["hello there"]
    assert "was not taken" in ways.told[0]


async def test_somebody_without_object_id_gets_no_chat_of_his_own(ways: Ways) -> None:
    sender = {"id": "29:federated", "name": "Person 9"}
    await ways.hears(in_channel("private can we advertise cannabis?", mentions_bot=True, **{"from": sender}))
    assert ways.inbox.calls == 0


@pytest.mark.parametrize(
    "sender",
    [
        {"id": "29:federated"},
        {"id": user_id(1), "aadObjectId": person_id(1), "tenantId": OTHER_TENANT},
        {"id": user_id(1), "aadObjectId": person_id(1), "role": "guest"},
    ],
)
async def test_what_a_message_says_of_its_writer_goes_with_the_question(ways: Ways, sender: dict[str, object]) -> None:
    await ways.hears(in_channel("beer ads?", mentions_bot=True, **{"from": sender}))
    assert ways.address.outside == "person"
    assert ways.last.actor.person in (person_id(1), "29:federated")


async def test_a_store_that_does_not_answer_is_said_to_the_writer(ways: Ways) -> None:
    ways.inbox.failure = Unavailable("database_locked")
    await ways.hears(in_channel("beer ads?", mentions_bot=True))
    assert "send it again" in ways.told[0]


async def test_a_store_that_hangs_is_not_waited_for(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "is_kept", _impatient)
    ways.inbox.before = asyncio.Event().wait
    await asyncio.wait_for(ways.hears(in_channel("beer ads?", mentions_bot=True)), 3)
    assert "send it again" in ways.told[0]


async def _impatient(accept: Accept, question: InboundQuestion, seconds: float) -> bool:
    return await is_kept(accept, question, 0.05)


# where the bot may speak by itself


async def test_conversations_are_remembered_from_messages_once_an_hour(ways: Ways) -> None:
    for minutes in (0, 20, 20, 30):
        ways.clock.move(minutes=minutes)
        await ways.hears(in_channel("nothing for the bot"))
    assert ways.known.saved == 2
    kept = ways.known.rows[IN_CHANNEL]
    assert kept.reference == {"service_url": SERVICE_URL, "tenant": TENANT, "conversation": CHANNEL, "bot": BOT}
    assert (kept.person, kept.installed_by, kept.seen_at) == ("", "", ways.clock())


async def test_and_at_once_where_teams_is_reached_at_another_address(ways: Ways) -> None:
    await ways.says("hello")
    await ways.says("hello", serviceUrl="https://smba.example/amer/")
    kept = ways.known.rows[personal_chat(1)]
    assert (kept.reference["service_url"], kept.person) == ("https://smba.example/amer/", person_id(1))


async def test_that_they_cannot_be_remembered_keeps_no_question_from_being_asked(ways: Ways) -> None:
    ways.known.down = True
    await ways.says("beer ads?")
    assert ways.asked == ["beer ads?"]


async def test_the_chat_of_somebody_of_another_organisation_is_nobodys(ways: Ways) -> None:
    await ways.says("beer ads?", **{"from": {"id": user_id(1), "aadObjectId": person_id(1), "role": "guest"}})
    assert ways.known.rows[personal_chat(1)].person == ""


async def test_a_mention_beside_nothing_but_a_file_is_told_what_is_read(ways: Ways) -> None:
    file = {"contentType": "application/vnd.microsoft.teams.file.download.info", "name": "ad.pdf"}
    await ways.hears(in_channel("", mentions_bot=True, attachments=[file]))
    assert (ways.asked, len(ways.told)) == ([], 1)
    await ways.hears(in_channel("", mentions_bot=True))
    assert len(ways.asked) == 1
