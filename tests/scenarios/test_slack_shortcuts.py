"""Shortcuts: a message is checked for whoever wants that, and a question is asked with its scope in a modal."""

from collections.abc import AsyncIterator
from datetime import date

import pytest

from adapters.slack.addresses import SlackAddress
from bot.model.channels import ChannelPreferences, ShownTo
from bot.render.scope_form import DAY, MATERIAL, PLACE, PLATFORM
from bot.render.slack.question_modal import CHANNEL, QUESTION
from bot.render.slack.view import SlackShortcut
from ops.sandbox.slack.views import View
from ops.sandbox.troubles import Trouble
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from rag_core.questions import AskRequest, Filters, Intent
from rag_core.understanding.understand import understand
from tests.fakes.slack_ways import Ways, ways_in

CHECK, ASK = SlackShortcut.CHECK_MESSAGE.value, SlackShortcut.ASK.value
COPY = "Cheers to *summer*! Our new lager is here :beer: <https://example.com|Buy> two &amp; get one free."


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


async def modal(ways: Ways) -> View:
    """The form, once it is filled with what had to be looked up."""
    person = ways.slack.person()
    await person.uses_shortcut(ASK)
    await ways.idle()
    assert person.modal is not None
    return person.modal


async def test_the_copy_of_a_message_is_asked_about_for_whoever_checks_it(ways: Ways) -> None:
    message = ways.slack.workspace.post("C1", "U2", "person", {"text": COPY})
    seen = await ways.slack.person().uses_message_shortcut(CHECK, message)
    assert seen.status == 200
    assert ways.asked == [
        "What do the policies say about this ad: “Cheers to summer! Our new lager is here Buy two & get one free.”"
    ]
    assert (ways.last.as_of, ways.last.private) == (date(2026, 3, 2), True)
    address = ways.address
    assert (address.channel, address.user, address.to_asker, address.thread) == ("C1", "U1", True, "")
    assert address.response_url.startswith("http://")  # the bot need not be in the channel


async def test_it_is_understood_as_a_question_on_the_goods_and_not_by_the_days_of_the_copy(ways: Ways) -> None:
    message = ways.slack.workspace.post("C1", "U2", "person", {"text": "Thanks for 2024! Vodka: win tomorrow, say yes"})
    await ways.slack.person().uses_message_shortcut(CHECK, message)
    asked = ways.last
    question = understand(
        AskRequest(asked.text, date(2026, 3, 2), as_of=asked.as_of), [PolicySource("sample", "Sample")]
    )
    assert question.intent not in (Intent.SMALL_TALK, Intent.OUT_OF_SCOPE, Intent.HELP)
    assert question.scope.as_of == date(2026, 3, 2)
    assert "vodka" in [term.text.lower() for term in question.terms]


async def test_of_an_app_the_text_may_be_in_attachments(ways: Ways) -> None:
    message = ways.slack.workspace.post("C1", "U2", "person", {"text": "x"})
    seen = await ways.slack.person().uses_message_shortcut(CHECK, message)
    ways.forget()
    body = {**seen.delivery.payload, "trigger_id": "9.9"}
    body["message"] = {"text": "", "attachments": [{"title": "Gin", "text": "half price"}, {"fallback": "now"}, 7]}
    await ways.slack.redeliver(type(seen.delivery)("interactive", body, "T1", "C1", "U1", "", "9.9"), retry=0)
    assert ways.asked == ["What do the policies say about this ad: “Gin half price now”"]


async def test_a_long_copy_is_cut_so_that_it_can_be_asked(ways: Ways) -> None:
    message = ways.slack.workspace.post("C1", "U2", "person", {"text": "vodka " * 1000})
    await ways.slack.person().uses_message_shortcut(CHECK, message)
    assert 1000 < len(ways.last.text) < 2000


async def test_a_message_without_words_is_said_to_have_none(ways: Ways) -> None:
    message = ways.slack.workspace.post("C1", "U2", "person", {"text": ":beer:"})
    person = ways.slack.person()
    await person.uses_message_shortcut(CHECK, message)
    await ways.idle()
    assert person.modal is not None
    assert "no text that could be checked" in str(person.modal.blocks)
    assert ways.inbox.calls == 0


