"""A rule, read for a question and a place."""

from dataclasses import replace

import pytest

from rag_core.answering.places import Standing
from rag_core.answering.polarity import Effect
from rag_core.answering.readings import Reading, read_unit
from rag_core.answering.units import UnitKind, units_of
from tests.fakes.rules import passage, unit, whole_list, words

PROHIBITS, RESTRICTS, ALLOWS = Effect.PROHIBITS, Effect.RESTRICTS, Effect.ALLOWS


def read(body: str, asked: str = "kites", place: str | None = None, heading: str = "Rules") -> Reading:
    return read_unit(unit(body, heading), words(asked), place)


@pytest.mark.parametrize(
    ("body", "effect", "on_topic"),
    [
        ("Ads for kites are not allowed.", PROHIBITS, True),
        ("Ads for razor kites are not allowed.", PROHIBITS, False),
        ("Ads for kites may run if the buyer is an adult.", RESTRICTS, True),
        ("Ads for kites are allowed.", ALLOWS, True),
        ("Ads for kites must carry a warning.", RESTRICTS, False),
        ("Ads for darts are allowed; ads for kites are not allowed.", PROHIBITS, True),
        ("Ads for darts are allowed; ads for drones are not allowed.", ALLOWS, False),
        ("This page is on kites.", None, False),
        ("Darts are popular. They are not allowed in ads.", PROHIBITS, False),
    ],
)
def test_a_sentence(body: str, effect: Effect | None, on_topic: bool) -> None:
    found = read(body)
    assert (found.effect, found.on_topic) == (effect, on_topic)


def test_a_ban_on_a_wide_thing_bans_the_narrow_one_but_not_the_other_way_round() -> None:
    assert read("Ads for alcohol are not allowed.", "beer").on_topic
    assert not read("Ads for beer are not allowed.", "alcohol").on_topic


def test_a_pronoun_is_read_from_the_rule_before_it() -> None:
    body = "Ads for kites may run. In Peru they are not allowed."
    found = read(body, "kites", "pe")
    assert (found.effect, found.on_topic) == (PROHIBITS, True)
    assert not read(body, "darts", "pe").on_topic


def test_a_demand_supposes_that_the_ad_is_possible_and_a_content_ban_does_not() -> None:
    demand = read("Ads for kites must carry a warning.")
    ban = read("Ads for kites must not show children.")
    assert (demand.implies, demand.forbids_content) == (True, False)
    assert (ban.implies, ban.forbids_content) == (False, True)


def test_a_content_ban_on_all_that_was_asked_is_a_ban_on_just_that() -> None:
    found = read("Ads for kites must not show children.", "children in kite ads")
    assert (found.effect, found.on_topic) == (PROHIBITS, True)


@pytest.mark.parametrize(
    ("body", "place", "effect", "standing"),
    [
        ("Ads for kites may run only in France.", "uk", PROHIBITS, Standing.LEFT_OUT),
        ("Ads for kites are prohibited only in France.", "uk", RESTRICTS, Standing.LEFT_OUT),
        ("Ads for kites are prohibited everywhere except France.", "fr", RESTRICTS, Standing.EXCEPTED),
        ("Ads for kites are allowed everywhere except France.", "fr", PROHIBITS, Standing.EXCEPTED),
        ("Ads for kites are allowed everywhere except France.", "uk", RESTRICTS, Standing.HOLDS),
        ("Ads for kites are prohibited everywhere except France.", "uk", PROHIBITS, Standing.HOLDS),
        ("Ads for kites are prohibited in Belgium.", "uk", PROHIBITS, Standing.ELSEWHERE),
    ],
)
def test_a_place_that_is_left_out_or_excepted_turns_a_rule(
    body: str, place: str, effect: Effect, standing: Standing
) -> None:
    found = read(body, place=place)
    assert (found.effect, found.place.standing) == (effect, standing)


def test_a_thing_that_is_excepted_turns_a_rule() -> None:
    ban = "Ads for toys are not allowed, except kites."
    assert read(ban, "kites").effect is RESTRICTS
    assert read(ban, "toys").effect is PROHIBITS
    assert read("Ads for toys are allowed, except kites.", "kites").effect is PROHIBITS
    assert read("Ads for toys are allowed, but not kites.", "kites").effect is PROHIBITS


