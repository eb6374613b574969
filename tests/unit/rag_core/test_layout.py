from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rag_core.layout import Block, BlockKind, collapse, list_marker, read_blocks, row_text, write_blocks

TEXTS = st.text(min_size=1, max_size=40).map(collapse).filter(bool) | st.sampled_from(
    ["# 1", "- x", "a) x", "1. x", "| a |", "| --- |", "\\ x", "\\", "#", "-", "1.", "ii. x", "(a) x", "10.5 x", "##"]
)
CELLS = st.lists(TEXTS | st.sampled_from(["", "---", "-", "a|b"]), min_size=1, max_size=4)
MARKERS = st.sampled_from(["-", "1.", "12)", "a)", "(b)", "iv.", "X."])
LINES = st.one_of(
    st.builds(Block, st.just(BlockKind.HEADING), TEXTS, st.integers(1, 6)),
    st.builds(Block, st.just(BlockKind.PARAGRAPH), TEXTS),
    st.builds(Block, st.just(BlockKind.ITEM), TEXTS, st.integers(0, 4), MARKERS),
    st.builds(Block, st.just(BlockKind.ROW), CELLS.map(row_text)),
    st.builds(Block, st.just(BlockKind.HEADER_ROW), CELLS.map(row_text)),
)


@given(st.lists(LINES, max_size=12))
def test_what_is_written_is_read_back(blocks: list[Block]) -> None:
    text = write_blocks(blocks)

    read = read_blocks(text)

    assert [replace(block, start=-1, end=-1) for block in read] == blocks
    assert all(text[block.start : block.end] == block.text for block in read)


@given(st.lists(LINES, max_size=12))
def test_writing_what_was_read_changes_nothing(blocks: list[Block]) -> None:
    text = write_blocks(blocks)

    assert write_blocks(read_blocks(text)) == text


@given(st.lists(LINES, min_size=1, max_size=8), st.integers(0, 7))
def test_a_slice_from_the_start_of_a_line_gives_the_same_offsets(blocks: list[Block], skipped: int) -> None:
    text = write_blocks(blocks)
    starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]
    start = starts[min(skipped, len(starts) - 1)]

    read = read_blocks(text[start:], start)

    assert all(text[block.start : block.end] == block.text for block in read)


def test_lists_and_tables_stay_together_and_everything_else_is_set_apart() -> None:
    blocks = [
        Block(BlockKind.HEADING, "Alcohol", 2),
        Block(BlockKind.PARAGRAPH, "Not allowed:"),
        Block(BlockKind.ITEM, "spirits", 0, "-"),
        Block(BlockKind.ITEM, "over 40%", 1, "a)"),
        Block(BlockKind.HEADER_ROW, row_text(["Country", "Allowed?"])),
        Block(BlockKind.ROW, row_text(["France", ""])),
    ]

    assert write_blocks(blocks) == (
        "## Alcohol\n\nNot allowed:\n\n- spirits\n  a) over 40%\n\n"
        "| Country | Allowed? |\n| --- | --- |\n| France | - |\n"
    )


def test_a_block_without_text_is_left_out() -> None:
    assert write_blocks([Block(BlockKind.HEADING, "  ", 2), Block(BlockKind.PARAGRAPH, "x")]) == "x\n"


def test_cells_of_a_row() -> None:
    assert Block(BlockKind.ROW, row_text(["a|b", " ", "c  d"])).cells == ("a/b", "-", "c d")


def test_a_marker_that_could_not_be_read_back_becomes_a_dash() -> None:
    assert [list_marker(marker) for marker in ("•", "1000.", "", "iv)")] == ["-", "-", "-", "iv)"]
