"""The diff of two versions: rules, not their form."""

import time

import pytest

from rag_core.changes import Direction, RuleChange, RuleChangeKind, diff, headline

ADDED, REMOVED, CHANGED, MOVED = RuleChangeKind


def rules(before: str, after: str) -> list[RuleChange]:
    return [rule for section in diff(before, after) for rule in section.rules]


def told(before: str, after: str) -> list[tuple[RuleChangeKind, str, str]]:
    return [(rule.kind, rule.before, rule.after) for rule in rules(before, after)]


def turned(before: str, after: str) -> Direction | None:
    (rule,) = rules(before, after)
    return rule.direction


RULE = "## Kites\n\nKites must be red. They must not fly at night.\n\n- Paper kites\n- Silk kites\n"


@pytest.mark.parametrize(
    "after",
    [
        RULE.upper().replace("KITES\n\nKITES", "Kites\n\nKITES"),
        RULE.replace("red. They", "red — they"),
        RULE.replace("red. They", "red.\n\nThey"),
        RULE.replace("## Kites", "#### Kites"),
        RULE.replace("## Kites", "Kites"),
        RULE.replace("## Kites", "## 3. Kites"),
        RULE.replace("## Kites", "## 3.1 Kites:"),
        RULE.replace("- Paper", "1. Paper").replace("- Silk", "2. Silk"),
        RULE.replace("- Paper", "Paper").replace("\n- Silk", "\n\nSilk"),
        RULE.replace("Silk", "Silk\u200b").replace("must not", "must not"),
        "Last updated: 3 March 2026\n\n" + RULE,
        RULE + "\n## Related articles\n\n- Balloons\n- Gliders and their pilots\n",
    ],
)
def test_the_form_is_no_change_of_rules(after: str) -> None:
    sections = diff(RULE, after)
    assert [rule for section in sections for rule in section.rules] == []
    assert sum(section.formatting for section in sections) >= 1
    assert headline(sections) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Updated on 3 March 2026", "Updated on 4 April 2026"),
        ("This page was last updated over a week ago.", "This page was last updated yesterday."),
        ("© 2025 Acme", "© 2026 Acme"),
        ("Say “yes”; it’s fine", "Say 'yes', it's fine"),
        ("See https://one.example/a for more", "See http://two.example/b/c for more"),
    ],
)
def test_stamps_quotation_marks_and_addresses_are_form(before: str, after: str) -> None:
    assert told(before, after) == []
    assert len(diff(before, after)) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("At most 5% alcohol", "At most 5 alcohol"),
        ("Finland", "Finland*"),
        ("Users of 18+", "Users of 18"),
        ("Up to 1.5 litres", "Up to 15 litres"),
        ("❌ Beer for children", "✅ Beer for children"),
        ("From 1 July 2026, kites are prohibited.", "From 1 August 2026, kites are prohibited."),
        ("Kites are allowed", "Kites are not allowed"),
        ("At least -5 degrees", "At least 5 degrees"),
        ("1.5 GB at most", "2.5 GB at most"),
        ("\\(c) Ads for kites are allowed.", "\\(c) Ads for kites are prohibited."),
    ],
)
def test_what_carries_meaning_is_no_form(before: str, after: str) -> None:
    assert told(before, after) == [(CHANGED, before.lstrip("\\"), after.lstrip("\\"))]


def test_equal_texts_have_no_changes() -> None:
    assert diff(RULE, RULE) == ()


def test_rules_added_removed_and_changed_by_section() -> None:
    after = RULE.replace("red", "blue").replace(
        "- Silk kites\n", "- Silk kites\n- Plastic bags\n\n## Balloons\n\nNo.\n"
    )
    first, second = diff(RULE, after)
    assert first.path == ("Kites",)
    assert [(each.kind, each.after) for each in first.rules] == [
        (CHANGED, "Kites must be blue."),
        (ADDED, "Plastic bags"),
    ]
    assert first.summary == "Kites: red -> blue (+1, ~1)"
    assert second.path == ("Balloons",)
    assert (REMOVED, "No.", "") in told(after, RULE)


