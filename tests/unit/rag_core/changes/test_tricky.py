"""Pairs that a careless reader would get wrong: what changed, where, and whether it is stricter or looser."""

import pytest

from rag_core.changes import Direction, RuleChange, RuleChangeKind, SectionChange, diff, headline

ADDED, REMOVED, CHANGED, MOVED = RuleChangeKind
STRICTER, LOOSER = Direction


TABLE = "| Country | Allowed? |\n| --- | --- |\n| Spain | {} |"


def rules(before: str, after: str) -> list[RuleChange]:
    return [rule for section in diff(before, after) for rule in section.rules]


def only(before: str, after: str) -> RuleChange:
    (rule,) = rules(f"## Ads\n\n{before}\n", f"## Ads\n\n{after}\n")
    return rule


def summary(before: str, after: str) -> str:
    return headline(diff(f"## Ads\n\n{before}\n", f"## Ads\n\n{after}\n"))


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        ("Ads may show children.", "Ads may not show children.", (STRICTER, None)),
        ("Kite ads are allowed in Spain.", "Kite ads are not allowed in Spain.", (STRICTER,)),
        ("You can advertise kites.", "You cannot advertise kites.", (STRICTER,)),
        ("We allow ads for kites.", "We don't allow ads for kites.", (STRICTER,)),
        ("Kites are allowed.", "Kites are no longer allowed.", (STRICTER, None)),
        ("Kites are no longer prohibited.", "Kites are prohibited.", (STRICTER, None)),
        ("Kites are not prohibited.", "Kites are prohibited.", (STRICTER, None)),
        ("Ads should carry a warning.", "Ads must carry a warning.", (STRICTER, None)),
        ("Ads may carry a warning.", "Ads must carry a warning.", (STRICTER, None)),
        ("Ads may target adults.", "Ads may only target adults.", (STRICTER, None)),
        ("Ads must target users aged 18 or older.", "Ads must target users aged 21 or older.", (STRICTER,)),
        ("Do not target users under 16.", "Do not target users under 18.", (STRICTER,)),
        ("Reply within 30 days.", "Reply within 14 days.", (STRICTER, None)),
        ("Send it at least 14 days before.", "Send it at least 30 days before.", (STRICTER, None)),
        ("Prohibited in France.", "Prohibited in France and Spain.", (STRICTER, None)),
        ("Available only in France and Spain.", "Available only in France.", (STRICTER, None)),
        ("Kites are banned except in Malta and Spain.", "Kites are banned except in Malta.", (STRICTER, None)),
        ("Ads must be in Kyrgyz or Russian.", "Ads must be in Kyrgyz and Russian.", (STRICTER, None)),
        ("Some ads must be approved.", "All ads must be approved.", (STRICTER, None)),
        (TABLE.format("Yes"), TABLE.format("No"), (STRICTER, None)),
    ],
)
def test_one_word_that_matters_is_a_change_with_the_right_direction_or_none(
    before: str, after: str, allowed: tuple[Direction | None, ...]
) -> None:
    there, back = only(before, after), only(after, before)
    assert (there.kind, back.kind) == (CHANGED, CHANGED)
    assert there.direction in allowed
    opposite = {STRICTER: LOOSER, LOOSER: STRICTER, None: None}
    assert back.direction in {opposite[each] for each in allowed} | {None}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Claims must not say:\n\n- Kites are allowed", "Claims must not say:\n\n- Kites are prohibited"),
        ("Except where:\n\n- Kites are allowed", "Except where:\n\n- Kites are prohibited"),
        ("Kites are no longer allowed.", "Kites are no longer prohibited."),
        ("Is it so that kites are allowed?", "Is it so that kites are prohibited?"),
        (
            "Users under 18 are not allowed unless with a parent.",
            "Users under 21 are not allowed unless with a parent.",
        ),
    ],
)
def test_no_direction_where_the_words_around_turn_it(before: str, after: str) -> None:
    assert [rule.direction for rule in rules(before, after)] == [None]


BANS = "## Spain\n\nWe don't allow:\n\n- Beer\n- Energy drinks\n"