def test_a_ban_with_its_exception_behind_it_is_a_restriction() -> None:
    found = read("Ads for kites are not allowed. However, ads for kites may run in parks.")
    assert (found.effect, found.on_topic) == (RESTRICTS, True)


@pytest.mark.parametrize(
    ("heading", "body", "effect"),
    [
        ("Rules", "Ads for toys are not allowed. Examples:\n\n- darts\n- kites", PROHIBITS),
        ("Rules", "Ads for toys may run. Examples include:\n\n- darts\n- kites", ALLOWS),
        ("Not allowed", "- darts\n- kites", PROHIBITS),
        ("2.1 Prohibited", "Examples:\n\n- darts\n- kites", PROHIBITS),
        ("Our toys", "- darts\n- kites", None),
        ("Our toys", "Examples:\n\n- darts\n- kites", None),
    ],
)
def test_examples_are_ruled_by_the_sentence_or_the_heading_before_them(
    heading: str, body: str, effect: Effect | None
) -> None:
    assert read(body, heading=heading).effect is effect


@pytest.mark.parametrize(
    ("body", "effect", "on_topic"),
    [
        ("The following are not allowed:\n\n- darts\n- kites", PROHIBITS, True),
        ("The following are not allowed:\n\n- darts\n- razor kites", PROHIBITS, False),
        ("The following are allowed:\n\n- darts\n- kites", ALLOWS, True),
        ("The following are not allowed:\n\n- darts\n- kites, but toy kites are allowed", ALLOWS, False),
        ("Ads for kites may run if:\n\n- the price is shown", RESTRICTS, False),
        ("Ads for kites must not:\n\n- show fights", RESTRICTS, False),
        ("Our toys:\n\n- ads for kites are not allowed", PROHIBITS, True),
        ("- ads for kites are not allowed", PROHIBITS, True),
        ("Our toys:\n\n- kites", None, False),
    ],
)
def test_an_item_is_read_behind_its_lead_in(body: str, effect: Effect | None, on_topic: bool) -> None:
    found = read(body)
    assert (found.effect, found.on_topic) == (effect, on_topic)


def test_an_item_is_read_behind_the_line_that_ends_in_a_colon() -> None:
    found = read("Kites are toys. These must not run:\n\n- darts\n- ads for kites")
    assert found.effect is not ALLOWS
    nested = read("We accept ads for toys. Not allowed:\n\n- games:\n  - kites")
    assert nested.effect is PROHIBITS


@pytest.mark.parametrize(
    ("lead", "effect", "on_topic"),
    [
        ("Ads for kites may run if:", RESTRICTS, True),
        ("The following are not allowed:", None, False),
        ("These are our toys:", None, False),
    ],
)
def test_a_whole_list_says_what_its_lead_in_says(lead: str, effect: Effect | None, on_topic: bool) -> None:
    found = read_unit(whole_list(f"{lead}\n\n- the price is shown\n- the buyer is an adult"), words("kites"), None)
    assert (found.effect, found.on_topic) == (effect, on_topic)


@pytest.mark.parametrize(
    ("heading", "row", "effect", "on_topic"),
    [
        ("Rules", "| Kites | no |", PROHIBITS, True),
        ("Kites", "| Peru | yes |", ALLOWS, True),
        ("Rules", "| Darts | no |", PROHIBITS, False),
        ("Kites", "| Peru | 12 |", None, False),
    ],
)
def test_a_row(heading: str, row: str, effect: Effect | None, on_topic: bool) -> None:
    found = read(row, heading=heading)
    assert (found.effect, found.on_topic) == (effect, on_topic)