def test_an_edit_names_the_words() -> None:
    (rule,) = rules("Kites must be dark red today.", "Kites must be light red, today and tomorrow.")
    spans = [
        (rule.before[each.before_start : each.before_end], rule.after[each.after_start : each.after_end])
        for each in rule.edits
    ]
    assert spans == [("dark", "light"), ("", "and tomorrow")]


def test_the_same_text_under_another_heading_has_moved() -> None:
    before = "## Paper\n\nKites must carry the name of their owner.\n\nPaper burns.\n\n## Silk\n\nSilk tears.\n"
    after = "## Paper\n\nPaper burns.\n\n## Silk\n\nSilk tears.\n\nKites must carry the name of their owner.\n"
    (rule,) = rules(before, after)
    assert (rule.kind, rule.moved_from, rule.direction) == (MOVED, ("Paper",), None)


LISTS = "## Kites\n\nThe following are not allowed:\n\n- {}\n- Lead\n\nThe following are allowed:\n\n- {}\n- Silk\n"


def test_an_item_that_moves_to_the_other_list_is_stricter_or_looser() -> None:
    allowed, banned = LISTS.format("Iron", "Paper"), LISTS.format("Iron\n- Paper", "Cloth")
    by_text = {rule.after or rule.before: rule for rule in rules(allowed, banned)}
    assert (by_text["Paper"].kind, by_text["Paper"].direction) == (MOVED, Direction.STRICTER)
    back = {rule.after or rule.before: rule for rule in rules(banned, allowed)}
    assert (back["Paper"].kind, back["Paper"].direction) == (MOVED, Direction.LOOSER)
    assert back["Paper"].moved_from == ("Kites", "The following are not allowed:")


def test_lists_that_speak_of_other_things_tell_no_direction() -> None:
    before = "We do not allow in video ads:\n\n- Paper\n\nWe allow in text ads:\n\n- Silk\n"
    after = before.replace("- Paper\n", "- Lead\n").replace("- Silk\n", "- Silk\n- Paper\n")
    assert [rule.direction for rule in rules(before, after) if "Paper" in rule.after] == [None]


def test_a_rule_of_one_country_is_not_the_changed_rule_of_another() -> None:
    before = "## Albania\n\nKites are sold to adults of 18 only.\n\n## Zambia\n\nNo kites.\n"
    after = "## Albania\n\n## Belgium\n\nKites are sold to adults of 21 only.\n\n## Zambia\n\nNo kites.\n"
    assert sorted(each[0] for each in told(before, after)) == [ADDED, REMOVED]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_heading_that_makes_it_a_rule_of_another_country_moves_it(swapped: bool) -> None:
    texts = (
        "## Albania\n\nKites are sold to adults only.\n",
        "## Albania\n\n## Belgium\n\nKites are sold to adults only.\n",
    )
    before, after = reversed(texts) if swapped else texts
    moved = [rule for rule in rules(before, after) if rule.kind is MOVED]
    assert [rule.after for rule in moved] == ["Kites are sold to adults only."]


def test_a_heading_that_is_spelt_anew_moves_nothing() -> None:
    before = "## Rules in Tiawan for kites\n\nKites are sold to adults only.\n"
    after = before.replace("Tiawan", "Taiwan")
    assert [each[0] for each in told(before, after)] == [CHANGED]


