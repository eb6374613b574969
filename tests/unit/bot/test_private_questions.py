"""Whether only the asker reads the reply: from the inbox, and what is kept beside it, to what may be shown."""

from dataclasses import replace
from typing import Any

import pytest

from bot.access.groups import Access
from bot.model.messages import Conversation, InboundQuestion
from bot.ports import InboxEntry, InboxState
from bot.questions.answerer import Asked, Asking
from bot.questions.spool import entry_from, entry_json
from tests.fakes.clock import FakeClock
from tests.fakes.directories import FakeDirectory
from tests.fakes.questions import NOON, make_question
from tests.fakes.shared_services import FakeRecords
from tests.unit.bot.test_asking import ACTOR, FakeAsker

GROUP = "slack:T1/usergroup/S1"
HERE = Conversation("slack", "T1", "C1", "1.1")


class Made:
    def __init__(self) -> None:
        self.asker, self.records = FakeAsker(), FakeRecords()
        self.directory = FakeDirectory({"U1": frozenset({GROUP})}, {"C1": ("U1", "U2"), "C2": ("U1",)})
        self.asking = Asking(
            self.asker,
            self.records,
            shape=lambda answer_id, reply, _: {"answer_id": answer_id, "degraded": list(reply.degraded)},
            now=FakeClock(NOON),
            new_id=lambda: "a1",
            deadline_seconds=5.0,
            access=Access({"legal": frozenset({GROUP})}, {"slack": self.directory}),
        )

    async def groups(self, **changes: Any) -> frozenset[str]:
        """Those that the answer is looked for with."""
        await self.asking.ask(replace(Asked("alcohol?", ACTOR, "slack", conversation=HERE), **changes))
        return self.asker.requests[-1].groups


async def test_alone_the_asker_sees_what_he_may_and_before_others_what_they_may() -> None:
    made = Made()
    assert await made.groups(private=True) == {"legal"}
    assert await made.groups(private=False) == frozenset()
    assert await made.groups(conversation=Conversation("slack", "T1", "C2")) == {"legal"}


async def test_groups_that_the_caller_knows_are_asked_of_nobody() -> None:
    made = Made()
    assert await made.groups(groups=frozenset({"hr"})) == {"hr"}
    assert await made.groups(groups=frozenset()) == frozenset()
    assert made.directory.calls == []


async def test_a_silent_directory_leaves_public_documents_and_the_reply_and_the_record_say_so() -> None:
    made = Made()
    made.directory.down = True
    answered = await made.asking.ask(Asked("alcohol?", ACTOR, "slack", private=True))
    assert made.asker.requests[0].groups == frozenset()
    assert "groups" in answered.reply.degraded
    assert "groups" in str(made.records.saved["a1"].reply["degraded"])


@pytest.mark.parametrize("private", [True, False])
def test_what_waits_in_the_spool_keeps_it(private: bool) -> None:
    entry = InboxEntry(replace(make_question(), private=private), InboxState.ACCEPTED)
    written = entry_json(entry)
    assert entry_from(written) == entry
    question: Any = written["question"]
    del question["private"]  # as an older version wrote it
    assert entry_from(written).question.private is False


def test_a_question_is_not_private_unless_somebody_says_so() -> None:
    assert InboundQuestion.__dataclass_fields__["private"].default is False
    assert Asked("alcohol?", ACTOR, "slack").private is False


@pytest.mark.parametrize(
    ("asked", "shown_in"),
    [
        ({"conversation": HERE}, "C1"),
        ({"conversation": HERE, "private": True}, None),
        ({"conversation": Conversation("slack", "T1", ACTOR.person)}, None),  # kept under a pseudonym
        ({}, None),
    ],
)
async def test_the_record_says_where_an_answer_is_seen_by_others(asked: dict[str, Any], shown_in: str | None) -> None:
    made = Made()
    await made.asking.ask(Asked("alcohol?", ACTOR, "slack", **asked))
    [record] = made.records.saved.values()
    notes: Any = (record.trace or {})["notes"]
    assert notes.get("shown_in") == shown_in