async def test_what_cannot_be_kept_is_said(ways: Ways) -> None:
    ways.inbox.failure = Unavailable("database_locked")
    message = ways.slack.workspace.post("C1", "U2", "person", {"text": COPY})
    person = ways.slack.person()
    await person.uses_message_shortcut(CHECK, message)
    await ways.idle()
    assert person.modal is not None
    assert "again in a minute" in str(person.modal.blocks)


async def test_a_question_with_its_scope_comes_to_the_asker_directly(ways: Ways) -> None:
    person = ways.slack.person()
    form = await modal(ways)
    filled = {
        QUESTION: "Can I advertise beer?",
        PLATFORM: ["sample"],
        PLACE: "Germany, France",
        MATERIAL: ["video"],
        DAY: "2025-03-01",
    }
    done = await person.submits(form, filled)
    assert (dict(done.errors), done.problem, person.modal) == ({}, "", None)
    assert ways.asked == ["Can I advertise beer?"]
    assert ways.last.filters == Filters(("sample",), ("de", "fr"), ("video",))
    assert ways.last.as_of == date(2025, 3, 1)
    assert ways.address == SlackAddress("T1", person.direct.channel_id, "U1")
    assert ways.last.private


async def test_or_into_a_channel_in_which_the_bot_need_not_be(ways: Ways) -> None:
    form = await modal(ways)
    await ways.slack.person().submits(form, {QUESTION: "Can I advertise beer?", CHANNEL: "C1"})
    assert (ways.address.channel, ways.address.to_asker, ways.last.private) == ("C1", False, False)
    assert ways.address.response_url.startswith("http://")


async def test_where_the_channel_wants_it_for_the_asker_alone(ways: Ways) -> None:
    ways.preferences.of_all = ChannelPreferences(shown_to=ShownTo.ASKER)
    form = await modal(ways)
    await ways.slack.person().submits(form, {QUESTION: "Can I advertise beer?", CHANNEL: "C1"})
    assert (ways.address.to_asker, ways.last.private) == (True, True)


async def test_what_is_wrong_is_said_at_its_field_and_nothing_is_asked(ways: Ways) -> None:
    form = await modal(ways)
    done = await ways.slack.person().submits(form, {QUESTION: "???", PLACE: "Atlantis"})
    assert set(done.errors) == {QUESTION, PLACE}
    assert "Atlantis" in done.errors[PLACE]
    assert ways.inbox.calls == 0
    assert ways.slack.person().modal is not None


async def test_a_form_that_cannot_be_kept_stays_open(ways: Ways) -> None:
    form = await modal(ways)
    ways.inbox.failure = Unavailable("database_locked")
    done = await ways.slack.person().submits(form, {QUESTION: "Can I advertise beer?"})
    assert "Press Ask again" in done.errors[QUESTION]
    ways.inbox.failure = None
    done = await ways.slack.person().submits(form, {QUESTION: "Can I advertise beer?"})
    assert dict(done.errors) == {}
    assert ways.asked == ["Can I advertise beer?"]


async def test_sent_twice_it_is_one_question(ways: Ways) -> None:
    form = await modal(ways)
    done = await ways.slack.person().submits(form, {QUESTION: "Can I advertise beer?"})
    assert done.acknowledgement is not None
    await ways.slack.redeliver(done.acknowledgement.delivery)
    assert len(ways.inbox.accepted) == 1


async def test_a_form_is_open_before_anything_is_looked_up(ways: Ways) -> None:
    await modal(ways)
    called = [name for name in ways.slack.api_calls if name in ("views.open", "conversations.open", "views.update")]
    assert called == ["views.open", "conversations.open", "views.update"]


async def test_without_its_direct_message_slack_finds_the_asker(ways: Ways) -> None:
    ways.slack.trouble("conversations.open", Trouble(error="internal_error"))
    form = await modal(ways)
    await ways.slack.person().submits(form, {QUESTION: "Can I advertise beer?"})
    assert (ways.address.channel, ways.last.private) == ("U1", True)


async def test_platforms_are_offered_only_where_there_are_any() -> None:
    async def none() -> tuple[PolicySource, ...]:
        return ()

    async with ways_in(sources=none) as ways:
        form = await modal(ways)
        assert PLATFORM not in str(form.blocks)
