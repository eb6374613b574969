"""Questions in Teams that are edited or deleted: asked again in the place of the first, or not answered."""

from collections.abc import AsyncIterator

import pytest

from rag_core.errors import Unavailable
from tests.fakes.teams import (
    CHANNEL,
    TENANT,
    person_id,
)
from tests.fakes.teams_ways import IN_CHANNEL, ROOT, Ways, deletion, edit, in_channel, ways_in


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


async def test_an_edited_question_is_asked_again_in_the_place_of_the_first(ways: Ways) -> None:
    first = await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    raw = edit("beer ads in France?", ROOT, where=CHANNEL, mentions_bot=True)
    for _ in range(2):
        await ways.hears(raw)
    assert ways.asked == ["beer ads in France?"]
    assert (ways.address.edits, ways.address.asked_in) == (True, ROOT)
    assert ways.last.conversation == ways.inbox.accepted[0].conversation
    assert first.claim_key in ways.inbox.withdrawn


async def test_of_several_edits_the_last_one_stands(ways: Ways) -> None:
    await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    for minute, text in enumerate(("wine ads?", "cider ads?", "beer ads?"), 1):
        await ways.hears(edit(text, ROOT, f"2026-03-02T09:0{minute}:00Z", where=CHANNEL, mentions_bot=True))
    assert ways.asked == ["beer ads?"]
    assert len(ways.inbox.accepted) == 4


FIRST, SECOND = "2026-03-02T09:01:00.9Z", "2026-03-02T09:01:01Z"


@pytest.mark.parametrize("order", [(FIRST, SECOND, FIRST), (SECOND, FIRST), (SECOND, FIRST, SECOND, FIRST)])
async def test_the_last_edit_stands_in_whatever_order_they_come(ways: Ways, order: tuple[str, ...]) -> None:
    texts = {FIRST: "wine ads?", SECOND: "cider ads?"}
    await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    for at in order:
        await ways.hears(edit(texts[at], ROOT, at, where=CHANNEL, mentions_bot=True))
    assert ways.asked == ["cider ads?"]


async def test_of_two_edits_that_two_workers_take_at_once_the_last_one_stands(ways: Ways) -> None:
    """The first is found to be the last, and is kept only when the second has been."""
    late = edit("wine ads?", ROOT, FIRST, where=CHANNEL, mentions_bot=True)
    later = edit("cider ads?", ROOT, SECOND, where=CHANNEL, mentions_bot=True)
    delivered: list[int] = []

    async def the_other_worker() -> None:
        ways.inbox.before = None
        delivered.append(await ways.deliver(later))

    ways.inbox.before = the_other_worker
    await ways.hears(late)
    assert (delivered, ways.asked) == ([200], ["cider ads?"])


