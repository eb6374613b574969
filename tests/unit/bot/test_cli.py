"""`python -m bot ask|chat`: formats, filters, exit codes, turns."""

import io
import json
from datetime import date

import pytest

from bot import terminal
from bot.model.links import Links
from bot.questions.answerer import Answered, Asked
from ops.sandbox.slack.block_kit import check_message
from ops.sandbox.teams.checks import check_message as check_activity
from ops.sandbox.teams.world import PlaceKind
from rag_core.answers import AskTrace
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters, Intent, Question
from tests.fakes.adaptive_cards import against_schema, card_of
from tests.fakes.replies import ITEM, answer, scope

LINKS = Links("http://127.0.0.1:8080", {"sample": "Sample platform"})
TRACE = AskTrace(Question("", scope(), Intent.PERMISSION, ()), timings_ms={"total": 1.5})


class FakeAsking:
    """Answers everything; a question in `failures` ends so instead."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.failures: dict[str, Exception] = {}

    async def ask(self, asked: Asked) -> Answered:
        self.asked.append(asked)
        if asked.text in self.failures:
            raise self.failures[asked.text]
        return Answered("answer-1", answer(), TRACE)


@pytest.fixture
def asking() -> FakeAsking:
    return FakeAsking()


async def run(asking: FakeAsking, *argv: str, lines: str = "") -> tuple[int, str]:
    """Exit code and standard output."""
    args, out = terminal.parse(argv), io.StringIO()
    if args.command == "ask":
        code = await terminal.ask(args, asking, LINKS, out)
    else:
        code = await terminal.chat(args, asking, LINKS, io.StringIO(lines), out)
    return code, out.getvalue()


async def test_words_without_quotation_marks_are_one_question(asking: FakeAsking) -> None:
    code, out = await run(asking, "ask", "can", "I", "advertise", "alcohol")
    assert (code, asking.asked[0].text) == (0, "can I advertise alcohol")
    assert ITEM.split()[0] in out
    assert "http://127.0.0.1:8080/sources/" in out


async def test_json_is_the_rest_shape_and_nothing_else(asking: FakeAsking) -> None:
    code, out = await run(asking, "ask", "--format", "json", "alcohol")
    shape = json.loads(out)
    assert (code, shape["answer_id"], shape["kind"]) == (0, "answer-1", "answer")
    assert shape["timings_ms"] == {"total": 1.5}


async def test_slack_is_block_kit_within_its_limits(asking: FakeAsking) -> None:
    code, out = await run(asking, "ask", "--format", "slack", "alcohol")
    message = json.loads(out)
    assert code == 0
    assert message["blocks"]
    assert check_message(message) is None


async def test_teams_is_an_activity_with_a_card_within_its_limits(asking: FakeAsking) -> None:
    code, out = await run(asking, "ask", "--format", "teams", "alcohol")
    activity = json.loads(out)
    assert code == 0
    assert against_schema(card_of(activity)) == []
    check_activity(activity, PlaceKind.CHANNEL)


@pytest.mark.parametrize("format_", ["text", "json", "slack", "teams"])
async def test_a_question_that_can_never_work_is_1_and_says_why(asking: FakeAsking, format_: str) -> None:
    asking.failures["alcohol"] = Rejected("unknown_region", value="narnia", known=("uk", "de"))
    code, out = await run(asking, "ask", "--format", format_, "alcohol")
    assert code == 1
    assert "narnia" in out
    if format_ == "json":
        assert json.loads(out)["code"] == "unknown_region"
    if format_ == "slack":
        assert check_message(json.loads(out)) is None


async def test_what_is_to_be_tried_again_comes_out(asking: FakeAsking) -> None:
    asking.failures["alcohol"] = Unavailable("too_slow", seconds=20)
    with pytest.raises(Unavailable, match="too_slow"):
        await run(asking, "ask", "alcohol")


async def test_options_become_filters(asking: FakeAsking) -> None:
    options = "--region uk --region de --source acme --content-type video --as-of 2025-06-01"
    await run(asking, "ask", *options.split(), "alcohol")
    [asked] = asking.asked
    assert asked.filters == Filters(("acme",), ("uk", "de"), ("video",))
    assert (asked.as_of, asked.asked_from, asked.actor) == (date(2025, 6, 1), "terminal", terminal.TERMINAL)


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["ask"],
        ["dance"],
        ["ask", "--format", "pdf", "alcohol"],
        ["ask", "--as-of", "yesterday", "alcohol"],
        ["serve", "--format", "json"],
    ],
)
def test_wrong_arguments_are_2_and_shown_on_standard_error(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        terminal.parse(argv)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


async def test_chat_answers_line_by_line_until_an_empty_one(
    asking: FakeAsking, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = await run(asking, "chat", lines="alcohol in the UK\nand in Germany?\n\nnever read\n")
    assert code == 0
    assert [each.text for each in asking.asked] == ["alcohol in the UK", "and in Germany?"]
    assert out.count("> ") >= 2
    assert "Ask about the policies" in capsys.readouterr().err  # and not between the answers


async def test_chat_ends_with_its_input(asking: FakeAsking) -> None:
    assert (await run(asking, "chat", lines="alcohol"))[0] == 0
    assert len(asking.asked) == 1


async def test_each_chat_is_a_conversation_of_its_own_and_a_single_question_is_none(asking: FakeAsking) -> None:
    for _ in range(2):
        await run(asking, "chat", lines="alcohol\nand in France?\n")
    await run(asking, "ask", "alcohol")
    *chats, single = [each.conversation for each in asking.asked]
    assert single is None
    first, second = chats[0], chats[2]
    assert first is not None
    assert second is not None
    assert chats == [first, first, second, second]
    assert (first.platform, first.channel, bool(first.thread)) == ("terminal", "local", True)
    assert first.thread != second.thread


async def test_chat_goes_on_after_a_question_that_cannot_work(asking: FakeAsking) -> None:
    asking.failures["nonsense"] = Rejected("question_too_long", length=3000, limit=2000)
    code, out = await run(asking, "chat", "--format", "json", lines="nonsense\nalcohol\n")
    assert code == 0
    first, _, rest = out.partition("\n}\n")
    assert json.loads(first + "}")["code"] == "question_too_long"
    assert json.loads(rest)["kind"] == "answer"
