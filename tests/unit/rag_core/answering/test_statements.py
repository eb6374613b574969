"""Rules into the statements shown, and the citations they point to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answering.statements import (
    LEFT_OUT,
    LONGEST_STATEMENT,
    Citations,
    choose_rules,
    condition_kind,
    conditions_of,
    is_sound,
    quote_span,
    shown_quotes,
    statement_text,
)
from rag_core.answers import ConditionKind, Quote, Statement
from rag_core.documents import Passage
from rag_core.rules.rule import rules_in
from tests.fakes.rules import passage, target, unit, whole_list, words

NO = "Ads for kites are not allowed."


def chosen(most: int, *passages: Passage, place: str | None = None) -> list[str]:
    return [each.rule.text for each in choose_rules(target("kites", place, *passages), most)]


def test_what_decides_comes_first_then_what_conditions_it() -> None:
    body = "Kites fly high. Ads for kites must carry a warning. Ads for kites are allowed."
    assert chosen(5, passage(body, "Kites")) == ["Ads for kites are allowed.", "Ads for kites must carry a warning."]


def test_no_more_than_asked_are_shown_and_the_same_words_once() -> None:
    many = [passage(f"Ads for kites must carry sticker {n}.", "Kites", document_id=f"acme_{n}") for n in range(8)]
    assert len(chosen(5, *many)) == 5
    twice = [passage(NO, "Kites", document_id=f"acme_{n}") for n in range(3)]
    assert chosen(5, *twice) == [NO]


def test_a_rule_that_says_all_of_another_takes_its_place() -> None:
    shown = chosen(5, passage("Ads for kites are banned. They must not fly.", "Kites"))
    assert shown == ["Ads for kites are banned. They must not fly."]


def test_what_contradicts_a_rule_is_shown_even_where_there_is_little_room() -> None:
    bans = [passage(f"{NO} Sticker {n}.", "Kites", document_id=f"acme_{n}") for n in range(5)]
    other = passage("Ads for kites are allowed.", "Kites", document_id="acme_other")
    assert chosen(2, *bans, other) == [NO, "Ads for kites are allowed."]


def test_the_general_rule_is_shown_behind_the_special_one_that_goes_before_it() -> None:
    belgian = passage("Ads for kites are allowed.", "Kites", ("be",), document_id="acme_be")
    assert chosen(5, passage(NO, "Kites"), belgian, place="be") == ["Ads for kites are allowed.", NO]
    assert chosen(1, passage(NO, "Kites"), belgian, place="be") == ["Ads for kites are allowed."]


def test_rules_of_single_places_are_shown_where_there_are_no_others_to_decide() -> None:
    belgian = passage("In Belgium ads for kites are banned.", "Kites", ("be",))
    assert chosen(5, belgian) == ["In Belgium ads for kites are banned."]
    assert chosen(5, passage(NO, "Kites"), belgian) == [NO]


def test_a_rule_that_leaves_the_asked_place_out_is_the_nearest() -> None:
    everywhere = "Ads for kites are allowed everywhere except France."
    assert chosen(5, passage(everywhere, "Kites"), place="fr") == [everywhere]


def test_a_long_list_keeps_its_first_items_and_says_so() -> None:
    items = [f"Kite {number} {'long ' * 40}" for number in range(9)]
    found = whole_list("Banned:\n\n" + "\n".join(f"- {item}" for item in items))
    quotes, shortened = shown_quotes(found, (), None)
    assert shortened
    assert sum(len(quote.text) for quote in quotes) <= LONGEST_STATEMENT
    assert len(quotes) > 2
    assert statement_text(found, quotes, shortened=True).endswith(LEFT_OUT)


@pytest.mark.parametrize(("asked", "place"), [("gliders", None), ("kites", "pe")])
def test_a_long_list_keeps_what_was_asked_about_wherever_it_stands(asked: str, place: str | None) -> None:
    items = [*(f"Item {number} {'long ' * 40}" for number in range(9)), "Gliders, in Peru"]
    found = whole_list("Banned:\n\n" + "\n".join(f"- {item}" for item in items))
    quotes, shortened = shown_quotes(found, words(asked), place)
    assert shortened
    assert quotes[-1].text == "Gliders, in Peru"
    assert [quote.start for quote in quotes] == sorted(quote.start for quote in quotes)


def test_one_item_longer_than_a_statement_is_still_shown_whole() -> None:
    found = unit("- " + "kite " * 300)
    assert shown_quotes(found, (), None) == (found.body, False)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Kites fly. They are red.", "Kites fly. They are red."),
        ("Banned:\n\n- kites;", "Banned: kites;"),
        ("| Place | Kites |\n| --- | --- |\n| Peru | no |", "Place: Peru; Kites: no"),
        ("| Place |\n| --- |\n| Peru | no |", "Peru | no"),
        ("| Peru | no |", "Peru | no"),
    ],
)
def test_the_text_of_a_statement(body: str, text: str) -> None:
    found = unit(body)
    assert statement_text(found, found.quotes, shortened=False) == text


def test_the_items_of_a_list_are_told_apart_and_a_colon_stays() -> None:
    found = whole_list("Banned:\n\n- darts,\n- kites:\n- of paper.\n- of silk")
    assert statement_text(found, found.quotes, shortened=False) == "Banned: darts; kites: of paper; of silk"


def test_a_section_cited_twice_is_one_citation_and_another_version_is_another() -> None:
    first, second = rules_in(passage("Kites fly high. Darts hit the board.", "Toys"))
    elsewhere, later = unit("Drones hum.", "Drones"), unit("Kites fly.", "Toys", document_id="acme_other")
    citations = Citations()
    assert [citations.cite(each) for each in (first, second, elsewhere, later, first)] == [1, 1, 2, 3, 1]
    assert [each.number for each in citations.made()] == [1, 2, 3]


def test_two_chunks_of_one_section_are_one_citation() -> None:
    citations = Citations()
    assert [citations.cite(unit(body, "Toys")) for body in ("Kites fly.", "Darts hit the board.")] == [1, 1]


def test_a_citation_is_sound_and_tells_where_it_is_from() -> None:
    found = unit(NO, "Kites", ("uk",), author="A club")
    citations = Citations()
    citations.cite(found)
    (made,) = citations.made()
    assert is_sound(made, {made.chunk_id: found.passage})
    assert (made.quote, made.regions, made.section_path) == (NO, ("uk",), "Advertising > Kites")
    assert (made.title, made.url, made.author) == ("Advertising", "https://ads.example/acme_rules", "A club")
    assert made.char_start == found.passage.chunk.char_start


LONG = "Ads for kites of every colour and every size may be shown to people who fly them, " * 4


@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        ("Kites fly high. " + LONG, "Kites fly high. " + LONG[:72].rstrip()),
        (LONG + "and. Kites fly high.", LONG[260:] + "and. Kites fly high."),
        ("Kites fly high.", "Kites fly high."),
        ("Kites fly high. Darts hit a board.", "Kites fly high. Darts hit a board."),
    ],
)
def test_a_short_quote_grows_by_whole_words_until_it_can_be_found(body: str, quoted: str) -> None:
    found = passage(body.strip())
    short = next(quote for each in rules_in(found) for quote in each.body if quote.text == "Kites fly high.")
    start, end = quote_span(found, short)
    assert found.chunk.chunk_text[start:end] == quoted


TABLE = """| Country | Kites |
| --- | --- |
| Spain | Small kites only |
| Sweden | Yes |"""


@pytest.mark.parametrize("row", ["Spain | Small kites only", "Sweden | Yes"])
def test_a_quote_in_a_table_has_nothing_of_another_country(row: str) -> None:
    found = passage(TABLE)
    start = TABLE.index(row)
    from_, to = quote_span(found, Quote(found.chunk.chunk_id, row[:6], start, start + 6))
    assert found.chunk.chunk_text[from_:to] == row


def test_a_long_quote_is_cut_at_a_word() -> None:
    found = passage(LONG.strip())
    start, end = quote_span(found, Quote(found.chunk.chunk_id, LONG.strip(), 0, len(LONG.strip())))
    assert start == 0
    assert 150 < end <= 200
    assert found.chunk.chunk_text[end] == " "


def test_a_quote_of_the_lead_in_points_to_the_beginning_of_its_chunk() -> None:
    found = passage("- darts\n- kites", lead_in="Banned:")
    assert quote_span(found, Quote(found.chunk.chunk_id, "Banned:", 0, 7, lead_in=True)) == (0, 15)


_PROSE = st.lists(st.text("abc é.ß", min_size=1, max_size=30), min_size=1, max_size=25).map(" ".join)


@given(_PROSE, st.data())
def test_every_quote_is_of_a_readable_length_and_begins_with_what_it_quotes(text: str, data: st.DataObject) -> None:
    body = " ".join(text.split()) or "a"
    start = data.draw(st.integers(0, len(body) - 1))
    end = data.draw(st.integers(start + 1, len(body)))
    from_, to = quote_span(passage(body), Quote("x", body[start:end], start, end))
    assert 0 <= from_ <= start < to <= len(body)
    assert 50 <= to - from_ <= 200 or (from_, to) == (0, len(body))
    assert to >= end or end - start > 200


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The audience is aged 18 or over.", ConditionKind.AGE),
        ("At most 20% of the picture", ConditionKind.OTHER),
        ("The advertiser holds a licence.", ConditionKind.LICENCE),
        ("The advertiser is certified by us.", ConditionKind.CERTIFICATION),
        ("We gave prior permission.", ConditionKind.APPROVAL),
        ("The ad carries a warning.", ConditionKind.LABELLING),
        ("The ad is not targeted by hobby.", ConditionKind.TARGETING),
        ("The kite is red.", ConditionKind.OTHER),
    ],
)
def test_kinds_of_conditions(text: str, kind: ConditionKind) -> None:
    assert condition_kind(text) is kind


def conditions(body: str) -> list[tuple[ConditionKind, str]]:
    """Of the last rule in `body`, as it is shown."""
    (rule,) = target("kites", None, unit(body, "Kites").passage).rules[-1:]
    shown = Statement(rule.rule.text, (1,), rule.rule.quotes)
    return [(each.kind, each.text) for each in conditions_of(rule, shown)]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("Ads for kites may run if:\n\n- the buyer is aged 18", ConditionKind.AGE),
        ("Ads for kites must carry a warning.", ConditionKind.LABELLING),
        ("Ads for kites must be red.", None),
        ("Ads for kites are banned for children.", None),
        ("Ads for kites are allowed for children.", None),
    ],
)
def test_conditions_are_demands_that_can_be_met(body: str, kind: ConditionKind | None) -> None:
    said = " ".join(quote.text for quote in unit(body).body)
    assert conditions(body) == ([(kind, said)] if kind else [])
