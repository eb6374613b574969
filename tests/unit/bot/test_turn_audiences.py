"""What was answered for some is no history, no background and no prompt of a question by others in the same thread."""

import json
from typing import Any

import pytest

from bot.model.memory import MOST_TURNS, entry_of, open_to, turn_from, turn_of
from bot.questions.answerer import Asking
from rag_core.documents import Classification
from rag_core.generation.follow_ups import FollowUpWriter
from rag_core.generation.reader import LanguageModelReader
from rag_core.ports import ModelRequest
from rag_core.questions import Background
from tests.fakes.conversing import HERE, Made, asked
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.keepers import make_turn
from tests.fakes.model import FakeModel
from tests.fakes.policies import open_desk
from tests.fakes.replies import answer

LEGAL, BOTH = frozenset({"legal"}), frozenset({"legal", "hr"})
NOBODY: frozenset[str] = frozenset()
NOTHING = json.dumps({"answers": "yes", "missing": [], "statements": []})
SECRET = make_write(
    make_version("acme_merger", classification=Classification.RESTRICTED, allowed_groups=LEGAL),
    [Section("Zeppelins", "Ads for zeppelins are not allowed.", regions=("uk",))],
)
PUBLIC = make_write(sections=[Section("Kites", "Ads for kites are not allowed.", regions=("fr",))])


async def test_somebody_without_the_group_asks_on_as_if_nothing_had_been_said() -> None:
    made = Made()
    await made.asking.ask(asked("zeppelins in the UK", groups=LEGAL))
    await made.asking.ask(asked("and in France?", groups=NOBODY))
    assert (made.asker.requests[1].history, made.asker.requests[1].background) == ((), Background())
    [_, turn] = await made.fast.recall(HERE)
    assert (turn.understood, turn.before, turn.needed) == ("and in France?", Background(), ())


async def test_who_is_in_all_the_groups_is_told_what_was_said() -> None:
    made = Made()
    await made.asking.ask(asked("zeppelins in the UK", groups=LEGAL))
    await made.asking.ask(asked("and in France?", groups=BOTH))
    await made.asking.ask(asked("and in Spain?", groups=LEGAL))
    assert [each.content for each in made.asker.requests[1].history] == ["zeppelins in the UK"]
    assert made.asker.requests[1].background.document_ids == ("sample_alcohol",)
    assert [each.content for each in made.asker.requests[2].history] == ["zeppelins in the UK"]


async def test_what_was_answered_for_everybody_stays_for_everybody() -> None:
    made = Made()
    await made.asking.ask(asked("kites in the UK", groups=NOBODY))
    await made.asking.ask(asked("zeppelins in the UK", groups=LEGAL))
    await made.asking.ask(asked("and in France?", groups=NOBODY))
    assert [each.content for each in made.asker.requests[2].history] == ["kites in the UK"]


@pytest.mark.parametrize("kept", ["fast", "durable"])
async def test_it_does_not_come_back_from_either_memory_or_long_afterwards(kept: str) -> None:
    made = Made()
    made.asker.reply = answer()
    await made.asking.ask(asked("zeppelins", groups=LEGAL))
    getattr(made, "durable" if kept == "fast" else "fast").turns.clear()
    for number in range(MOST_TURNS + 2):
        made.asker.reply = answer(statements=(), citations=(), verdicts=())
        await made.asking.ask(asked(f"kites {number}", groups=NOBODY))
    for request in made.asker.requests[1:]:
        assert request.background.document_ids == ()
        assert "zeppelins" not in str(request)


async def test_a_group_that_was_lost_takes_the_own_turns_with_it() -> None:
    made = Made()
    await made.asking.ask(asked("zeppelins", groups=LEGAL))
    await made.asking.ask(asked("and there?", groups=NOBODY))
    await made.asking.ask(asked("and there?", groups=frozenset({"hr"})))
    assert "zeppelins" not in str(made.asker.requests[1:])


def test_of_a_turn_that_does_not_say_whom_it_is_for_nothing_is_read() -> None:
    turn = make_turn(needed=("legal",))
    assert turn_from(turn.to_json()) == turn
    written = {name: value for name, value in turn.to_json().items() if name != "needed"}
    assert turn_of(json.dumps(written)) is None
    assert turn_of(entry_of(turn) or "") == turn


def test_only_who_has_every_group_is_told() -> None:
    turns = [make_turn(1), make_turn(2, needed=("legal",)), make_turn(3, needed=("hr", "legal"))]
    assert [len(open_to(groups, turns)) for groups in (NOBODY, LEGAL, frozenset({"hr"}), BOTH)] == [1, 2, 1, 3]


def _model() -> FakeModel:
    def said(request: ModelRequest) -> str:
        return json.dumps({"question": "zeppelins in France?"}) if "follow-up" in request.system else NOTHING

    return FakeModel(said)


def _asking(made: Made, model: FakeModel) -> Asking:
    desk = open_desk(
        SECRET, PUBLIC, language_model=LanguageModelReader(model, 5.0), follow_ups=FollowUpWriter(model, 4.0)
    )
    made.asker = desk.asker  # type: ignore[assignment]
    return made.process()


async def test_no_model_reads_it_and_no_question_is_completed_from_it() -> None:
    made, model = Made(), _model()
    asking = _asking(made, model)
    first = await asking.ask(asked("can I advertise zeppelins in the UK?", groups=LEGAL))
    assert "zeppelins" in str(first.reply)
    model.requests.clear()
    other = await asking.ask(asked("and in France?", groups=NOBODY))
    told: Any = [other.reply, other.trace, model.requests]
    assert "zeppelin" not in str(told).lower()
    assert other.reply.rewritten_question is None
    again = await asking.ask(asked("and in France?", groups=LEGAL))
    assert "zeppelins" in str(again.reply.rewritten_question)