@pytest.mark.parametrize(
    "after",
    [
        BANS.replace("Beer", "Spirits over 18% ABV"),  # may be what is left of a wider ban
        BANS + "- Strong energy drinks\n",  # banned before
        BANS + "\nThis means that ads for kites are not allowed.\n",
        BANS + "\nIf your ad is not allowed, write to us.\n",
        BANS + "\nAds for kites are still not allowed.\n",
        BANS + "\nWe no longer prohibit ads for kites.\n",
        BANS + "\nWhy are ads for kites not allowed?\n",
        BANS.replace("We don't allow:", "We don't allow, for example:") + "- Kites\n",
        "## Malta\n\nWe don't allow:\n\n- Kites\n\n" + BANS,  # what held there before is not said
    ],
)
def test_an_added_ban_that_may_be_no_new_one_tells_no_direction(after: str) -> None:
    found = rules(BANS, after)
    assert found
    assert [rule.direction for rule in found if rule.kind is ADDED] == [None] * len(
        [rule for rule in found if rule.kind is ADDED]
    )


def test_a_section_that_stands_twice_is_told_twice_and_bans_nothing_anew() -> None:
    twice = "## Spain\n\nWe don't allow:\n\n- Energy drinks\n- Beer\n\n## Malta\n\nKites.\n\n" + BANS
    found = diff("## Malta\n\nKites.\n\n" + BANS, twice)
    (copy,) = [section for section in found if section.rules]
    assert copy.path == ("Spain",)
    assert {rule.kind for rule in copy.rules} == {ADDED}
    assert {rule.direction for rule in copy.rules} == {None}


def test_a_new_ban_is_stricter() -> None:
    (rule,) = rules(BANS, BANS + "- Lotteries\n")
    assert (rule.kind, rule.direction, rule.lead_in) == (ADDED, STRICTER, "We don't allow:")


def test_an_item_in_the_opposite_list_is_a_change_of_rules() -> None:
    before = "## Ads\n\nYou may advertise:\n\n- Kites\n- Gliders\n\nYou must not advertise:\n\n- Beer\n"
    after = "## Ads\n\nYou may advertise:\n\n- Gliders\n\nYou must not advertise:\n\n- Beer\n- Kites\n"
    (rule,), (back,) = rules(before, after), rules(after, before)
    assert (rule.kind, rule.lead_in) == (MOVED, "You must not advertise:")
    assert rule.moved_from == ("Ads", "You may advertise:")
    assert (rule.direction, back.direction) == (STRICTER, LOOSER)


@pytest.mark.parametrize("lost", ["You must not advertise:\n\n", "You may advertise:\n\n"])
def test_items_whose_lead_in_was_lost_have_moved_without_a_direction(lost: str) -> None:
    first, second = ("You may advertise", "You must not advertise")
    if lost.startswith(first):
        first, second = second, first
    before = f"## Ads\n\n{first}:\n\n- Kites\n- Gliders\n\n{second}:\n\n- Beer\n- Wine\n"
    found = rules(before, before.replace(lost, ""))
    assert [(rule.kind, rule.after) for rule in found if rule.kind is MOVED] == [(MOVED, "Beer"), (MOVED, "Wine")]
    assert {rule.direction for rule in found} == {None}


def test_a_lead_in_that_says_the_opposite_is_one_change() -> None:
    before = "You may:\n\n- fly red kites\n- fly gliders"
    rule = only(before, before.replace("You may:", "You must not:"))
    assert (rule.kind, rule.before, rule.after) == (CHANGED, "You may:", "You must not:")
    assert rule.direction in (STRICTER, None)


def test_a_heading_that_says_the_opposite_is_one_change() -> None:
    before = "## Allowed\n\n- Kites\n- Gliders\n"
    (rule,) = rules(before, before.replace("Allowed", "Prohibited"))
    assert (rule.kind, rule.before, rule.after) == (CHANGED, "Allowed", "Prohibited")


def test_items_under_a_new_heading_that_rules_on_them_have_moved() -> None:
    before = "## Toys\n\n- Kites\n- Gliders\n- Lead balloons\n"
    after = before.replace("- Lead", "### Prohibited toys\n\n- Lead")
    found = {rule.after: rule.kind for rule in rules(before, after)}
    assert found == {"Prohibited toys": ADDED, "Lead balloons": MOVED}


def test_a_changed_rule_of_the_prohibited_ones_that_is_now_permitted_says_where_it_was() -> None:
    before = "## Toys\n\n### Prohibited toys\n\n- Lead soldiers\n- Paper kites and games that help small children\n"
    after = before.replace("- Paper kites", "\n### Permitted toys\n\n- Balloons\n- Certified paper kites")
    changed = [rule for rule in rules(before, after) if rule.kind is CHANGED]
    assert [rule.moved_from[-1:] for rule in changed] == [("Prohibited toys",)]


