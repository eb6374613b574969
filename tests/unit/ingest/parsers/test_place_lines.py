"""Which lines of a document are headings because they are places, numbers in a row, or the top of a table."""

from ingest.reader.parsing import parse
from rag_core.layout import BlockKind

_ALL = (
    "France, Spain, Italy, Germany, the Netherlands, Belgium, Poland, Portugal, Sweden, Norway, Finland, Denmark, "
    "Austria and Switzerland"
)


def headings(text: str) -> list[tuple[int, str]]:
    blocks = parse(text.encode(), "text/markdown").blocks
    return [(block.level, block.text) for block in blocks if block.kind is BlockKind.HEADING]


def lines(text: str, mime_type: str = "text/markdown") -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in parse(text.encode(), mime_type).blocks]


def test_a_bold_run_on_list_of_countries_is_a_heading_however_long() -> None:
    found = headings(f"# Wagers\n\n**{_ALL}**\n\nAn age gate is needed.\n")
    assert found == [(1, "Wagers"), (2, _ALL)]


def test_bold_labels_in_bullets_are_no_headings() -> None:
    assert headings("# Wagers\n\n- **Europe:** France, Spain\n- **Asia:** Japan\n") == [(1, "Wagers")]


def test_a_misspelt_bare_line_among_countries_is_a_heading_beside_them() -> None:
    text = "# Wagers\n\nGermany\n\nA permit.\n\nPhillipines\n\nA stamp.\n\nFrance\n\nA tag.\n\nNorway\n\nA gate.\n"
    assert headings(text) == [(1, "Wagers"), *[(2, name) for name in ("Germany", "Phillipines", "France", "Norway")]]


def test_a_misspelt_bold_country_does_not_go_below_the_one_before_it() -> None:
    text = (
        "# Wagers\n\n**Germany**\n\nA permit.\n\n**Frnace**\n\nA stamp.\n\n**Norway**\n\nA tag.\n\n**Chile**\n\nNo.\n"
    )
    assert headings(text) == [(1, "Wagers"), *[(2, name) for name in ("Germany", "Frnace", "Norway", "Chile")]]


def test_a_lone_line_that_is_nearly_a_country_is_text() -> None:
    assert headings("# Wagers\n\nPhillipines\n\nA permit.\n") == [(1, "Wagers")]


def test_a_country_below_a_colon_is_what_was_announced() -> None:
    assert headings("# Wagers\n\nWe only run them in:\n\nGermany\n\nAsk us for more.\n") == [(1, "Wagers")]


def test_several_countries_on_a_bare_line_are_a_heading_only_where_others_are() -> None:
    alone = "# Wagers\n\nThe markets.\n\nFrance, Spain\n\nAsk us for more.\n"
    among = "# Wagers\n\nItaly\n\nNo.\n\nFrance and Spain\n\nYes.\n\nPeru\n\nNo.\n\nChile\n\nNo.\n"
    assert headings(alone) == [(1, "Wagers")]
    assert (2, "France and Spain") in headings(among)


def test_a_lead_in_for_another_country_is_taken_out_of_the_item_it_is_glued_to() -> None:
    found = lines("# Wagers\n\n- A permit is needed. If your ad is shown in Peru, we do not allow:\n- Dice\n")
    assert found[1:] == [
        ("item", "A permit is needed."),
        ("paragraph", "If your ad is shown in Peru, we do not allow:"),
        ("item", "Dice"),
    ]


def test_an_item_that_leads_into_its_own_list_stays_whole() -> None:
    found = lines("# Wagers\n\n- A permit is needed. It must show:\n  - the number\n")
    assert found[1] == ("item", "A permit is needed. It must show:")


def test_numbered_lines_in_a_row_are_headings_above_those_between_them() -> None:
    text = "# Rules\n\n" + "\n".join(
        f"{number}\\. {name}\n\nAds must not do this.\n\n##### More\n\nNever.\n"
        for number, name in enumerate(("Noise", "Glare", "Smoke"), 1)
    )
    assert headings(text) == [
        (1, "Rules"),
        *[each for name in ("1. Noise", "2. Glare", "3. Smoke") for each in ((4, name), (5, "More"))],
    ]


def test_a_numbered_line_among_marked_ones_has_their_level() -> None:
    text = "# Rules\n\n### 1. Noise\n\nNo.\n\n2\\. Glare\n\nNo.\n\n### 3. Smoke\n\nNo.\n"
    assert headings(text) == [(1, "Rules"), (3, "1. Noise"), (3, "2. Glare"), (3, "3. Smoke")]


def test_numbered_lines_that_are_sentences_a_list_or_too_few_stay_text() -> None:
    sentences = "# Rules\n\n" + "".join(f"{number}\\. Ads must not do this.\n\nMore.\n\n" for number in (1, 2, 3))
    listed = "# Rules\n\n1\\. Noise\n\n2\\. Glare\n\n3\\. Smoke\n\nAll of it.\n"
    few = "# Rules\n\n1\\. Noise\n\nNo.\n\n2\\. Glare\n\nNo.\n"
    assert headings(sentences) == headings(listed) == headings(few) == [(1, "Rules")]


def test_the_header_of_a_table_may_be_its_third_row() -> None:
    text = (
        "# Lots\n\n| Lots by market | | |\n| --- | --- | --- |\n| valid from May | | |\n| Country | Allowed? | Age |\n"
        "| Finland | yes | 18 |\n| Peru | no | - |\n"
    )
    assert lines(text)[1:] == [
        ("paragraph", "Lots by market"),
        ("paragraph", "valid from May"),
        ("header_row", "Country | Allowed? | Age"),
        ("row", "Finland | yes | 18"),
        ("row", "Peru | no | -"),
    ]


def test_countries_as_columns_below_a_title_are_the_header() -> None:
    text = (
        "<h1>Lots</h1><table><tr><th colspan=3>Where</th></tr><tr><td>Lots of</td><td>France</td><td>Spain</td></tr>"
        "<tr><td>the state</td><td>yes</td><td>no</td></tr></table>"
    )
    assert lines(text, "text/html")[1:] == [
        ("paragraph", "Where"),
        ("header_row", "Lots of | France | Spain"),
        ("row", "the state | yes | no"),
    ]


def test_a_row_of_a_country_never_becomes_the_header() -> None:
    text = "# Lots\n\n| Europe | | |\n| --- | --- | --- |\n| France | yes | 18 |\n| Spain | no | - |\n"
    assert lines(text)[1:] == [
        ("header_row", "Europe | - | -"),
        ("row", "France | yes | 18"),
        ("row", "Spain | no | -"),
    ]
