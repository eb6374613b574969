import pytest

from ingest.chunkers.marks import has_cross_reference, rule_number, summary


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("4.2 Ads must be fair.", "4.2"),
        ("9.12. “Quoted” ads", "9.12"),
        ("4.2.1 Ads", "4.2.1"),
        ("Rule 9.12 Ads must be fair.", "9.12"),
        ("Section 3: Fees", "3"),
        ("§ 7 Fees", "7"),
        ("Rule 5.2 does not apply.", None),
        ("2.5 MB is the limit.", None),
        ("18.5 percent", None),
        ("5. Fees", None),
        ("Ads under 4.2", None),
    ],
)
def test_rule_numbers(line: str, number: str | None) -> None:
    assert rule_number(line) == number


def test_a_heading_may_be_numbered_with_one_number() -> None:
    assert rule_number("5. Fees", heading=True) == "5"
    assert rule_number("2026 rules", heading=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "See our Alcohol policy.",
        "as set out in section 4.2",
        "refer to our gambling policy",
        "subject to the restrictions listed below",
        "Rule 1.2 applies.",
    ],
)
def test_cross_references(text: str) -> None:
    assert has_cross_reference(text)


@pytest.mark.parametrize("text", ["Ads must be fair.", "We see that people drink.", "This section is short."])
def test_no_cross_references(text: str) -> None:
    assert not has_cross_reference(text)


def test_a_summary_has_at_most_fifteen_words() -> None:
    label = summary("Beer", "Ads for beer " + "are fine " * 20)

    assert label.startswith("Beer: Ads for beer are fine")
    assert len(label.split()) == 15
    assert label.endswith("…")
    assert summary("Beer", "No ads.") == "Beer: No ads."
    assert len(summary("word " * 40, "word " * 40).split()) <= 15