def test_a_list_after_related_articles_is_not_lost() -> None:
    before = "Related articles\n\n- Gliders\n\nThe following are prohibited:\n\n- Paper\n"
    assert told(before, before + "- Silk\n") == [(ADDED, "", "Silk")]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Ads may only target users 18 years or older.", "Ads may only target users 21 years or older.", "stricter"),
        ("Ads may only target users 21 years or older.", "Ads may only target users 18 years or older.", "looser"),
        ("Ads must not target people under 18.", "Ads must not target people under 21.", "stricter"),
        ("Ads may target people under 18.", "Ads may target people under 21.", None),
        ("Ads must not target people 18 or older.", "Ads must not target people 21 or older.", None),
        ("Ads must show it for at least 3 seconds.", "Ads must show it for at least 5 seconds.", "stricter"),
        ("Ads must contain no more than 3 words.", "Ads must contain no more than 5 words.", "looser"),
        ("A fee of 18 applies.", "A fee of 21 applies.", None),
        ("Drinks over 18% must say so.", "Drinks over 21% must say so.", None),
        ("Ads for kites are prohibited.", "Ads for kites are allowed.", "looser"),
        ("Ads for kites are allowed.", "Ads for kites are allowed with prior approval.", "stricter"),
        ("Ads for kites are allowed.", "Ads for balloons are prohibited.", None),
        ("Ads for kites are prohibited.", "Ads for kites are prohibited, except in Malta.", "looser"),
        ("Ads for kites are prohibited, except in Malta.", "Ads for kites are prohibited.", "stricter"),
        ("Ads for kites are prohibited.", "Ads for red kites are prohibited.", None),
        ("Kites are nice.", "Kites are lovely.", None),
        ("Postal codes must not be used.", "Zip codes must not be used.", None),
    ],
)
def test_stricter_or_looser_only_where_the_wording_says_so(before: str, after: str, expected: str | None) -> None:
    assert turned(f"## Ads\n\n{before}\n", f"## Ads\n\n{after}\n") == expected


def test_a_new_ban_in_a_section_that_was_there_is_stricter_and_a_removed_one_says_nothing() -> None:
    before, after = "## Kites\n\nRed is nice.\n", "## Kites\n\nRed is nice.\n\nAds for silk are prohibited.\n"
    assert turned(before, after) is Direction.STRICTER
    assert turned(after, before) is None


def test_a_ban_that_may_be_an_old_one_in_other_words_tells_no_direction() -> None:
    before = "## Kites\n\nRed is nice.\n\n## Silk\n\nAdvertising silk garments: forbidden everywhere.\n"
    after = "## Kites\n\nRed is nice.\n\nAds for silk garments advertising are prohibited.\n\n## Silk\n"
    assert all(rule.direction is not Direction.STRICTER for rule in rules(before, after))


def test_a_table_of_contents_is_no_rule() -> None:
    before = "# P\n\n## Kites\n\nA a.\n\n## Balloons\n\nB b.\n\n## Gliders\n\nC c.\n"
    after = before.replace("# P\n", "# P\n\nContents\n\n- Kites\n- Balloons\n- Gliders\n", 1)
    assert told(before, after) == []
    banned = before.replace("# P\n", "# P\n\nThe following are prohibited:\n\n- Kites\n- Balloons\n- Gliders\n", 1)
    assert len(told(before, banned)) == 4


def test_a_rule_among_related_articles_is_not_lost() -> None:
    before = "## Related articles\n\n- Kites\n"
    assert told(before, before + "\nAds for kites are prohibited.\n") == [(ADDED, "", "Ads for kites are prohibited.")]


def test_a_summary_has_at_most_15_words() -> None:
    long = " ".join(f"word{at}" for at in range(40))
    before = f"## {long}\n\n### {long}\n\n{long} one.\n\n{long} two.\n"
    for section in diff(before, before.replace("word3 ", f"{long} ").replace("two", "")):
        assert len(section.summary.split()) <= 15


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- Alcohol\n" * 5000, "- Alcohol\n" * 4000),
        (
            "".join(f"- Ads for thing {at} are not allowed\n" for at in range(5000)),
            "".join(f"- Ads for object {at} are not allowed\n" for at in range(5000)),
        ),
        (
            "".join(f"{'  ' * (at % 50)}- Beer and wine\n" for at in range(5000)),
            "".join(f"{'  ' * (at % 49)}- Beer and gin\n" for at in range(5000)),
        ),
        (" ".join(f"Sentence {at} says something." for at in range(5000)), "Another text."),
    ],
    ids=["equal lines", "all changed", "nested", "one line"],
)
def test_a_long_document_costs_no_more_than_its_length(before: str, after: str) -> None:
    started = time.process_time()
    diff(before, after)
    assert time.process_time() - started < 40, "a second alone; the machine may be busy, a square would take minutes"