@pytest.mark.parametrize(
    ("body", "effect", "standing"),
    [
        ("Ads for kites are allowed only in the countries listed.", PROHIBITS, Standing.LEFT_OUT),
        ("Ads for kites are not allowed.", PROHIBITS, Standing.HOLDS),
        ("This page is on kites.", None, Standing.HOLDS),
    ],
)
def test_left_out_of_a_list_elsewhere_is_a_no_unless_nothing_was_allowed(
    body: str, effect: Effect | None, standing: Standing
) -> None:
    found = read(body, place="uk").left_out()
    assert (found.effect, found.place.standing) == (effect, standing)


def item(body: str, text: str, asked: str) -> Reading:
    found = next(each for each in units_of(passage(body)) if each.body[0].text == text and each.kind is UnitKind.ITEM)
    return read_unit(found, words(asked), None)


def test_examples_are_examples_of_the_sentence_before_them() -> None:
    found = item(
        "Ads must not promote toys that cut.\n\nExamples:\n\n- Razor kites\n- Throwing darts\n",
        "Razor kites",
        "razor kites",
    )
    assert (found.effect, found.on_topic) == (PROHIBITS, True)


def test_examples_behind_a_ban_and_a_permission_are_of_neither() -> None:
    body = (
        "Ads must not promote toys that cut.\n\nAds may promote paper toys.\n\nExamples:\n\n- Razor kites\n- Doilies\n"
    )
    found = item(body, "Razor kites", "razor kites")
    assert found.effect is None
    assert [quote.text for quote in found.unit.lead[:2]] == [
        "Ads must not promote toys that cut.",
        "Ads may promote paper toys.",
    ]


def test_a_ban_among_the_conditions_of_a_permission_bans_what_it_names() -> None:
    text = "Night flights of kites are not allowed."
    body = f"Ads for kites are allowed under these conditions:\n\n- The buyer is an adult.\n- {text}\n"
    assert (item(body, text, "night flights of kites").effect, item(body, text, "night flights of kites").on_topic) == (
        PROHIBITS,
        True,
    )
    assert not item(body, text, "kites").on_topic


def at(path: str, body: str, asked: str = "kites") -> Reading:
    """The last rule of `body`, read below the headings of `path`."""
    below = passage(body, path.split(" > ")[-1])
    below = replace(below, chunk=replace(below.chunk, policy_path=path))
    return read_unit(units_of(below)[-1], words(asked), None)


@pytest.mark.parametrize(
    ("path", "body", "effect"),
    [
        ("Prohibited toys > Things that fly", "Examples:\n\n- darts\n- kites", PROHIBITS),
        ("Restricted toys", "These toys may include:\n\n- darts\n- kites", RESTRICTS),
        ("Restricted toys > Things that fly", "- darts\n- kites", RESTRICTS),
        ("Prohibited toys > Exceptions", "- darts\n- kites", None),
        ("Prohibited toys > Allowed toys", "- darts\n- kites", None),
        ("Prohibited and restricted toys", "- darts\n- kites", None),
        ("Prohibited toys", "These toys are sold by:\n\n- shops\n- kites", None),
        ("Prohibited toys > Things that fly", "- darts\n- ads for kites are allowed", RESTRICTS),
        ("Prohibited toys > Things that fly", "- darts\n- ads for kites must carry a warning", RESTRICTS),
    ],
)
def test_headings_above_rule_the_items_that_nothing_else_rules(path: str, body: str, effect: Effect | None) -> None:
    assert at(path, body).effect is effect


@pytest.mark.parametrize(
    ("lead", "effect"),
    [
        ("Examples of prohibited toys:", PROHIBITS),
        ("Examples of toy prohibitions:", PROHIBITS),
        ("Examples of toys that are not allowed:", PROHIBITS),
        ("Examples of restricted toys:", RESTRICTS),
        ("Examples of toys that are allowed:", RESTRICTS),
    ],
)
def test_a_lead_in_to_examples_may_say_itself_what_they_are(lead: str, effect: Effect) -> None:
    found = read(f"Toy museums are permitted to run ads. {lead}\n\n- darts\n- kites")
    assert (found.effect, found.on_topic) == (effect, True)


def test_examples_behind_a_ban_and_a_demand_are_what_the_heading_says() -> None:
    body = "Ads must not promote sharp toys. Ads for toys must show the price. Examples:\n\n- darts\n- kites"
    assert at("Prohibited toys", body).effect is PROHIBITS
    assert at("Toys", body).effect is None


