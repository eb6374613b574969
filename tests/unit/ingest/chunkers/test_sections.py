import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunkers.drafts import PATH_SEPARATOR, ChunkDraft
from ingest.chunkers.sections import section_chunks
from ingest.places import Places
from rag_core.documents import search_text
from rag_core.layout import Block, BlockKind, collapse, read_blocks, row_text, write_blocks

MAX_TOKENS = 256


def count(text: str) -> int:
    """Words and marks, and two tokens around every text, as real models have them."""
    return len(re.findall(r"\w+|[^\w\s]", text)) + 2


def cut(
    text: str, anchors: dict[int, str] | None = None, title: str = "Doc", places: Places | None = None
) -> list[ChunkDraft]:
    return section_chunks(text, anchors or {}, title, places or Places(), count, MAX_TOKENS)


def texts(text: str) -> list[str]:
    return [text[draft.start : draft.end] for draft in cut(text)]


def words(number: int, start: str = "Ads") -> str:
    return start + " must be fair" * (number // 3) + "."


def test_a_small_section_is_one_chunk_with_its_path() -> None:
    text = "# Alcohol\n\nIntro.\n\n## Beer\n\nNo ads:\n\n- at night\n- near schools\n\nMore.\n\n### Stout\n\nNone.\n"

    drafts = cut(text, {1: "beer"})

    assert [draft.path for draft in drafts] == [("Alcohol",), ("Alcohol", "Beer"), ("Alcohol", "Beer", "Stout")]
    assert [text[draft.start : draft.end] for draft in drafts] == [
        "Intro.",
        "No ads:\n\n- at night\n- near schools\n\nMore.",
        "None.",
    ]
    assert [draft.level for draft in drafts] == [1, 2, 3]


def test_the_path_begins_with_the_title_where_no_first_heading_does() -> None:
    assert [draft.path for draft in cut("Intro.\n\n## Beer\n\nx\n", title="Alcohol")] == [
        ("Alcohol",),
        ("Alcohol", "Beer"),
    ]
    assert [draft.path for draft in cut("## Alcohol\n\nx\n", title="Alcohol")] == [("Alcohol",)]


def test_the_anchor_is_that_of_the_nearest_heading() -> None:
    assert [draft.anchor for draft in cut("# A\n\nx\n\n## B\n\ny\n\n# C\n\nz\n", {0: "a"})] == ["a", "a", None]


def test_a_long_list_is_cut_between_items_and_carries_its_lead_in() -> None:
    items = "\n".join(f"- item {number} {words(24)}" for number in range(20))
    text = f"# Beer\n\nAll ads are reviewed. The following is not allowed:\n\n{items}\n"

    drafts = cut(text)

    assert len(drafts) > 2
    assert drafts[0].lead_in == ""
    assert text[drafts[0].start :].startswith("All ads are reviewed. The following is not allowed:\n\n- item 0")
    assert {draft.lead_in for draft in drafts[1:]} == {"The following is not allowed:"}
    assert all(text[draft.start : draft.start + 6] == "- item" for draft in drafts[1:])


def test_a_lead_in_of_one_word_brings_the_sentence_before_it() -> None:
    items = "\n".join(f"- item {number} {words(24)}" for number in range(20))
    text = f"# Beer\n\nAds must not promote home brewing at all.\n\nExamples:\n\n{items}\n"

    assert cut(text)[1].lead_in == "Ads must not promote home brewing at all.\nExamples:"


def test_nested_items_carry_the_item_above_them() -> None:
    items = "\n".join(f"  - item {number} {words(24)}" for number in range(20))
    text = f"# Beer\n\nNot allowed:\n\n- drinks such as\n{items}\n"

    drafts = cut(text)

    assert text[drafts[0].start : drafts[0].end].startswith("Not allowed:\n\n- drinks such as\n  - item 0")
    assert {draft.lead_in for draft in drafts[1:]} == {"Not allowed:\n- drinks such as"}


def test_rows_carry_the_header_and_the_sentence_before_the_table() -> None:
    rows = "\n".join(f"| Country {number} | {words(24)} |" for number in range(20))
    text = f"# Beer\n\nUnless listed below, ads are not allowed.\n\n| Country | Rule |\n| --- | --- |\n{rows}\n"

    drafts = cut(text)

    assert len(drafts) > 2
    assert text[drafts[0].start :].startswith("Unless listed below, ads are not allowed.\n\n| Country | Rule |")
    assert {draft.lead_in for draft in drafts[1:]} == {
        "Unless listed below, ads are not allowed.\n| Country | Rule |\n| --- | --- |"
    }
    assert read_blocks(drafts[1].lead_in)[1].kind is BlockKind.HEADER_ROW


def test_the_header_row_is_not_parted_from_the_first_row() -> None:
    text = f"# A\n\n{words(180)}\n\n| Country | Rule |\n| --- | --- |\n| France | {words(60)} |\n"

    assert next(part for part in texts(text) if "Country" in part).count("France") == 1


def test_a_paragraph_that_is_too_long_is_cut_at_sentence_ends() -> None:
    text = "# A\n\n" + " ".join(words(30, f"Rule {number} says that ads") for number in range(20)) + "\n"

    parts = texts(text)

    assert len(parts) > 2
    assert all(part.startswith("Rule ") and part.endswith(".") for part in parts)
    assert " ".join(parts) == text[5:].rstrip()


def test_a_sentence_that_is_too_long_is_cut_at_clauses_and_words() -> None:
    text = "# A\n\n" + ", ".join(f"drink number {number}" for number in range(200)) + " and word" * 300 + "\n"

    parts = texts(text)

    assert all(count(part) <= MAX_TOKENS for part in parts)
    assert " ".join(parts) == text[5:].rstrip()


def test_what_has_no_spaces_is_cut_as_well() -> None:
    japanese = "酒類の広告は禁止です。" * 60
    address = "https://ads.example/policies?" + "&".join(f"key{number}=value" for number in range(300))

    for text in (japanese, address, "x" * 3_000):
        drafts = section_chunks(f"{text}\n", {}, "Doc", Places(), lambda part: len(part) // 3 + 2, 100)
        assert len(drafts) > 1
        assert "".join(text[draft.start : draft.end] for draft in drafts) == text
        assert all(draft.end - draft.start <= 300 for draft in drafts)
    parts = section_chunks(f"{japanese}\n", {}, "Doc", Places(), lambda part: len(part) + 2, 100)
    assert all(japanese[draft.start : draft.end].endswith("。") for draft in parts)


def test_headings_that_are_too_long_leave_room_for_the_text() -> None:
    text = "# " + "very " * 300 + "long\n\n## " + "x" * 400 + "\n\n" + words(300) + "\n"

    drafts = cut(text)

    assert all(_size(text, draft) <= MAX_TOKENS for draft in drafts)
    assert all(len(PATH_SEPARATOR.join(draft.path)) <= 300 for draft in drafts)


def test_a_path_of_many_tokens_keeps_its_ends() -> None:
    text = "".join(f"{'#' * level} {name} " + "a " * 40 + "\n\n" for level, name in enumerate("ABC", 1)) + words(300)

    drafts = cut(text)

    assert all(_size(text, draft) <= MAX_TOKENS for draft in drafts)
    assert {draft.path[-1][0] for draft in drafts} == {"C"}
    assert {len(draft.path) for draft in drafts} == {1}


def test_a_tokenizer_that_counts_more_for_the_whole_than_for_the_lines() -> None:
    def jealous(text: str) -> int:
        return count(text) + 15 * text.count("\n")

    text = "# A\n\nNot allowed:\n\n" + "\n".join(f"- item {number} is bad" for number in range(60)) + "\n"
    drafts = section_chunks(text, {}, "A", Places(), jealous, MAX_TOKENS)

    sizes = [jealous(search_text("A", draft.lead_in, text[draft.start : draft.end])) for draft in drafts]
    assert max(sizes) <= MAX_TOKENS


def test_rule_numbers_part_chunks_and_do_not_reach_too_far() -> None:
    text = (
        "# Fees\n\n## 4. Rules\n\nIntro.\n\n4.1 One.\n\n4.2 Not allowed:\n\n- a\n- b\n\nClosing words.\n\n"
        "4.3 Appeals\n\nWithin 14 days.\n\nRule 4.1 does not apply to charities.\n\n2.5 MB is the limit.\n"
    )

    found = [(text[draft.start : draft.end], draft.rule_number) for draft in cut(text)]

    assert found == [
        ("Intro.", "4"),
        ("4.1 One.", "4.1"),
        ("4.2 Not allowed:\n\n- a\n- b", "4.2"),
        ("Closing words.", "4"),
        ("4.3 Appeals\n\nWithin 14 days.", "4.3"),
        ("Rule 4.1 does not apply to charities.\n\n2.5 MB is the limit.", "4"),
    ]


def test_places_of_headings_labels_and_lists() -> None:
    text = (
        "# Guns\n\nRestricted.\n\nAustralia: not allowed.\n\nToys are toys.\n\n## Germany\n\n"
        "Allowed if:\n\n- Bavaria asks\n\n### Knives\n\nAllowed.\n\n## Others\n\nOnly in:\n\n- France\n"
        "- Spain: with a permit\n  - and a form\n- Italy\n\n"
        "Norway:\n\n- no ads\n\nThe end.\n"
    )

    found = [(text[draft.start : draft.end], draft.places.regions) for draft in cut(text)]

    assert found == [
        ("Restricted.", ("global",)),
        ("Australia: not allowed.", ("au",)),
        ("Toys are toys.", ("global",)),
        ("Allowed if:\n\n- Bavaria asks", ("de",)),
        ("Allowed.", ("de",)),
        ("Only in:\n\n- France", ("global",)),
        ("- Spain: with a permit\n  - and a form", ("es",)),
        ("- Italy", ("global",)),
        ("Norway:\n\n- no ads", ("no",)),
        ("The end.", ("global",)),
    ]


def test_an_item_with_a_place_of_its_own_carries_the_lead_in() -> None:
    drafts = cut("# A\n\nThe following is not allowed:\n\n- Spain: beer ads\n- wine ads\n")

    assert [draft.lead_in for draft in drafts] == ["", "The following is not allowed:", "The following is not allowed:"]


def test_the_documents_own_place_is_the_default() -> None:
    assert cut("# A\n\nx\n\n## France\n\ny\n", places=Places(("uk", "ie")))[0].places.regions == ("uk", "ie")


def test_a_heading_that_says_something_is_kept_without_text_below_it() -> None:
    text = "# A\n\nx\n\n## We do not allow tobacco ads\n\n## Weapons\n\n## Beer\n\ny\n"

    assert texts(text) == ["x", "We do not allow tobacco ads", "y"]


def test_whole_lists_and_tables_are_atomic() -> None:
    assert [
        draft.is_atomic for draft in cut("# A\n\nNo:\n\n- a\n- b\n\n# B\n\nx\n\n# C\n\n| a |\n| --- |\n| b |\n")
    ] == [
        True,
        False,
        True,
    ]


def _size(text: str, draft: ChunkDraft) -> int:
    return count(search_text(PATH_SEPARATOR.join(draft.path), draft.lead_in, text[draft.start : draft.end]))


PHRASES = st.lists(
    st.sampled_from(
        ["Ads", "must", "not", "be", "shown.", "Germany:", "In France,", "(see 4.2)", "4.2", "beer,", "x" * 30]
    ),
    min_size=1,
    max_size=60,
).map(" ".join)
BLOCKS = st.lists(
    st.one_of(
        st.builds(Block, st.just(BlockKind.HEADING), PHRASES, st.integers(1, 4)),
        st.builds(Block, st.just(BlockKind.PARAGRAPH), PHRASES),
        st.builds(Block, st.just(BlockKind.ITEM), PHRASES, st.integers(0, 3), st.sampled_from(["-", "1."])),
        st.builds(Block, st.just(BlockKind.ROW), st.lists(PHRASES, min_size=1, max_size=3).map(row_text)),
        st.builds(Block, st.just(BlockKind.HEADER_ROW), st.lists(PHRASES, min_size=1, max_size=3).map(row_text)),
    ),
    max_size=15,
)


@settings(max_examples=60, deadline=None)
@given(BLOCKS)
def test_every_chunk_fits_and_nothing_is_lost(blocks: list[Block]) -> None:
    text = write_blocks(blocks)

    drafts = cut(text)

    assert all(_size(text, draft) <= MAX_TOKENS for draft in drafts)
    assert all(one.end <= other.start for one, other in pairwise(drafts))
    body = "".join(block.text for block in read_blocks(text) if block.kind is not BlockKind.HEADING)
    kept = "".join(
        block.text
        for draft in drafts
        for block in read_blocks(text[draft.start : draft.end])
        if not _is_heading_alone(text, draft)
    )
    assert re.sub(r"[\s|\\-]", "", body) in re.sub(r"[\s|\\-]", "", kept) or collapse(body) == ""
    for draft in drafts:
        for line in draft.lead_in.split("\n"):
            assert line in text


def _is_heading_alone(text: str, draft: ChunkDraft) -> bool:
    return text[: draft.start].endswith("# ")
