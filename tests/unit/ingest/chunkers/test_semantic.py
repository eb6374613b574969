import re
from itertools import pairwise

from ingest.chunkers.drafts import ChunkDraft
from ingest.chunkers.factory import chunker_of
from ingest.places import Places


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text)) + 2


def cut(text: str, max_tokens: int = 1000, kind: str = "semantic") -> list[ChunkDraft]:
    return chunker_of(kind).cut(text, {}, "Doc", Places(), count, max_tokens)


def bodies(text: str, max_tokens: int = 1000) -> list[str]:
    return [text[draft.start : draft.end] for draft in cut(text, max_tokens)]


def prose(sentences: int, first: int = 0) -> str:
    return " ".join(f"Sentence {number} says that ads are fair." for number in range(first, first + sentences))


def test_long_prose_is_cut_at_sentences_below_the_most_characters_and_overlaps() -> None:
    text = f"# A\n\n{prose(120)}\n"

    drafts = cut(text)

    assert len(drafts) > 3
    for one, other in pairwise(drafts):
        assert 0 < one.end - other.start <= 150
        assert text[other.start :].startswith("Sentence ")
        assert text[: one.end].endswith("fair.")
    assert all(draft.end - draft.start <= 1000 for draft in drafts)


def test_paragraphs_fill_a_chunk() -> None:
    text = "# A\n\n" + "\n\n".join(prose(6, 10 * part) for part in range(8)) + "\n"

    assert all(200 <= len(body) <= 1000 for body in bodies(text))


def test_a_rest_below_the_least_stays_with_what_precedes_it() -> None:
    text = f"# A\n\n{prose(23)}\n\nThe end is near.\n"

    assert bodies(text)[-1].endswith("The end is near.")
    assert len(bodies(text)) == 1


def test_small_sections_join_under_their_common_heading() -> None:
    text = "# Drinks\n\n## Beer\n\nNo ads at all.\n\n## Wine\n\nAds after nine.\n\n## Cider\n\n" + prose(20) + "\n"

    drafts = cut(text)

    assert text[
        drafts[0].start : drafts[0].end
    ] == "## Beer\n\nNo ads at all.\n\n## Wine\n\nAds after nine.\n\n## Cider\n\n" + prose(20)
    assert drafts[0].path == ("Drinks",)
    assert len(drafts) == 1


def test_a_section_and_its_small_subsection_keep_the_path_of_the_upper_one() -> None:
    text = f"# Drinks\n\n{prose(10)}\n\n## Beer\n\nNo ads.\n\n# Food\n\n{prose(10)}\n"

    drafts = cut(text)

    assert [draft.path for draft in drafts] == [("Doc", "Drinks"), ("Doc", "Food")]
    assert text[drafts[0].start : drafts[0].end].endswith("## Beer\n\nNo ads.")


def test_small_sections_of_different_places_stay_apart() -> None:
    text = "# Drinks\n\n## Germany\n\nAllowed.\n\n## France\n\nNot allowed.\n"

    assert bodies(text) == ["Allowed.", "Not allowed."]


def test_a_heading_keeps_at_least_two_hundred_characters_of_what_follows() -> None:
    rows = "".join(f"| Country {number} | Ads for beer are not allowed there |\n" for number in range(22))
    text = f"# A\n\nAds are reviewed.\n\nMore below.\n\n| Country | Rule |\n| --- | --- |\n{rows}"

    first = bodies(text)[0]

    assert first.startswith("Ads are reviewed.")
    assert len(first) > 1000


def test_tables_and_numbered_lists_stay_whole_beyond_the_most_characters() -> None:
    rows = "".join(f"| Country {number} | {prose(1)} |\n" for number in range(25))
    items = "".join(f"{number}. {prose(1)}\n" for number in range(1, 26))
    text = f"# A\n\n{prose(6)}\n\n| Country | Rule |\n| --- | --- |\n{rows}\n# B\n\n{prose(6)}\n\n{items}"

    found = cut(text)
    table = next(text[draft.start : draft.end] for draft in found if "Country 3" in text[draft.start : draft.end])
    numbered = next(text[draft.start : draft.end] for draft in found if "\n5. " in text[draft.start : draft.end])

    assert len(table) > 1000
    assert "Country 24" in table
    assert len(numbered) > 1000
    assert "\n25. " in numbered
    assert all(draft.warning is None for draft in found)


def test_a_bullet_list_is_cut_and_not_repeated() -> None:
    items = "".join(f"- {prose(1)} Number {number}.\n" for number in range(60))
    drafts = cut(f"# A\n\nNot allowed:\n\n{items}")

    assert len(drafts) > 2
    assert all(one.end <= other.start for one, other in pairwise(drafts))
    assert {draft.lead_in for draft in drafts[1:]} == {"Not allowed:"}


def test_a_line_that_refers_to_another_section_stays_whole() -> None:
    line = f"{prose(40)} See section 4.2 for more."
    plain = f"{prose(40)} Ask for more."

    assert bodies(f"# A\n\n{line}\n") == [line]
    assert len(bodies(f"# A\n\n{plain}\n")) > 1


def test_a_table_that_cannot_be_read_whole_is_cut_between_rows_with_a_warning() -> None:
    rows = "".join(f"| Country {number} | {prose(1)} |\n" for number in range(40))
    text = f"# A\n\nUnless listed here, ads are not allowed.\n\n| Country | Rule |\n| --- | --- |\n{rows}"

    drafts = cut(text, 200)

    assert len(drafts) > 3
    assert drafts[0].warning is None
    assert {draft.warning for draft in drafts[1:]} == {"table_split"}
    assert {draft.lead_in for draft in drafts[1:]} == {
        "Unless listed here, ads are not allowed.\n| Country | Rule |\n| --- | --- |"
    }
    assert all(text[draft.start :].startswith("| Country") for draft in drafts[1:])


def test_naive_windows_overlap_by_a_hundred_characters_and_end_between_words() -> None:
    text = f"# A\n\n{prose(120)}\n"

    drafts = cut(text, kind="naive")

    assert len(drafts) > 3
    for one, other in pairwise(drafts):
        assert 80 <= one.end - other.start <= 100
        assert text[other.start - 1] == " "
    assert all(950 <= draft.end - draft.start <= 1000 for draft in drafts[:-1])


def test_a_joined_chunk_never_reaches_back_over_what_holds_elsewhere() -> None:
    text = "# Doc\n\n## Beer\n\nIn France,\n\nNo ads.\n\n## Wine\n\nNo ads.\n"

    drafts = cut(text)

    assert [text[draft.start : draft.end] for draft in drafts] == ["In France,", "No ads.", "No ads."]
    assert [draft.places.regions for draft in drafts] == [("fr",), ("global",), ("global",)]
