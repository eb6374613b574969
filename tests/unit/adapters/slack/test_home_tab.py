"""The home tab: everybody's own, fresh, within limits, and nothing that he may not know."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.commands.home import Home, RecentQuestion, SourceStatus
from bot.model.messages import Actor
from bot.render.slack.home import HOME_BLOCKS, home_view
from ops.sandbox.slack.block_kit import Surface, check_view
from ops.sandbox.slack.people import BOT, Channel
from ops.sandbox.slack.views import View
from ops.sandbox.troubles import Trouble
from rag_core.errors import Unavailable
from tests.fakes.slack import NOW
from tests.fakes.slack_channels import LEGAL, ChannelDesk, channel_desk, subscription

U1 = Actor("slack", "T1", "U1")


@pytest.fixture
async def desk() -> AsyncIterator[ChannelDesk]:
    async with channel_desk() as made:
        yield made


def shown(view: View) -> str:
    return str(view.blocks)


async def test_everything_is_there(desk: ChannelDesk) -> None:
    desk.reading.asks(U1, "can I advertise kites?")
    home = shown(await desk.home())
    for word in (
        "can I advertise kites?",
        "What are the rules on kites?",
        "Acme &lt;Ads&gt;",
        "tried again",
        "Ask again",
    ):
        assert word in home


async def test_questions_are_ones_own_alone(desk: ChannelDesk) -> None:
    desk.reading.asks(U1, "my private worry")
    assert "my private worry" in shown(await desk.home("U1"))
    assert "my private worry" not in shown(await desk.home("U2"))
    assert "my private worry" not in shown(await desk.home("U1", "T2"))


async def test_every_opening_reads_anew(desk: ChannelDesk) -> None:
    await desk.home()
    desk.reading.asks(U1, "asked since then")
    assert "asked since then" in shown(await desk.home())


async def test_only_the_home_tab_is_published(desk: ChannelDesk) -> None:
    await desk.slack.person("U1").opens_home("messages")
    await desk.settled()
    assert desk.slack.calls_of("views.publish") == []


async def test_questions_to_begin_with_are_of_what_the_person_may_see(desk: ChannelDesk) -> None:
    desk.directory.people["U1"] = frozenset({LEGAL})
    assert "rules on legal" in shown(await desk.home("U1"))
    assert "rules on legal" not in shown(await desk.home("U2"))


async def test_subscriptions_are_those_of_channels_that_the_person_is_in(desk: ChannelDesk) -> None:
    for channel, members in (("G1", {"U1", BOT}), ("G2", {"U2", BOT})):
        desk.slack.workspace.channels[channel] = Channel(channel, channel.lower(), frozenset(members), is_private=True)
    desk.subscriptions.kept = [subscription("G1", 1), subscription("G2", 2), subscription("G1", 3, "T2")]
    home = shown(await desk.home())
    assert "<#G1>: United Kingdom and Acme &lt;Ads&gt;, weekly" in home
    assert "G2" not in home
    assert "None of your channels does" in shown(await desk.home("U1", "T2"))


@pytest.mark.parametrize("user", ["U4", "U6"])
async def test_guests_and_strangers_hear_why_there_is_nothing(desk: ChannelDesk, user: str) -> None:
    home = shown(await desk.home(user))
    assert "only its own members" in home
    assert "kites" not in home
    assert "Acme" not in home


async def test_where_the_operator_allows_it_guests_see_what_is_public() -> None:
    async with channel_desk(external=True) as desk:
        desk.directory.people["U4"] = frozenset({LEGAL})
        home = shown(await desk.home("U4"))
    assert "rules on kites" in home
    assert "rules on legal" not in home


async def test_what_is_down_is_said_and_the_rest_is_there(desk: ChannelDesk) -> None:
    desk.reading.down = True
    desk.down.append("platforms")
    home = shown(await desk.home())
    assert "could not be read just now" in home
    assert "rules on kites" in home


async def test_a_click_asks_in_the_direct_message(desk: ChannelDesk) -> None:
    home = await desk.home()
    person = desk.slack.person("U1")
    seen = await person.clicks(home, "What are the rules on kites?")
    assert seen.status == 200
    [question] = desk.inbox.accepted
    assert question.text == "What are the rules on kites?"
    assert question.private
    assert question.conversation.channel == person.direct.channel_id
    assert (question.actor, question.reply_address.kind) == (U1, "slack.message")
    await desk.slack.redeliver(seen.delivery)
    assert len(desk.inbox.accepted) == 1


async def test_while_slack_does_not_open_the_message_the_question_is_kept_all_the_same(desk: ChannelDesk) -> None:
    home = await desk.home()
    desk.slack.trouble("conversations.open", Trouble(500), times=5)
    await desk.slack.person("U1").clicks(home, "What are the rules on kites?")
    assert [each.conversation.channel for each in desk.inbox.accepted] == ["U1"]


async def test_a_question_that_cannot_be_kept_is_not_acknowledged_in_silence(desk: ChannelDesk) -> None:
    home = await desk.home()
    desk.inbox.failure = Unavailable("store_unreachable")
    person = desk.slack.person("U1")
    seen = await person.clicks(home, "What are the rules on kites?")
    await desk.settled()
    assert seen.status == 200
    assert person.modal is not None
    assert "could not be taken" in str(person.modal.body)


async def test_what_people_and_documents_wrote_does_nothing(desk: ChannelDesk) -> None:
    evil = "<!channel> <@U2> <https://evil.example|click> *bold*"
    desk.reading.asks(U1, evil)
    desk.reading.sources = (SourceStatus(evil, NOW, failing=False),)
    home = shown(await desk.home())
    texts = home.replace(f"'value': '{evil}'", "").replace(f"'text': 'Ask again: {evil[:50]}", "")
    for sign in ("<!channel>", "<@U2>", "<https"):
        assert f"mrkdwn', 'text': '{sign}" not in texts
    assert "&lt;!channel&gt;" in home


def test_it_keeps_slacks_limits_whatever_there_is() -> None:
    long = "ü&<" * 900
    home = Home(
        tuple(RecentQuestion(str(n), f"{long}{n}", NOW) for n in range(60)),
        tuple(f"{n} {'why ' * 300}?" for n in range(60)),
        tuple(replace(subscription(f"C{n}", n)) for n in range(80)),
        tuple(SourceStatus(f"{long}{n}", NOW, failing=True) for n in range(80)),
    )
    view = home_view(home, {})
    assert check_view(view, Surface.HOME) is None
    blocks = view["blocks"]
    assert isinstance(blocks, list)
    assert len(blocks) <= HOME_BLOCKS
    assert check_view(home_view(Home((), (), (), ()), {}), Surface.HOME) is None
    assert check_view(home_view(Home(), {}), Surface.HOME) is None