async def test_of_an_edit_that_was_edited_since_nothing_is_kept_or_told(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    await ways.hears(edit("cider ads?", ROOT, SECOND))
    await ways.hears(edit("wine ads?", ROOT, FIRST))
    await ways.hears(edit("as of someday soon: wine ads?", ROOT, "2026-03-02T09:00:30Z"))
    assert ([each.text for each in ways.inbox.accepted], ways.told) == (["beer ads?", "cider ads?"], [])


async def test_an_edit_that_does_not_say_when_it_was_made_is_asked(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    await ways.hears(edit("wine ads?", ROOT, FIRST))
    await ways.hears(edit("cider ads?", ROOT, "some time"))
    assert ways.asked == ["cider ads?"]


async def test_an_edit_that_comes_behind_its_deletion_is_not_answered(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    await ways.hears(deletion(ROOT, at=SECOND))
    await ways.hears(edit("wine ads?", ROOT, FIRST))
    assert ways.asked == []


async def test_a_deletion_that_comes_again_takes_back_nothing_that_came_back(ways: Ways) -> None:
    heard = await ways.says("beer ads?", id_=ROOT)
    ways.inbox.taken.add(heard.claim_key)
    await ways.hears(deletion(ROOT, at=FIRST))
    await ways.hears(edit("beer ads?", ROOT, SECOND, event="undeleteMessage"))
    ways.removed.clear()
    await ways.hears(deletion(ROOT, at=FIRST))
    assert (ways.asked, ways.removed) == (["beer ads?"], [])


async def test_a_message_that_becomes_a_question_by_an_edit_is_one(ways: Ways) -> None:
    await ways.hears(in_channel("beer ads?", id_=ROOT))
    await ways.hears(edit("beer ads?", ROOT, where=CHANNEL, mentions_bot=True))
    assert ways.asked == ["beer ads?"]


async def test_an_old_question_is_not_asked_again(ways: Ways) -> None:
    await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    ways.clock.move(minutes=11)
    await ways.hears(edit("wine ads?", ROOT, where=CHANNEL, mentions_bot=True))
    assert ways.asked == ["beer ads?"]


@pytest.mark.parametrize("id_", ["f:abc", "9" * 400, "1.5"])
async def test_of_an_id_that_is_no_moment_nobody_knows_that_it_is_old(ways: Ways, id_: str) -> None:
    await ways.says("beer ads?", id_=id_)
    ways.clock.move(minutes=11)
    await ways.hears(edit("wine ads?", id_))
    assert ways.asked == ["wine ads?"]


@pytest.mark.parametrize("text", ["thanks all", "I told AdPolicy"])
async def test_an_edit_that_is_no_question_changes_nothing(ways: Ways, text: str) -> None:
    await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    await ways.hears(edit(text, ROOT, where=CHANNEL))
    await ways.hears(edit("wine ads?", ROOT, where=CHANNEL, mentions_bot=True, event="somethingElse"))
    assert ways.asked == ["beer ads?"]


async def test_an_edit_that_could_not_be_kept_withdraws_nothing(ways: Ways) -> None:
    await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    ways.inbox.failure = Unavailable("database_locked")
    await ways.hears(edit("wine ads?", ROOT, where=CHANNEL, mentions_bot=True))
    assert ways.asked == ["beer ads?"]
    assert "send it again" in ways.told[0]


async def test_a_deleted_question_that_waits_is_not_answered(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    for _ in range(2):
        await ways.hears(deletion(ROOT))
    assert ways.asked == []


async def test_nor_any_of_its_edits(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    await ways.hears(edit("wine ads?", ROOT))
    await ways.hears(deletion(ROOT))
    assert ways.asked == []


async def test_nor_one_that_comes_after_its_deletion(ways: Ways) -> None:
    await ways.hears(deletion(ROOT))
    await ways.says("beer ads?", id_=ROOT)
    assert ways.asked == []


async def test_the_answer_to_a_deleted_question_is_removed(ways: Ways) -> None:
    heard = await ways.hears(in_channel("beer ads?", mentions_bot=True, id_=ROOT))
    ways.inbox.taken.add(heard.claim_key)  # it is answered, or being answered
    await ways.hears(deletion(ROOT, where=CHANNEL))
    [where] = ways.removed
    assert (where.conversation.channel, where.asked_in, where.person) == (IN_CHANNEL, ROOT, person_id(1))


async def test_one_that_still_waited_has_no_answer_to_be_removed(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    await ways.hears(deletion(ROOT))
    assert ways.removed == []


async def test_a_deletion_that_is_none_removes_nothing(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    await ways.hears(deletion(ROOT) | {"channelData": {"tenant": {"id": TENANT}}})
    assert ways.asked == ["beer ads?"]


async def test_a_question_that_comes_back_is_asked_again(ways: Ways) -> None:
    await ways.says("beer ads?", id_=ROOT)
    await ways.hears(deletion(ROOT))
    await ways.hears(edit("beer ads?", ROOT, event="undeleteMessage"))
    assert ways.asked == ["beer ads?"]
    assert ways.address.edits