def test_a_country_that_replaces_another_above_the_same_rules_is_one_change() -> None:
    before = "## France\n\n- Kites are allowed\n- Balloons\n"
    (rule,) = rules(before, before.replace("France", "Malta"))
    assert (rule.kind, rule.before, rule.after) == (CHANGED, "France", "Malta")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Kites must be red. Balloons must be blue.", "Balloons must be blue. Kites must be red."),
        ("- Kites\n- Gliders", "- Gliders\n- Kites"),
        ("### A\n\nKites fly.\n\n### B\n\nGliders glide.", "### B\n\nGliders glide.\n\n### A\n\nKites fly."),
        ("We do not allow: beer, wine.", "We do not allow:\n\n- Beer\n- Wine"),
        ("We do not allow:\n\n- Alcohol\n  - Beer\n- Bets", "We do not allow:\n\n- Alcohol\n- Beer\n- Bets"),
        ("Kites\n\nKites must be made of red paper.", "### Kites\n\nKites must be made of red paper."),
        ("### 4.1 KITES\n\nThey fly.", "### 4.2. Kites\n\nThey fly."),
    ],
)
def test_order_and_layout_are_no_change_of_rules(before: str, after: str) -> None:
    assert rules(f"## Ads\n\n{before}\n", f"## Ads\n\n{after}\n") == []
    assert diff(f"## Ads\n\n{before}\n", f"## Ads\n\n{after}\n")


def test_a_section_split_in_two_adds_its_heading_only() -> None:
    before = "## Toys\n\nKites must be red.\n\nBalloons must be blue.\n\nGliders must be green.\n"
    (rule,) = rules(before, before.replace("Balloons", "## Balloons\n\nBalloons"))
    assert (rule.kind, rule.after) == (ADDED, "Balloons")
    (gone,) = rules(before.replace("Balloons", "## Balloons\n\nBalloons"), before)
    assert (gone.kind, gone.before) == (REMOVED, "Balloons")


@pytest.mark.parametrize("said", ["Sold to adults.", "Ads must only target adults aged 18 or older."])
def test_a_sentence_that_goes_to_another_section_has_moved(said: str) -> None:
    before = f"## Beer\n\nBeer is brewed.\n\n{said}\n\n## Toys\n\nToys are small things.\n"
    after = f"## Beer\n\nBeer is brewed.\n\n## Toys\n\n{said}\n\nToys are small things.\n"
    (rule,) = rules(before, after)
    assert (rule.kind, rule.after, rule.moved_from) == (MOVED, said, ("Beer",))


@pytest.mark.parametrize("unit", ["Million impressions", "hours", "Litres", "GB", "Per cent"])
def test_a_decimal_number_in_front_is_no_numbering(unit: str) -> None:
    rule = only(f"- 1.5 {unit}", f"- 2.5 {unit}")
    assert (rule.kind, rule.before) == (CHANGED, f"1.5 {unit}")


def test_what_stands_under_an_item_says_of_which_list_the_item_is() -> None:
    before = "## Ads\n\nWe allow with conditions:\n\n- Beer\n  - Adults of 18 only\n"
    (rule,) = rules(before, before.replace("18", "21"))
    assert (rule.around, rule.lead_in) == (("We allow with conditions:",), "Beer")


def test_the_summary_begins_with_what_decides_most() -> None:
    before = "Welcome to our toys.\n\nKites may be red.\n\nKites must be shown."
    assert (
        summary(before, "Hello to our toys.\n\nKites may be red.\n\nKites must not be shown.") == "Ads: + not be (~2)"
    )
    listed = "We don't allow:\n\n- Beer"
    assert summary(listed, f"{listed}\n- Lotteries") == "Ads: We don't allow: + Lotteries"
    long = f"If your ad is shown in the United Kingdom of Great Britain, {listed.lower()}"
    assert summary(long, f"{long}\n- Lotteries") == "Ads: we don't allow: + Lotteries"


def test_the_headline_counts_all_sections() -> None:
    before = "## A\n\nKites are nice.\n\n## B\n\nBeer is allowed.\n"
    found: tuple[SectionChange, ...] = diff(before, before.replace("nice", "lovely").replace("allowed", "prohibited"))
    assert headline(found) == "B: allowed -> prohibited (~2)"
