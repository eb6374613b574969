import re

import pytest

from ingest.chunkers.drafts import ChunkDraft
from ingest.chunkers.factory import chunker_of, detect
from ingest.chunkers.rule_numbers import rules_in
from ingest.places import Places
from rag_core.layout import read_blocks


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text)) + 2


def cut(text: str, max_tokens: int = 256) -> list[ChunkDraft]:
    return chunker_of("rules").cut(text, {}, "Code", Places(), count, max_tokens)


def numbers(text: str) -> list[str]:
    return [rule.number for rule in rules_in(read_blocks(text))]


def shown(text: str) -> list[tuple[str | None, str, str]]:
    return [(draft.rule_number, draft.lead_in, text[draft.start : draft.end]) for draft in cut(text)]


def test_each_rule_is_a_chunk_with_its_number() -> None:
    text = (
        "# Code\n\n## 9 Distance selling\n\nBackground words.\n\n9.1 Ads must name the seller.\n\n"
        "9.2 Ads must not:\n\n- hide costs\n- hurry people\n\nThat holds for calls as well.\n\n"
        "9.12 Refunds take a week.\n"
    )

    assert shown(text) == [
        ("9", "", "Background words."),
        ("9.1", "", "9.1 Ads must name the seller."),
        ("9.2", "", "9.2 Ads must not:\n\n- hide costs\n- hurry people\n\nThat holds for calls as well."),
        ("9.12", "", "9.12 Refunds take a week."),
    ]


def test_a_rule_below_another_carries_its_first_line() -> None:
    text = (
        "# Code\n\n4.1 Ads are honest.\n\n4.2 Ads for alcohol must not be shown:\n\n4.2(a) To children.\n\n"
        "4.2(b) Near schools.\n\n4.3 Prices include tax.\n\n4.3.1 Fees are named.\n"
    )

    assert shown(text) == [
        ("4.1", "", "4.1 Ads are honest."),
        ("4.2", "", "4.2 Ads for alcohol must not be shown:"),
        ("4.2(a)", "4.2 Ads for alcohol must not be shown:", "4.2(a) To children."),
        ("4.2(b)", "4.2 Ads for alcohol must not be shown:", "4.2(b) Near schools."),
        ("4.3", "", "4.3 Prices include tax."),
        ("4.3.1", "4.3 Prices include tax.", "4.3.1 Fees are named."),
    ]


def test_named_rules_and_numbers_on_a_line_of_their_own() -> None:
    text = "# Code\n\nRule 4\n\nAds are honest.\n\nRule 5: Ads are legal.\n\n## Food\n\nRule 6 “Light” needs proof.\n"

    assert [(rule, body) for rule, _, body in shown(text)] == [
        ("4", "Rule 4\n\nAds are honest."),
        ("5", "Rule 5: Ads are legal."),
        ("6", "Rule 6 “Light” needs proof."),
    ]


def test_a_header_that_is_a_plain_line_goes_with_the_rule_below_it() -> None:
    text = "# Code\n\n1.1 Ads are honest.\n\nFree offers\n\n1.2 Free means free.\n\n1.3 Offers end.\n"

    assert shown(text)[1] == ("1.2", "", "Free offers\n\n1.2 Free means free.")


def test_a_heading_ends_a_rule() -> None:
    text = (
        "# Code\n\n## One\n\n1.1 Ads are honest.\n\n## Words used\n\nAd means any paid message.\n\n1.2 Ads are legal.\n"
    )

    assert [rule for rule, _, _ in shown(text)] == ["1.1", None, "1.2"]


@pytest.mark.parametrize(
    "line",
    [
        "Page 12 of 40",
        "17",
        "2026 Edition",
        "12.10.25 Meeting of the board",
        "Version 2.1 Changes",
        "2.1 Released to members",
        "9.99 Dollars is the price",
        "18.5 Years is the least age",
        "2.5 MB is the limit.",
        "1. First position",
        "18+ Only",
    ],
)
def test_what_only_looks_like_a_rule_number(line: str) -> None:
    text = (
        f"# Code\n\n4.1 Ads are honest.\n\n4.2 Ads are legal.\n\n{line}\n\n4.3 Ads are decent.\n\n4.4 Ads are true.\n"
    )

    assert numbers(text) == ["4.1", "4.2", "4.3", "4.4"]


def test_repealed_rules_leave_gaps_and_chapters_follow_each_other() -> None:
    assert numbers("3.9 A\n\n3.12 B\n\n4.1 C\n\n6.1 D\n\n6.1.1 E\n\n6.2 F\n") == [
        "3.9",
        "3.12",
        "4.1",
        "6.1",
        "6.1.1",
        "6.2",
    ]


def test_numbers_that_begin_again_below_a_heading() -> None:
    assert numbers("# A\n\n1.1 A\n\n1.2 B\n\n2.1 C\n\n# B\n\n1.1 D\n\n1.2 E\n") == ["1.1", "1.2", "2.1", "1.1", "1.2"]


def test_roman_points_count_on() -> None:
    assert numbers("1.1 A\n\n1.1(i) B\n\n1.1(ii) C\n\n1.1(iv) D\n") == ["1.1", "1.1(i)", "1.1(ii)", "1.1(iv)"]


def test_a_long_rule_is_cut_and_its_parts_keep_number_and_lead_ins() -> None:
    items = "\n".join(f"- item {number} is not to be shown to people at all" for number in range(40))
    text = f"# Code\n\n1.1 Ads must not:\n\n1.1(a) Show any of these:\n\n{items}\n"

    drafts = [draft for draft in cut(text, 128) if draft.rule_number == "1.1(a)"]

    assert len(drafts) > 2
    assert {draft.lead_in for draft in drafts[1:]} == {"1.1 Ads must not:\n1.1(a) Show any of these:"}


def test_a_long_first_line_of_the_rule_above_is_shortened_to_its_end() -> None:
    text = f"# Code\n\n1.1 {'Ads are honest and clear. ' * 30}They must not be:\n\n1.1.1 Rude.\n\n1.2 End.\n"

    lead = next(draft.lead_in for draft in cut(text, 128) if draft.rule_number == "1.1.1")

    assert lead.endswith("They must not be:")
    assert count(lead) <= 128 // 3


BOOK = (
    "# Code\n\n"
    + "\n\n".join(
        f"## Part {part}\n\n" + "\n\n".join(f"{part}.{rule} Ads must be fair to people." for rule in range(1, 5))
        for part in range(1, 4)
    )
    + "\n"
)


def test_a_rule_book_is_detected() -> None:
    assert detect(BOOK) == "rules"
    assert [draft.rule_number for draft in chunker_of("auto").cut(BOOK, {}, "Code", Places(), count, 256)] == [
        f"{part}.{rule}" for part in range(1, 4) for rule in range(1, 5)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A\n\n" + "Ads must be fair.\n\n" * 30,
        "# A\n\n1.1 One.\n\n1.2 Two.\n\n1.3 Three.\n",
        "# A\n\n" + "".join(f"## 1.{number} Part\n\nAds must be fair.\n\n" for number in range(1, 20)),
        "# A\n\n" + "".join(f"{number}. Ads must be fair.\n" for number in range(1, 20)),
        "# A\n\n" + "Many words that belong to no rule. " * 60 + "\n\n# B\n\n" + BOOK.removeprefix("# Code\n\n"),
    ],
)
def test_other_documents_are_cut_by_section(text: str) -> None:
    assert detect(text) == "sections"
