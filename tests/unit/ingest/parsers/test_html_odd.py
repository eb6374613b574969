"""What real pages do to meaning: struck words, tabs, note marks, pictures instead of words."""

import pytest

from ingest.parsers.html.document import parse_html
from ingest.parsers.markdown import parse_markdown
from rag_core.layout import write_blocks


def text_of(body: str) -> str:
    return write_blocks(parse_html(f"<!doctype html><html><body>{body}</body></html>".encode()).blocks)


def markdown(text: str) -> str:
    return write_blocks(parse_markdown(text.encode()).blocks)


@pytest.mark.parametrize("tag", ["del", "s", "strike"])
def test_struck_words_are_no_part_of_a_policy(tag: str) -> None:
    assert text_of(f"<p>Beer is <{tag}>allowed</{tag}> <ins>restricted</ins>.</p>") == "Beer is restricted.\n"
    assert markdown(f"Beer is <{tag}>allowed</{tag}> restricted.") == "Beer is restricted.\n"
    assert markdown("Beer is ~~allowed~~ restricted.") == "Beer is restricted.\n"


def test_a_note_mark_does_not_become_part_of_a_number() -> None:
    assert text_of("<p>Over 18<sup>2</sup> in H<sub>2</sub>O<sup>th</sup></p>") == "Over 18[2] in H2Oth\n"
    assert text_of("<table><tr><td>18<sup><a href='#n'>1</a></sup></td><td>x<sup>*</sup></td></tr></table>") == (
        "| 18[1] | x* |\n"
    )
    assert markdown("Over 18<sup>2</sup> only") == "Over 18[2] only\n"


def test_the_label_of_a_tab_stands_above_what_it_shows() -> None:
    tabs = (
        "<div role='tablist'><button role='tab' aria-controls='a'>France</button>"
        "<button role='tab' aria-controls='b'>Chile</button></div>"
        "<div role='tabpanel' id='a'><p>No.</p></div><section role='tabpanel' id='b'><p>Yes.</p></section>"
    )

    assert text_of(f"<h2>Beer</h2>{tabs}") == "## Beer\n\n### France\n\nNo.\n\n### Chile\n\nYes.\n"


def test_a_bold_first_row_is_the_header_of_a_table() -> None:
    bold = "<tr><td><b>Country</b></td><td><strong>Allowed?</strong></td></tr>"
    rows = "<tr><td>Mexico</td><td>no</td></tr>"

    assert text_of(f"<table>{bold}{rows}</table>") == "| Country | Allowed? |\n| --- | --- |\n| Mexico | no |\n"
    assert text_of(f"<table>{rows}{rows}</table>") == "| Mexico | no |\n| Mexico | no |\n"
    assert text_of(f"<table>{bold}{bold}</table>") == "| Country | Allowed? |\n| Country | Allowed? |\n"
    assert text_of(f"<table><tr><td><b>Mexico</b></td><td>no</td></tr>{rows}</table>") == (
        "| Mexico | no |\n| Mexico | no |\n"
    )


def test_a_long_table_is_read_to_its_last_row() -> None:
    rows = "".join(f"<tr><td>Place {at}</td><td>no</td></tr>" for at in range(2_500))
    assert text_of(f"<table>{rows}</table>").endswith("| Place 2498 | no |\n| Place 2499 | no |\n")


def test_a_wide_table_is_read_to_its_last_column() -> None:
    cells = "".join(f"<td>Place {at}</td>" for at in range(99))
    said = text_of(f"<table><tr><td colspan=70>All</td></tr><tr>{cells}</tr></table>")
    assert said.endswith("| Place 97 | Place 98 |\n")


def test_a_picture_speaks_for_a_cell_without_words() -> None:
    assert text_of("<table><tr><td>Mexico</td><td><img alt='Not allowed' src='x'></td></tr></table>") == (
        "| Mexico | Not allowed |\n"
    )


def test_numbers_of_items_are_those_that_the_page_shows() -> None:
    assert text_of("<ol start='3'><li>c</li><li value='7'>g</li><li>h</li></ol>") == "3. c\n7. g\n8. h\n"
    assert text_of("<ol type='i'><li>a</li><li>b</li></ol>") == "i. a\nii. b\n"


WORDS = "<p>Ads for alcohol are restricted in every place that is named here.</p>"


