"""Places and heading paths of the chunks of whole documents."""

from ingest.chunkers.drafts import ChunkDraft
from ingest.chunkers.sections import section_chunks
from ingest.places import Places, in_doubt, mentioned
from ingest.reader.parsing import parse
from rag_core.layout import write_blocks

_COUNTRIES = (
    "Finland Norway Sweden Denmark Iceland Estonia Latvia Poland Germany France Spain Portugal Italy Malta".split()
)


def cut(source: str, max_tokens: int = 256) -> tuple[str, list[ChunkDraft]]:
    parsed = parse(source.encode(), "text/markdown")
    text = write_blocks(parsed.blocks)
    title = parsed.title or "Untitled"
    drafts = section_chunks(text, parsed.anchors, title, Places(), lambda part: len(part) // 4 + 2, max_tokens)
    return text, drafts


def regions(source: str) -> dict[str, tuple[str, ...]]:
    """Text of each chunk -> where it holds."""
    text, drafts = cut(source)
    return {text[draft.start : draft.end]: draft.places.regions for draft in drafts}


def test_georgia_between_states_is_the_state_and_between_countries_the_country() -> None:
    states = regions("# Bets\n\n## Florida\n\nOne.\n\n## Georgia\n\nTwo.\n\n## Hawaii\n\nThree.\n")
    countries = regions("# Bets\n\n## Armenia\n\nOne.\n\n## Georgia\n\nTwo.\n\n## Germany\n\nThree.\n")
    assert states["Two."] == ("us-ga",)
    assert countries["Two."] == ("ge",)


def test_a_misspelt_country_between_countries() -> None:
    found = regions(
        "# Bets\n\n**Germany**\n\nOne.\n\n**Phillipines**\n\nTwo.\n\n**Norway**\n\nThree.\n\n**Peru**\n\nFour.\n"
    )
    assert found == {"One.": ("de",), "Two.": ("ph",), "Three.": ("no",), "Four.": ("pe",)}


def test_other_countries_are_all_but_their_neighbours() -> None:
    _, drafts = cut("# Bets\n\n## Germany\n\nOne.\n\n## Peru\n\nTwo.\n\n## All other countries\n\nThree.\n")
    assert drafts[-1].places == Places(("global",), ("de", "pe"))


def test_an_inline_bold_country_begins_a_chunk_of_its_own() -> None:
    found = regions("# Bets\n\nA permit is needed. **Mexico:** show its number. **India:** no bets at all.\n")
    assert found == {
        "A permit is needed.": ("global",),
        "Mexico: show its number.": ("mx",),
        "India: no bets at all.": ("in",),
    }


def test_closed_lists_in_a_sentence_hold_for_everybody_and_name_their_countries() -> None:
    text, (draft,) = cut("# Bets\n\nUnless listed below, bets are prohibited.\n\n- France\n- Spain\n\nOnly there.\n")
    assert draft.places == Places()
    assert mentioned(text[draft.start : draft.end]) == ("es", "fr")


def test_a_list_glued_below_the_wrong_country_is_read_by_its_own_words() -> None:
    found = regions(
        "# Bets\n\n**Peru**\n\nIf your ad is shown in Peru, we allow:\n\n- Dice with a permit. If your ad is shown in "
        "Chile, we don't allow:\n- Cards\n"
    )
    assert found["If your ad is shown in Chile, we don't allow:\n\n- Cards"] == ("cl",)


def test_a_long_table_keeps_its_header_its_note_and_the_places_of_its_rows() -> None:
    rows = "".join(
        f"| {name}{'*' if name == 'Spain' else ''} | yes, with a permit of the board | 18 |\n" for name in _COUNTRIES
    )
    table = f"| Country | Allowed? | Age |\n| --- | --- | --- |\n{rows}"
    text, drafts = cut(f"# Lots\n\nMarkets:\n\n{table}\n\\* Only lots of the state.\n", 120)
    assert len(drafts) > 2
    spain = next(draft for draft in drafts if "Spain*" in text[draft.start : draft.end])
    assert spain.places == Places()
    assert spain.lead_in.splitlines() == [
        "Markets:",
        "* Only lots of the state.",
        "| Country | Allowed? | Age |",
        "| --- | --- | --- |",
    ]
    assert "es" in mentioned(text[spain.start : spain.end])
    assert not in_doubt(f"{spain.lead_in}\n{text[spain.start : spain.end]}")
    after = drafts[drafts.index(spain) + 1 :]
    assert all("* Only" not in draft.lead_in for draft in after)


def test_a_paragraph_on_another_place_does_not_lead_into_a_list() -> None:
    _, drafts = cut("# Bets\n\nIn Chile, bets need a tag.\n\n- Peru: no bets\n- Cards\n")
    assert [(draft.places.regions, draft.lead_in) for draft in drafts] == [
        (("cl",), ""),
        (("pe",), ""),
        (("global",), ""),
    ]


def test_an_item_that_is_a_country_limits_the_items_below_it() -> None:
    found = regions("# Bets\n\nWhat holds in each market:\n\n- Sweden\n  - a permit\n- Peru\n  - a tag\n")
    named = regions("# Bets\n\nWe run them in:\n\n- Sweden\n- Peru\n")
    assert list(found.values()) == [("global",), ("se",), ("pe",)]
    assert list(named.values()) == [("global",)]


def test_the_title_stands_above_every_chapter_where_there_are_several() -> None:
    _, drafts = cut("# Ad rules\n\nHello there.\n\n# Wine\n\nNo.\n\n## Peru\n\nYes.\n")
    assert [draft.path for draft in drafts] == [("Ad rules",), ("Ad rules", "Wine"), ("Ad rules", "Wine", "Peru")]


def test_the_first_of_numbered_chapters_is_no_title() -> None:
    _, drafts = cut("# 1. Beer\n\nHello there.\n\n# 2. Wine\n\nNo.\n")
    assert [draft.path for draft in drafts] == [("1. Beer",), ("2. Wine",)]
