"""Claims held against rules: what supports them, how far, and each way in which they may go beyond."""

import pytest

from rag_core.answering.support import Doubt, Support, SupportVerdict, support, support_in, together
from rag_core.answers import QuoteType
from tests.fakes.rules import passage

IF_ADULT = "Ads for kites may run if the audience is aged 18 or over."
NO_ALCOHOL = "Ads for alcohol are not allowed."
TABLE = "| Country | Alcohol | Note |\n| --- | --- | --- |\n| Norway | No | - |\n| Spain | Yes | - |"
LIST = "The following are not allowed:\n\n- Vodka\n- Beer above 5% ABV"
ONLY_THERE = "Ads for kites are allowed only in Germany and Spain."
AT_HOME = "In the United Kingdom, ads for kites are allowed."


def held(claim: str, body: str, quote: str | None = None, *asked: str, heading: str = "Rules") -> Support:
    return together(support(claim, passage(body, heading), quote, asked))


@pytest.mark.parametrize(
    ("claim", "body", "kind", "least", "most"),
    [
        (IF_ADULT, IF_ADULT, QuoteType.QUOTE, 1.0, 1.0),
        ("Ads for kites may run if the audience is 18 or older.", IF_ADULT, QuoteType.PARAPHRASE, 0.9, 0.99),
        ("Kite ads may run only if the audience is 18 or over.", IF_ADULT, QuoteType.PARAPHRASE, 0.8, 0.99),
        ("Alcohol ads are prohibited.", NO_ALCOHOL, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Ads for beer are not allowed.", NO_ALCOHOL, QuoteType.INFERENCE, 0.5, 0.8),
        ("Alcohol is not allowed in Norway.", TABLE, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Alcohol ads are allowed in Spain.", TABLE, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Vodka is not allowed.", LIST, QuoteType.PARAPHRASE, 0.7, 0.99),
        ("Men must be 18 and women must be 21.", "Men must be 18 and women 21.", QuoteType.PARAPHRASE, 0.7, 0.99),
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
        ("Ads for kites may not run.", IF_ADULT, Doubt.NEGATION),
        ("Ads for alcohol are allowed.", NO_ALCOHOL, Doubt.NEGATION),
        ("Ads for alcohol are not prohibited.", NO_ALCOHOL, Doubt.NEGATION),
        ("Alcohol is allowed in Norway.", TABLE, Doubt.NEGATION),
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
        ("The fee is 25%.", "The fee is 25 euros.", Doubt.NUMBER),
        ("The fee is €2,500.", "The fee is €250.", Doubt.NUMBER),
        ("From 2 July 2026 kite ads need a licence.", "Ads for kites need a licence from 2026-07-01.", Doubt.DAY),
        ("Kite ads need a licence in August.", "Ads for kites need a licence in July.", Doubt.DAY),
        ("Ads for kites may run in France if the audience is aged 18 or over.", IF_ADULT, Doubt.PLACE),
        ("Kite ads must run in the evening.", "Ads for kites are shown in the evening.", Doubt.DEMAND),
        ("Kite ads are only shown in the evening.", "Ads for kites are shown in the evening.", Doubt.DEMAND),
        ("Ads for kites are allowed everywhere.", "Ads for kites are allowed.", Doubt.WIDER),
        ("Ads for kites are allowed without conditions.", "Ads for kites are allowed.", Doubt.WIDER),
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
        ("Ads for vodka may run if the audience is aged 18 or over.", IF_ADULT, Doubt.WORD),
        ("Ads for kites and darts may run if the audience is aged 18 or over.", IF_ADULT, Doubt.WORDS_MISSING),
        ("Kite ads are allowed.", AT_HOME, Doubt.PLACE_LEFT_OUT),
    ],
)
def test_what_is_supported_in_part(claim: str, body: str, doubt: Doubt) -> None:
    found = held(claim, body)
    assert (found.verdict, found.quote_type, found.doubts) == (SupportVerdict.PARTLY, None, (doubt,))
    assert 0 < found.confidence <= 0.5


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


def test_every_sentence_must_hold() -> None:
    found = held("Ads for kites may run. Ads for darts may run.", "Ads for kites may run.")
    assert found.verdict is SupportVerdict.PARTLY
    assert together(()).doubts == (Doubt.SAYS_NOTHING,)


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