def test_a_ban_in_places_is_a_ban_in_each_place_listed() -> None:
    found = read("Our ads are not available in:\n\n- Sealand\n- Atlantis", "Atlantis")
    assert (found.effect, found.on_topic) == (PROHIBITS, True)
    assert read("Our ads are available in:\n\n- Sealand\n- Atlantis", "Atlantis").effect is not ALLOWS


def test_an_item_allowed_on_a_condition_is_restricted_and_about_the_thing_alone() -> None:
    body = "The following are allowed:\n\n- darts\n- {item}"
    bound = read(body.format(item="paper kites, if no prices of gliders are shown"), "paper kites")
    assert (bound.effect, bound.on_topic) == (RESTRICTS, True)
    assert not read(body.format(item="paper kites, if no prices of gliders are shown"), "gliders").on_topic
    assert read(body.format(item="paper kites"), "paper kites").effect is ALLOWS
    banned = read("The following are not allowed:\n\n- kites for people aged under 12", "kites")
    assert not banned.on_topic


@pytest.mark.parametrize(
    ("body", "asked", "effect", "on_topic"),
    [
        ("A kite form must not ask for:\n\n- shoe sizes\n- names of pets", "kite form, names of pets", PROHIBITS, True),
        ("A kite form must not ask for:\n\n- shoe sizes\n- names of sick pets", "kite form, pets", RESTRICTS, False),
        ("Paper kite ads must not scare children.", "paper kite", RESTRICTS, False),
        ("Paper kite ads must not scare children.", "paper kite, children", PROHIBITS, True),
    ],
)
def test_a_content_ban_decides_only_if_what_it_forbids_was_asked_about(
    body: str, asked: str, effect: Effect, on_topic: bool
) -> None:
    found = read(body, asked)
    assert (found.effect, found.on_topic) == (effect, on_topic)


def test_this_includes_carries_a_rule_on() -> None:
    body = "Ads for kites are not allowed. This includes ads for gliders."
    assert (read(body, "gliders").effect, read(body, "gliders").on_topic) == (PROHIBITS, True)
    assert not read(body, "darts").on_topic
    alone = read("This page is on kites. This includes ads for gliders.", "gliders")
    assert alone.effect is None


def test_a_ban_that_names_all_of_a_long_question_is_on_it() -> None:
    body = "Ads in which lemonade bottles carry the label of a glider shop are not allowed."
    assert read(body, "lemonade bottles, glider label").on_topic
    assert not read(body, "lemonade bottles").on_topic
    assert not read(body.replace("not allowed", "allowed"), "lemonade bottles, glider label").on_topic


@pytest.mark.parametrize(
    ("body", "place", "effect"),
    [
        ("Advertisers may not target states where kites remain illegal (Ohio, Iowa).", "us-oh", PROHIBITS),
        ("Kite ads must not be shown to users in Peru.", "pe", PROHIBITS),
        ("Kite ads must not be shown to minors in Peru.", "pe", RESTRICTS),
        ("Kite ads must not be shown to users in Peru.", None, RESTRICTS),
        ("Kite ads may be shown to users in Peru.", "pe", ALLOWS),
    ],
)
def test_a_place_that_ads_must_not_reach_is_a_no_there(body: str, place: str | None, effect: Effect) -> None:
    assert read(body, place=place).effect is effect


@pytest.mark.parametrize(
    ("body", "asked", "effect"),
    [
        ("Sellers are allowed to advertise without glorifying kites.", "kites", RESTRICTS),
        ("Sellers are allowed to advertise without openly exploiting or glorifying kites.", "kites", RESTRICTS),
        ("Toys may be advertised without kites.", "kites", PROHIBITS),
        ("Toys may be advertised without gambling or kites.", "gambling", PROHIBITS),
    ],
)
def test_without_doing_something_is_a_manner_and_excepts_nothing(body: str, asked: str, effect: Effect) -> None:
    assert read(body, asked, heading="Kites").effect is effect
