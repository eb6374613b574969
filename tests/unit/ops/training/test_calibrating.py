"""Thresholds from judged questions."""

from ops.training.calibrating import Candidates, Case, Message, cases_of, figures, fitted, topics_fitted
from ops.training.examples import Judged
from rag_core.questions import Intent
from rag_core.rules.reader import AskedText, Topic
from rag_core.rules.rule import rules_in
from tests.fakes.judged import LIMITS
from tests.fakes.reader import FakeReader
from tests.fakes.rules import passage, question

RULES = {
    "prohibited": ("Kites are prohibited.", "Dp"),
    "restricted": ("Kites may run only with a label.", "Dl"),
    "allowed": ("Kites may run.", "Da"),
}


def candidates(at: int, verdict: str | None, kind: str, permission: float) -> Candidates:
    """A question on kites with the rule that decides it, or with one that is near, and one on drums."""
    said, code = RULES[verdict or "prohibited"]
    rules = [*rules_in(passage(said if verdict else "Zeppelins are prohibited.")), *rules_in(passage("Drums may run."))]
    codes = [code if verdict else "N", "U"]
    judged = Judged(f"q{at}", "kites?", (), "kites", kind, verdict, dict(zip("ab", codes, strict=True)))
    topics = {Topic.PERMISSION: permission, Topic.DETAIL: 0.98 - permission, Topic.OFF_TOPIC: 0.02}
    asked = question("what of kites", intent=Intent.PERMISSION)
    scored = [(rule, 0.8 - 0.4 * number) for number, rule in enumerate(rules)]
    return Candidates(judged, f"platform {at % 5}", asked, topics, AskedText("kites"), None, scored, codes)


async def cases() -> list[Case]:
    asked = [
        candidates(at, verdict, "permission" if verdict else "nearmiss", 0.8)
        for at, verdict in enumerate([*RULES, None] * 5)
    ]
    return await cases_of(
        [*asked, *(candidates(at, "restricted", "requirement", 0.3) for at in range(3))], FakeReader()
    )


async def test_thresholds_that_were_fitted_give_the_verdicts_that_were_judged() -> None:
    known = await cases()
    limits = fitted(known, LIMITS)
    assert 0.3 < limits.asks_detail <= limits.asks_permission < 0.8
    told = figures(known, limits)
    assert told["verdict right where given"].startswith("1.000")
    assert told["near-misses handled"].startswith("1.000")
    assert told["what decides is stated"].startswith("1.000")


async def test_what_is_off_topic_is_less_of_a_policy_question_than_nearly_all_that_are() -> None:
    known = await cases()
    rule = (rules_in(passage("Drums may run."))[0], 0.4)
    messages = [
        Message(kind, dict.fromkeys(Topic, 0.01) | {Topic.SMALL_TALK: chat}, AskedText("hello there"), [rule])
        for kind, chat in (("policy", 0.3), ("off_topic", 0.1))
    ]
    limits = await topics_fitted(known, messages, FakeReader(), LIMITS)
    assert limits.off_topic == limits.doubtful == 0.98
    assert limits.chat == 0.3
    assert limits.on_topic < 0.5