def test_notes_beside_the_content_are_part_of_it_and_links_to_other_pages_are_not() -> None:
    page = (
        f'<main>{WORDS}<aside class="note">Except: Spain.</aside><aside>Wine is another matter. It is banned.</aside>'
        '<aside><h2>More.</h2><a href="/x">Gambling rules and more of them</a></aside><aside class="related">See: us.'
        "</aside><aside>Related</aside><footer class='footnotes'>* Below 2.8%.</footer><footer>Written: May.</footer>"
        '</main><aside class="note">Cookies: yes.</aside><footer class="legal">Imprint: Acme.</footer>'
    )
    assert [line for line in text_of(page).split("\n") if line][1:] == [
        "Except: Spain.",
        "Wine is another matter. It is banned.",
        "* Below 2.8%.",
    ]


def test_only_what_is_a_banner_is_dropped_as_one() -> None:
    assert "Partners" in text_of(f'{WORDS}<div class="trusted-partners"><p>Partners may run ads.</p></div>')
    assert "Partners" not in text_of(f'{WORDS}<div class="truste-bar"><p>Partners may track you.</p></div>')
    assert "restricted" in text_of(f'<div id="cookie-wall">{WORDS}</div>')  # a page that lies behind its banner


def test_a_title_above_the_content_is_kept_if_there_is_no_other() -> None:
    header = "<header><nav>Menu</nav><p>Sign in</p><h1>Alcohol</h1></header>"
    assert text_of(f"{header}{WORDS}").startswith("# Alcohol\n\nAds for")
    assert text_of(f"{header}<h1>Beer</h1>{WORDS}").startswith("# Beer\n\nAds for")


@pytest.mark.parametrize(
    "opener",
    [
        '<a class="accordion__title" href="#a">Loans</a>',
        '<div role="button" aria-expanded="false">Loans</div>',
        '<a data-bs-toggle="collapse" href="#a">Loans</a>',
        '<button aria-controls="a">Loans</button>',
        "<details><summary>Loans</summary></details>",
        '<div class="faq-question"><span>Loans</span></div>',
    ],
)
def test_what_opens_a_part_of_a_page_is_its_heading(opener: str) -> None:
    assert text_of(
        f'<main>{WORDS}<h2>Topics</h2>{opener}<div id="a"><p>Only with a licence.</p></div></main>'
    ).endswith("## Topics\n\n### Loans\n\nOnly with a licence.\n")


def test_a_sign_before_words_says_what_they_mean() -> None:
    page = '<ul><li><img alt="Not allowed" src="x.png"> Beer</li><li><img alt="A bottle" src="y.png">Wine</li></ul>'
    assert text_of(f"<p>These are our rules:</p>{page}").endswith("- Not allowed: Beer\n- Wine\n")


def test_items_in_a_cell_are_set_apart() -> None:
    cell = "<p>Not allowed:</p><ul>\n<li>beer</li>\n<li>wine.</li><li>cider</li></ul>"
    page = f"<table><tr><th>Country</th><th>Rules</th></tr><tr><td>Spain</td><td>{cell}</td></tr></table>"
    assert text_of(page).endswith("| Spain | Not allowed: beer; wine. cider |\n")


def test_lists_made_of_line_breaks() -> None:
    page = "<p>This is not allowed:<br>• beer<br>- <b>wine</b>, red<br>2) cider</p><p>A – B<br>- that is all</p>"
    assert text_of(page) == "This is not allowed:\n\n- beer\n- wine, red\n2) cider\n\nA – B - that is all\n"


def test_an_html_table_in_markdown_may_hold_empty_lines() -> None:
    table = "<table>\n<tr><th>Country</th><th>Ads</th></tr>\n\n<tr><td>\n\nSpain\n\n</td><td>no</td></tr>\n\n</table>"
    assert markdown(f"Where:\n\n{table}\n\nEnd.") == (
        "Where:\n\n| Country | Ads |\n| --- | --- |\n| Spain | no |\n\nEnd.\n"
    )
    assert markdown("<table><tr><td>a</td>\n\n# Beer\n\nNo.\n\n</table>").endswith("# Beer\n\nNo.\n")  # never closed


def test_dots_that_are_no_markdown_begin_items() -> None:
    assert markdown("This is not allowed:\n• beer\n•wine, red\n\nEnd.") == (
        "This is not allowed:\n\n- beer\n- wine, red\n\nEnd.\n"
    )
    assert markdown("One • dot.\nTwo.") == "One • dot. Two.\n"


def test_marks_for_a_site_generator_are_no_part_of_a_heading() -> None:
    assert markdown("## Beer {#beer .wide}\n\nNo.\n\n## Wine {: .wide }\n\nYes.\n\n## {Cider}\n\nNo.") == (
        "## Beer\n\nNo.\n\n## Wine\n\nYes.\n\n## {Cider}\n\nNo.\n"
    )
