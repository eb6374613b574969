"""The text before a passage that begins in the middle of a thought."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from rag_core.documents import Classification, Passage
from rag_core.retrieval.finder import FROM_THE_BEST, begins_in_the_middle, with_what_stands_before
from rag_core.retrieval.found import Found
from rag_core.retrieval.stored import PassageReader
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.policies import FakePolicyStore

LEAD = "Kites need a permit in every country."


def chunk_of(text: str, index: int = 1, lead_in: str = "") -> Passage:
    write = make_write(make_version("acme_kites"), [Section("Kites", LEAD), Section("Kites", text)])
    each = passages_of(write)[1]
    return replace(each, chunk=replace(each.chunk, chunk_index=index, lead_in=lead_in))


@pytest.mark.parametrize(
    "text",
    [
        "This holds for darts as well.",
        "Such ads carry a warning.",
        "The above does not apply to paper kites.",
        "In that case the ad is rejected.",
        "and the audience is aged 18 or over.",
        "- paper kites",
        "| Germany | No |",
    ],
)
def test_what_refers_back_an_item_a_row_and_half_a_sentence_begin_in_the_middle(text: str) -> None:
    assert begins_in_the_middle(chunk_of(text).chunk)
    assert not begins_in_the_middle(chunk_of(text, index=0).chunk)
    assert not begins_in_the_middle(chunk_of(text, lead_in="We allow:").chunk)


@pytest.mark.parametrize("text", ["Kites may run.", "Thistles are not kites.", "An item is a thing.", ""])
def test_whole_sentences_do_not(text: str) -> None:
    assert not begins_in_the_middle(replace(chunk_of("Kites.").chunk, chunk_text=text))


async def completed(*sections: Section, found: Sequence[int], groups: frozenset[str] = frozenset()) -> list[str]:
    hidden = {"classification": Classification.RESTRICTED, "allowed_groups": frozenset({"legal"})}
    write = make_write(make_version("acme_kites", date(2026, 1, 1), **hidden), list(sections))
    passages = passages_of(write)
    results = [Found(passages[index], 0.9 - index / 100) for index in found]
    reader = PassageReader(FakePolicyStore(write))
    found_, degraded = await with_what_stands_before(results, reader, groups)
    assert degraded == ()
    return [each.passage.chunk.chunk_text for each in found_]


LEGAL = frozenset({"legal"})
SUCH = "Such ads carry a warning."


async def test_the_text_before_it_follows_a_passage() -> None:
    sections = Section("Kites", LEAD), Section("Kites", SUCH), Section("Darts", "Darts may run.")
    assert await completed(*sections, found=[1, 2], groups=LEGAL) == [SUCH, LEAD, "Darts may run."]


async def test_what_was_found_anyway_or_may_not_be_seen_is_not_added() -> None:
    sections = Section("Kites", LEAD), Section("Kites", SUCH)
    assert await completed(*sections, found=[1, 0], groups=LEGAL) == [SUCH, LEAD]
    assert await completed(*sections, found=[1]) == [SUCH]


async def test_another_section_and_another_places_rule_do_not_explain_it() -> None:
    assert await completed(Section("Darts", LEAD), Section("Kites", SUCH), found=[1], groups=LEGAL) == [SUCH]
    belgian = Section("Kites", LEAD, ("be",))
    assert await completed(belgian, Section("Kites", SUCH, ("uk",)), found=[1], groups=LEGAL) == [SUCH]


async def test_only_the_best_are_completed() -> None:
    sections = [
        each
        for number in range(FROM_THE_BEST + 1)
        for each in (Section(f"Part {number}", f"{LEAD} {number}"), Section(f"Part {number}", f"{SUCH} {number}"))
    ]
    texts = await completed(*sections, found=range(1, 2 * FROM_THE_BEST + 2, 2), groups=LEGAL)
    assert sum(text.startswith(LEAD) for text in texts) == FROM_THE_BEST
