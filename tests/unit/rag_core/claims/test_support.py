"""Claims held against rules: what supports them, how far, and each way in which they may go beyond."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answers import QuoteType
from rag_core.claims.doubts import SOFT, Doubt
from rag_core.claims.support import Support, SupportVerdict, support, support_in, together
from tests.fakes.rules import passage

IF_ADULT = "Ads for kites may run if the audience is aged 18 or over."
NO_ALCOHOL = "Ads for alcohol are not allowed."
TABLE = "| Country | Alcohol | Note |\n| --- | --- | --- |\n| Norway | No | - |\n| Spain | Yes | - |"
LIST = "The following are not allowed:\n\n- Vodka\n- Beer above 5% ABV"
ONLY_THERE = "Ads for kites are allowed only in Germany and Spain."
AT_HOME = "In the United Kingdom, ads for kites are allowed."
FAQ = "Can I advertise kites at night? Yes, if the seller agrees."


def held(claim: str, body: str, quote: str | None = None, *asked: str, heading: str = "Rules") -> Support:
    return together(support(claim, passage(body, heading), quote, asked))


@pytest.mark.parametrize(
    ("claim", "body", "kind", "least", "most"),
    [
        (IF_ADULT, IF_ADULT, QuoteType.QUOTE, 1.0, 1.0),
        ("Ads for kites may run if the audience is 18 or older.", IF_ADULT, QuoteType.PARAPHRASE, 0.9, 0.99),
        ("Kite ads may run only if the audience is 18 or over.", IF_ADULT, QuoteType.PARAPHRASE, 0.8, 0.99),
        ("Alcohol ads are prohibited.", NO_ALCOHOL, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Alcohol is not allowed in Norway.", TABLE, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Alcohol ads are allowed in Spain.", TABLE, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Vodka is not allowed.", LIST, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Vodka and beer above 5% ABV are not allowed.", LIST, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("You can advertise kites at night if the seller agrees.", FAQ, QuoteType.PARAPHRASE, 0.7, 0.99),
        (
            "From 1 July 2026 kite ads need a licence.",
            "Ads for kites need a licence from 2026-07-01.",
            QuoteType.PARAPHRASE,
            0.7,
            0.99,
        ),
        ("In the UK, kite ads are allowed.", AT_HOME, QuoteType.PARAPHRASE, 0.7, 0.99),
    ],
)
def test_what_is_supported(claim: str, body: str, kind: QuoteType, least: float, most: float) -> None:
    found = held(claim, body)
    assert (found.verdict, found.quote_type, found.doubts) == (SupportVerdict.SUPPORTED, kind, ())
    assert least <= found.confidence <= most


@pytest.mark.parametrize(
    ("claim", "body", "doubt"),
    [
        ("Kite ads may run.", IF_ADULT, Doubt.EFFECT),
        ("Kite ads may run.", IF_ADULT, Doubt.CONDITION_LEFT_OUT),
        ("Ads for kites may not run.", IF_ADULT, Doubt.NEGATION),
        ("Ads for alcohol are allowed.", NO_ALCOHOL, Doubt.NEGATION),
        ("Ads for alcohol are not prohibited.", NO_ALCOHOL, Doubt.NEGATION),
        ("Ads for vodka are allowed.", LIST, Doubt.NEGATION),
        ("Kite ads are allowed in France.", "Ads for kites are allowed everywhere except in France.", Doubt.EFFECT),
        ("Kites may be advertised in Germany.", ONLY_THERE, Doubt.EFFECT),
        (
            "Ads for kites are prohibited.",
            "Ads for kites are prohibited unless the advertiser is licensed.",
            Doubt.EFFECT,
        ),
        ("Ads for kites may run if the audience is aged 21 or over.", IF_ADULT, Doubt.NUMBER),
        ("Ads for kites may run if the audience is under 18.", IF_ADULT, Doubt.LIMIT_TURNED),
        ("Ads for kites may run if the audience is at most 18.", IF_ADULT, Doubt.LIMIT_TURNED),
        ("Men must be 21 and women 18.", "Men must be 18 and women 21.", Doubt.NUMBER_SWAPPED),
        ("Beer ads run between 6:00 and 21:00.", "Beer ads run between 21:00 and 6:00.", Doubt.NUMBER_SWAPPED),
        ("We are open from 18 to 9.", "We are open from 9 to 18.", Doubt.NUMBER_SWAPPED),
        ("We are open from 6 pm to 9 am.", "We are open from 9 am to 6 pm.", Doubt.NUMBER_SWAPPED),
        ("We are open from 6 p.m. until 9 a.m.", "We are open from 9 a.m. until 6 p.m.", Doubt.NUMBER_SWAPPED),
        ("We are open 18:00 until 09:00.", "We are open 09:00 until 18:00.", Doubt.NUMBER_SWAPPED),
        ("We are open 18-9.", "We are open 9-18.", Doubt.NUMBER_SWAPPED),
        ("We are open from 9 pm to 6 pm.", "We are open from 9 am to 6 pm.", Doubt.UNIT),
        ("We are open from 9 am to 6 am.", "We are open from 9 am to 6 pm.", Doubt.UNIT),
        ("Beer ads may not run from 9 to 18.", "Beer ads may run from 9 to 18.", Doubt.NEGATION),
        ("Visitors aged 15 to 12 pay.", "Visitors aged 12 to 15 pay.", Doubt.NUMBER_SWAPPED),
        ("The fee is 25%.", "The fee is 25 euros.", Doubt.UNIT),
        ("The delay is 14 weeks.", "The delay is 14 days.", Doubt.UNIT),
        ("The fee is €2,500.", "The fee is €250.", Doubt.NUMBER),
        ("From 2 July 2026 kite ads need a licence.", "Ads for kites need a licence from 2026-07-01.", Doubt.DAY),
        ("Kite ads need a licence in August.", "Ads for kites need a licence in July.", Doubt.DAY),
        ("Ads for kites may run in France if the audience is aged 18 or over.", IF_ADULT, Doubt.PLACE),
        ("Kite ads must run in the evening.", "Ads for kites are shown in the evening.", Doubt.DEMAND),
        ("Kite ads are only shown in the evening.", "Ads for kites are shown in the evening.", Doubt.DEMAND),
        ("Ads must show a price.", "Ads may show a price.", Doubt.STRENGTH),
        ("Ads must show a price.", "Ads should show a price.", Doubt.STRENGTH),
        ("Ads show a price.", "Ads must show a price.", Doubt.STRENGTH),
        ("Ads for kites are allowed everywhere.", "Ads for kites are allowed.", Doubt.WIDER),
        ("Ads for kites are allowed without conditions.", "Ads for kites are allowed.", Doubt.WIDER),
        ("Ads for kites are prohibited.", "Ads for red kites are prohibited.", Doubt.WIDER),
        ("Ads must show the price or the seller.", "Ads must show the price and the seller.", Doubt.JOINED),
        ("Certificates are checked after the ads start.", "Certificates are checked before the ads start.", Doubt.TIME),
        ("The publisher pays the seller.", "The seller pays the publisher.", Doubt.WHO),
        ("Doctors may recommend pills only to parents.", "Only doctors may recommend pills.", Doubt.CONDITION_LEFT_OUT),
        ("This is allowed.", "This is allowed if somebody agrees.", Doubt.SAYS_NOTHING),
    ],
)
def test_what_contradicts_a_rule_or_goes_beyond_it(claim: str, body: str, doubt: Doubt) -> None:
    found = held(claim, body)
    assert (found.verdict, found.quote_type, found.confidence) == (SupportVerdict.UNSUPPORTED, None, 0.0)
    assert doubt in found.doubts


@pytest.mark.parametrize(
    ("claim", "body", "doubt"),
    [
        ("Ads for red kites may run if the audience is aged 18 or over.", IF_ADULT, Doubt.WORDS_MISSING),
        ("Kite ads are allowed.", AT_HOME, Doubt.PLACE_LEFT_OUT),
        ("Ads for kites are allowed only in Germany.", ONLY_THERE, Doubt.PLACE_LEFT_OUT),
    ],
)
def test_what_is_supported_in_part(claim: str, body: str, doubt: Doubt) -> None:
    found = held(claim, body)
    assert (found.verdict, found.quote_type, found.doubts) == (SupportVerdict.PARTLY, None, (doubt,))
    assert doubt in SOFT
    assert 0 < found.confidence <= 0.5


def test_a_claim_with_many_words_of_its_own_is_not_supported_at_all() -> None:
    found = held("Red, heavy, electric ads for kites are prohibited.", "Ads for kites are prohibited.")
    assert (found.verdict, found.doubts) == (SupportVerdict.UNSUPPORTED, (Doubt.WORDS_MISSING,))


@pytest.mark.parametrize(
    "claim",
    ["Ads are allowed if the seller agrees.", "Ads for kites are allowed if the seller agrees."],
)
def test_an_answer_is_no_wider_than_what_was_asked(claim: str) -> None:
    assert held(claim, FAQ).verdict is not SupportVerdict.SUPPORTED


@pytest.mark.parametrize("opening", ["Note that", "Please note that", "Remember that"])
def test_that_something_is_to_be_noted_adds_nothing(opening: str) -> None:
    assert held(f"{opening} ads for alcohol are not allowed.", NO_ALCOHOL).verdict is SupportVerdict.SUPPORTED
    assert Doubt.NEGATION in held(f"{opening} ads for alcohol are allowed.", NO_ALCOHOL).doubts
    assert Doubt.WORDS_MISSING in held(f"{opening} ads for kites are not allowed.", NO_ALCOHOL).doubts


def test_a_question_supports_nothing() -> None:
    assert held("You can advertise kites.", "Can you advertise kites?").verdict is SupportVerdict.UNSUPPORTED


def test_what_refers_back_is_about_what_came_before() -> None:
    body = "Ads for kites are reviewed. They must show the price."
    assert held("Ads must show the price.", body).verdict is not SupportVerdict.SUPPORTED
    assert held("Ads for kites must show the price.", body).verdict is SupportVerdict.SUPPORTED


def test_who_must_not_do_one_of_two_things_must_not_do_either() -> None:
    body = "Ads must not promise a job or a salary."
    assert held("Ads must not promise a job.", body).verdict is SupportVerdict.SUPPORTED
    either = "Ads must show a price or a seller."
    assert held("Ads must show a price.", either).verdict is SupportVerdict.UNSUPPORTED


def test_who_asked_about_a_place_takes_a_rule_of_it_for_that_place() -> None:
    assert held("Kite ads are allowed.", AT_HOME, None, "uk").verdict is SupportVerdict.SUPPORTED
    assert held("Kite ads are allowed.", AT_HOME, None, "fr").verdict is SupportVerdict.PARTLY


def test_a_quote_says_which_rule_is_meant() -> None:
    body = f"{NO_ALCOHOL} {IF_ADULT}"
    assert held(IF_ADULT, body, "may run if the audience is aged 18").verdict is SupportVerdict.SUPPORTED
    assert held(IF_ADULT, body, "for alcohol are not allowed").verdict is SupportVerdict.UNSUPPORTED
    assert held(IF_ADULT, body, "may run if the audience is aged 19").doubts == (Doubt.QUOTE_NOT_FOUND,)
    assert held(IF_ADULT, body, "run if").doubts == (Doubt.QUOTE_TOO_SHORT,)


def test_headings_say_what_a_rule_is_about() -> None:
    found = held("Kite ads must show the price.", "Ads must show the price.", heading="Kites")
    assert (found.quote_type, found.confidence) == (QuoteType.INFERENCE, 0.65)
    assert held("Dart ads must show the price.", "Ads must show the price.", heading="Kites").doubts


def test_every_sentence_and_every_clause_must_hold() -> None:
    found = held("Ads for kites may run. Ads for darts may run.", "Ads for kites may run.")
    assert found.verdict is SupportVerdict.PARTLY
    assert together(()).doubts == (Doubt.SAYS_NOTHING,)
    clauses = "Toy ads may show children but must not address them."
    assert held(clauses, "Ads for toys may show children, but must not address them.").doubts == ()
    turned = "Toy ads must not show children but may address them."
    assert held(turned, "Ads for toys may show children, but must not address them.").doubts


def test_the_span_is_verbatim_and_in_the_chunk_itself() -> None:
    found = passage("- Vodka\n- Beer", lead_in="The following are not allowed:")
    (result,) = support("Vodka is not allowed.", found)
    assert result.best is not None
    assert found.chunk.chunk_text[result.best.start : result.best.end] == result.best.text == "Vodka"
    assert [quote.text for quote in result.quotes] == ["The following are not allowed:", "Vodka"]


def test_a_whole_document_is_looked_through() -> None:
    many = [passage(f"Ads for item {number} must show a price.", f"Section {number}") for number in range(60)]
    found = support_in(IF_ADULT, [*many, passage(IF_ADULT, "Kites")])
    assert (found.verdict, found.confidence) == (SupportVerdict.SUPPORTED, 1.0)
    quoted = support_in(IF_ADULT, [*many, passage(IF_ADULT, "Kites")], "the audience is aged 18")
    assert quoted.verdict is SupportVerdict.SUPPORTED
    assert support_in(IF_ADULT, many, "the audience is aged 18").doubts == (Doubt.QUOTE_NOT_FOUND,)
    assert support_in(IF_ADULT, []).verdict is SupportVerdict.UNSUPPORTED
    assert support_in("...", many).doubts == (Doubt.SAYS_NOTHING,)


THINGS = st.lists(
    st.sampled_from("kites darts drones puzzles ropes lamps paints".split()), min_size=1, max_size=3, unique=True
)
EFFECTS = st.sampled_from(["may run", "must not run", "are allowed", "are prohibited", "must carry a label"])
LIMITS = st.sampled_from(["at least", "at most", "more than", "no more than", "exactly"])
UNITS = st.sampled_from(["days", "metres", "%", "euros", "pixels"])
NUMBERS = st.integers(min_value=2, max_value=9_999)


@st.composite
def rules(draw: st.DrawFn) -> tuple[str, int]:
    """A rule with one number, and the number."""
    number = draw(NUMBERS)
    things, effect, limit, unit = " and ".join(draw(THINGS)), draw(EFFECTS), draw(LIMITS), draw(UNITS)
    return f"Ads for {things} {effect} if the string has {limit} {number} {unit}.", number


@given(rules())
def test_a_rule_always_supports_itself(rule: tuple[str, int]) -> None:
    found = held(rule[0], rule[0])
    assert (found.verdict, found.quote_type, found.confidence) == (SupportVerdict.SUPPORTED, QuoteType.QUOTE, 1.0)


@given(rules(), NUMBERS)
def test_a_claim_with_another_number_is_never_supported(rule: tuple[str, int], number: int) -> None:
    text, own = rule
    claim = text.replace(f" {own} ", f" {number} ")
    assert (held(claim, text).verdict is SupportVerdict.SUPPORTED) is (number == own)
