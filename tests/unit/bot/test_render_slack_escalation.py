"""Escalations and people's answers as Block Kit: as agreed, and within Slack's limits whatever is in them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.people.escalations import (
    ActKind,
    AskedPlace,
    Escalation,
    EscalationAct,
    EscalationState,
    EscalationView,
    SeenSource,
)
from bot.render.slack.escalation import (
    ask_modal,
    curated_modal,
    escalation_message,
    persons_answer_message,
    suspended_message,
)
from ops.sandbox.slack.block_kit import Surface, check_message, check_view
from tests.fakes.curated import curated
from tests.fakes.golden import golden_json

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
PLACE = AskedPlace("slack", "T1", "C1", "U1", "1.1", people_in="C9", group="S1")
ASKED = Escalation("e1", "a1", "p1", EscalationState.OPEN, PLACE, "For <!here> *spring*", NOON)
REPLY = EscalationAct("m1", "e1", ActKind.ANSWERED, "p2", "U2", NOON, "Yes, <!channel>:\nwith a _label_.")
SOURCE = SeenSource(1, "Alcohol", "Alcohol > Wine", "https://ads.example/a?b=1&c=2", "Ads for wine need a label.", "c1")
VIEW = EscalationView(
    "Can I advertise <@U9> wine?",
    "answer",
    ("uk",),
    ("acme",),
    "2026-06-01",
    "restricted",
    ("A label.",),
    (SOURCE,),
    True,
)
LONG = "x<&>" * 2_000
ENDLESS = replace(
    VIEW,
    question=LONG,
    statements=(LONG,) * 30,
    sources=tuple(replace(SOURCE, number=number, section_path=LONG, quote=LONG) for number in range(1, 31)),
)


def test_as_agreed() -> None:
    claimed = replace(ASKED, state=EscalationState.CLAIMED, acts=(replace(REPLY, kind=ActKind.CLAIMED, text=""),))
    found = {
        "open": escalation_message(ASKED, VIEW, {"acme": "Acme Ads"}),
        "claimed": escalation_message(claimed, EscalationView(""), {}),
        "answer": persons_answer_message(ASKED, REPLY),
        "private": persons_answer_message(ASKED, REPLY, "Can I advertise wine?"),
        "addition": persons_answer_message(replace(ASKED, acts=(replace(REPLY, act_id="m0"), REPLY)), REPLY),
        "suspended": suspended_message(curated()),
        "note": ask_modal({"answer": "a1"}),
        "save": curated_modal(VIEW, REPLY, {"escalation": "e1"}),
    }
    assert found == golden_json("slack/people", found)


@pytest.mark.parametrize("view", [VIEW, ENDLESS, replace(ENDLESS, kind="refusal"), EscalationView("")])
def test_within_the_limits(view: EscalationView) -> None:
    endless = replace(REPLY, text="\n".join([LONG[:2_900]] * 1))
    assert check_message(escalation_message(replace(ASKED, note=LONG[:1_000]), view, {})) is None
    assert check_message(persons_answer_message(ASKED, endless, LONG)) is None
    assert check_view(ask_modal({}), Surface.MODAL) is None
    if view.sources:
        assert check_view(curated_modal(view, endless, {}), Surface.MODAL) is None


def test_an_approved_answer_is_not_taken_for_what_the_policies_say() -> None:
    told = str(escalation_message(ASKED, replace(VIEW, is_approved=True), {}))
    assert "written by a person: restricted" in told
    assert "What the policies answered" not in told


def test_nobody_is_called_by_what_people_wrote() -> None:
    for message in (escalation_message(ASKED, VIEW, {}), persons_answer_message(ASKED, REPLY)):
        assert "<!here>" not in str(message)
        assert "<!channel>" not in str(message)
        assert "<@U9>" not in str(message)


def test_an_id_that_is_none_is_not_a_mention() -> None:
    strange = replace(ASKED, place=replace(PLACE, person="U1> <!channel", group="S1> <!here"))
    assert "!channel" not in str(escalation_message(strange, VIEW, {}))
    assert "!here" not in str(escalation_message(strange, EscalationView(""), {})).replace("&lt;!here&gt;", "")
