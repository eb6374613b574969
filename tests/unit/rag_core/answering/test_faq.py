"""Answers to what a heading asks, lists below "Allowed" and "Don't", rows for all other countries."""

import pytest

from rag_core.answering.cells import row_effect
from rag_core.answering.polarity import Effect
from rag_core.answering.readings import Reading, read_unit
from rag_core.answering.units import units_of
from tests.fakes.rules import passage, unit, words

PROHIBITS, RESTRICTS, ALLOWS = Effect.PROHIBITS, Effect.RESTRICTS, Effect.ALLOWS


def first(heading: str, answer: str, place: str | None = None) -> Reading:
    return read_unit(units_of(passage(answer, heading))[0], words("kites"), place)


@pytest.mark.parametrize(
    ("heading", "answer", "effect"),
    [
        ("Can I advertise kites?", "No. Acme does not carry ads for kites.", PROHIBITS),
        ("Can I advertise kites?", "No, not anywhere.", PROHIBITS),
        ("Do you take kites?", "Not on Acme.", PROHIBITS),
        ("Kites?", "Yes, kites are welcome.", ALLOWS),
        ("Can I advertise kites?", "Yes.", ALLOWS),
        ("Are kites OK?", "Yes, in most places.", RESTRICTS),
        ("Are kites OK?", "Yes, if the buyer is an adult.", RESTRICTS),
        ("Are kites OK?", "Yes. Makers may fly them if they send us their papers.", RESTRICTS),
        ("Are kites OK?", "No, unless you hold a licence.", RESTRICTS),
        ("Are kites banned?", "Yes.", None),
        ("Are kites banned?", "No.", None),
        ("Do I need a licence for kites?", "No.", None),
        ("Can I advertise kites?", "No licence is needed.", None),
        ("Kites", "No.", None),
    ],
)
def test_an_answer_is_on_what_its_heading_asks(heading: str, answer: str, effect: Effect | None) -> None:
    found = first(heading, answer)
    assert found.effect is effect
    assert found.on_topic is (effect is not None)


def test_an_answer_is_not_on_another_thing() -> None:
    assert not first("Can I advertise darts?", "No.").on_topic


@pytest.mark.parametrize(("place", "effect"), [("pe", PROHIBITS), ("br", RESTRICTS)])
def test_only_in_some_places_is_a_no_in_others(place: str, effect: Effect) -> None:
    assert first("Do you take kites?", "Only in Brazil and Chile, and only with our mark.", place).effect is effect


@pytest.mark.parametrize(
    ("heading", "item", "effect", "on_topic"),
    [
        ("Allowed", "Kites", ALLOWS, True),
        ("What's allowed", "Kites, as long as they're sold by a school", RESTRICTS, True),
        ("Allowed times", "Kites", None, False),
        ("Don't", "Advertise kites", PROHIBITS, True),
        ("Don't", "Show kites", RESTRICTS, False),
        ("Off limits", "Kites", PROHIBITS, True),
    ],
)
def test_a_list_below_a_telling_heading(heading: str, item: str, effect: Effect | None, on_topic: bool) -> None:
    found = read_unit(unit(f"- {item}\n- Lamps and shades of paper", heading), words("kites"), None)
    both = [read_unit(each, words("kites"), None) for each in units_of(passage(f"- {item}\n- Lamps", heading))]
    assert found.on_topic is False
    assert (effect, on_topic) in {(each.effect, each.on_topic) for each in both}


def test_a_lead_in_on_the_platform_leads_to_things() -> None:
    body = "You can't promote any of these on Acme:\n\n- Lamps\n- Kites"
    found = read_unit(unit(body), words("kites"), None)
    assert (found.effect, found.on_topic) == (PROHIBITS, True)


@pytest.mark.parametrize("where", ["All countries", "All other countries", "Everywhere else", "Worldwide"])
def test_a_cell_that_says_everywhere_is_no_condition(where: str) -> None:
    lead_in = "| Product | Country | Status | Requirement |\n| --- | --- | --- | --- |"
    assert row_effect(unit(f"| Kites | {where} | Accepted | None |", lead_in=lead_in), words("kites")) is ALLOWS
    assert row_effect(unit(f"| Kites | {where} | Accepted | Adults |", lead_in=lead_in), words("kites")) is RESTRICTS


def test_a_row_on_another_kind_of_the_wide_thing_is_not_on_the_one_asked_about() -> None:
    lead_in = "| Product | Status |\n| --- | --- |"
    row = unit("| Payday loans | Not accepted |", lead_in=lead_in)
    assert not read_unit(row, words("mortgages"), None).on_topic
    assert read_unit(unit("| Loans | Not accepted |", lead_in=lead_in), words("mortgages"), None).on_topic


def test_a_row_on_one_kind_does_not_speak_for_its_section() -> None:
    lead_in = "| Product | Place | Status |\n| --- | --- | --- |"
    row = unit("| Online casino | All other countries | Not accepted |", "Gambling", lead_in=lead_in)
    assert not read_unit(row, words("sports betting"), "br").on_topic
    place = unit("| Peru | Lima | Not accepted |", "Gambling", lead_in=lead_in)
    assert read_unit(place, words("sports betting"), "pe").on_topic
