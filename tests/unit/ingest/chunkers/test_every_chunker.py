"""What every chunker keeps, whatever the document."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunkers.drafts import PATH_SEPARATOR, ChunkDraft
from ingest.chunkers.factory import chunker_of, whole
from ingest.places import Places
from rag_core.documents import search_text
from rag_core.errors import Rejected
from rag_core.layout import Block, BlockKind, read_blocks, row_text, write_blocks

KINDS = ("sections", "rules", "semantic", "naive", "auto")
MAX_TOKENS = 200


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text)) + 2


def cut(kind: str, text: str) -> list[ChunkDraft]:
    return chunker_of(kind).cut(text, {}, "Doc", Places(), count, MAX_TOKENS)


def size(text: str, draft: ChunkDraft) -> int:
    return count(search_text(PATH_SEPARATOR.join(draft.path), draft.lead_in, text[draft.start : draft.end]))


PHRASES = st.lists(
    st.sampled_from(
        [
            "Ads",
            "must",
            "not",
            "be",
            "shown.",
            "Germany:",
            "In France,",
            "(see 4.2)",
            "4.2",
            "4.3(a) Ads",
            "9.12",
            "beer,",
            "Rule 4",
            "x" * 30,
        ]
    ),
    min_size=1,
    max_size=70,
).map(" ".join)
CELLS = st.lists(PHRASES, min_size=1, max_size=3).map(row_text)
BLOCKS = st.lists(
    st.one_of(
        st.builds(Block, st.just(BlockKind.HEADING), PHRASES, st.integers(1, 4)),
        st.builds(Block, st.just(BlockKind.PARAGRAPH), PHRASES),
        st.builds(Block, st.just(BlockKind.ITEM), PHRASES, st.integers(0, 3), st.sampled_from(["-", "1."])),
        st.builds(Block, st.just(BlockKind.ROW), CELLS),
        st.builds(Block, st.just(BlockKind.HEADER_ROW), CELLS),
    ),
    max_size=15,
)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(blocks=BLOCKS)
def test_chunks_fit_in_order_and_hold_all_the_text(kind: str, blocks: list[Block]) -> None:
    text = write_blocks(blocks)

    drafts = cut(kind, text)

    assert all(size(text, draft) <= MAX_TOKENS for draft in drafts)
    assert all(draft.start < draft.end <= len(text) for draft in drafts)
    assert [draft.start for draft in drafts] == sorted({draft.start for draft in drafts})
    assert all(line in text for draft in drafts for line in draft.lead_in.split("\n"))
    assert drafts == cut(kind, text)
    for block in read_blocks(text):
        if block.kind is not BlockKind.HEADING:
            assert _is_covered(text, block, drafts)


def _is_covered(text: str, block: Block, drafts: list[ChunkDraft]) -> bool:
    return all(
        text[at].isspace() or any(draft.start <= at < draft.end for draft in drafts)
        for at in range(block.start, block.end)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_always_carries_what_leads_into_it(kind: str) -> None:
    items = "".join(f"- item {number} is no part of any advertising here\n" for number in range(60))
    text = f"# Beer\n\nThe following is not allowed:\n\n{items}"

    drafts = cut(kind, text)

    assert len(drafts) > 2
    assert drafts[0].lead_in == ""
    assert {draft.lead_in for draft in drafts[1:]} == {"The following is not allowed:"}


@pytest.mark.parametrize("kind", KINDS)
def test_places_never_share_a_chunk(kind: str) -> None:
    text = (
        "# Beer\n\nAds are reviewed.\n\n## Germany\n\nAllowed.\n\n## France\n\nNot allowed.\n\nSpain: not at night.\n"
    )

    found = {text[draft.start : draft.end]: draft.places.regions for draft in cut(kind, text)}

    assert found == {
        "Ads are reviewed.": ("global",),
        "Allowed.": ("de",),
        "Not allowed.": ("fr",),
        "Spain: not at night.": ("es",),
    }


def test_the_names_tell_chunkers_apart() -> None:
    assert len({chunker_of(kind).name for kind in KINDS}) == len(KINDS)


def test_an_unknown_chunker_is_named_with_those_that_there_are() -> None:
    with pytest.raises(Rejected, match="unknown_chunker") as caught:
        chunker_of("paragraphs")

    assert caught.value.details == {"kind": "paragraphs", "known": sorted(KINDS)}


def test_a_document_that_is_not_cut_is_one_chunk_if_it_can_be_read_whole() -> None:
    text = "# Beer\n\nNo ads.\n\n## At night\n\n- none\n"

    (draft,) = whole(text, {}, "Beer", Places(("uk",)), count, MAX_TOKENS)

    assert text[draft.start : draft.end] == text.strip()
    assert (draft.path, draft.places, draft.is_atomic) == (("Beer",), Places(("uk",)), True)
    longer = text + "\nAds must be fair to people." * 60
    assert len(whole(longer, {}, "Beer", Places(), count, MAX_TOKENS)) > 1
    assert whole("", {}, "Beer", Places(), count, MAX_TOKENS) == []
