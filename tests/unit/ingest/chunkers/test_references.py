import re

import pytest

from ingest.chunkers.drafts import ChunkDraft
from ingest.chunkers.factory import chunker_of
from ingest.chunkers.references import Reference, resolve_references, sections_meant
from ingest.places import Places
from rag_core.layout import BlockKind, read_blocks


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text)) + 2


def cut(text: str, kind: str = "sections") -> list[ChunkDraft]:
    headings = {at: block.text.lower() for at, block in enumerate(read_blocks(text)) if block.kind is BlockKind.HEADING}
    return chunker_of(kind).cut(text, headings, "Code", Places(), count, 256)


def found(text: str, kind: str = "sections") -> list[tuple[str, str, list[str]]]:
    """(kind, words, path or rule of each target)."""
    drafts = cut(text, kind)
    return [
        (each.kind, text[each.start : each.end], [drafts[at].rule_number or drafts[at].path[-1] for at in each.targets])
        for each in resolve_references(text, drafts)
    ]


BOOK = "# Code\n\n4.1 Ads are honest.\n\n4.2 Ads must not:\n\n4.2(a) Lie.\n\n4.2(b) Cheat.\n\n4.3 {}\n\n4.4 End.\n"


@pytest.mark.parametrize(
    ("sentence", "references"),
    [
        ("See section 4.1 for more.", [("number", "4.1", ["4.1"])]),
        ("Subject to rule 4.2(b) below.", [("number", "4.2(b)", ["4.2(b)"])]),
        ("Rules 4.1 and 4.4 hold too.", [("number", "4.1", ["4.1"]), ("number", "4.4", ["4.4"])]),
        ("See 4.2, which holds too.", [("number", "4.2", ["4.2"])]),
        ("See section 7.1 of another code.", [("number", "7.1", [])]),
        ("Ads under 18 years and under 5 MB.", []),
        ("See section 4.1 of the Broadcasting Act.", [("number", "4.1", [])]),
        ("See section 4.1 of this code.", [("number", "4.1", ["4.1"])]),
        ("In this rule 4 and this Section 4.1, ads are paid.", []),
        (
            "See sections 4.1, 4.2, and 9 and 4.4.",
            [("number", "4.1", ["4.1"]), ("number", "4.2", ["4.2"]), ("number", "9", []), ("number", "4.4", ["4.4"])],
        ),
        ("See rule 4.1(c).", [("number", "4.1(c)", ["4.1"])]),
        ("This is rule 4.3.", [("number", "4.3", [])]),
    ],
)
def test_numbers(sentence: str, references: list[tuple[str, str, list[str]]]) -> None:
    assert found(BOOK.format(sentence), "rules") == references


def test_a_number_that_only_its_parts_bear_means_all_of_them() -> None:
    text = "# Code\n\n## Food\n\n4.2.1 Ads are honest.\n\n4.2.2 Ads are fair.\n\n## More\n\nSee section 4.2.\n"

    assert found(text) == [("number", "4.2", ["4.2.1", "4.2.2"])]


PAGE = (
    "# Code\n\n## Alcohol\n\nNo ads for beer.\n\n## Gambling\n\n{}\n\n## Restricted content\n\n### Weapons\n\nNone.\n\n"
    "### Tobacco\n\nNone at all.\n"
)


@pytest.mark.parametrize(
    ("sentence", "references"),
    [
        ("As set out in Alcohol above, ask first.", [("title", "Alcohol", ["Alcohol"])]),
        ("See our Alcohol policy.", [("title", "Alcohol", ["Alcohol"])]),
        ("Ads must comply with the “Weapons” section.", [("title", "Weapons", ["Weapons"])]),
        ("See Restricted Content.", [("title", "Restricted Content", ["Weapons", "Tobacco"])]),
        ("As set out in Alcohol below.", [("title", "Alcohol", [])]),
        ("See Alcoholics Anonymous.", []),
        ("See the alcohol on the shelf.", []),
        ("Follow Gambling rules.", [("title", "Gambling", [])]),
        ("Read more (#alcohol).", [("anchor", "#alcohol", ["Alcohol"])]),
        ("Our #1 rule.", []),
        ("The rules above hold here.", [("near", "The rules above", ["Alcohol"])]),
        ("The list below is complete.", [("near", "The list below", [])]),
    ],
)
def test_titles_anchors_and_neighbours(sentence: str, references: list[tuple[str, str, list[str]]]) -> None:
    assert found(PAGE.format(sentence)) == references


def test_a_title_that_two_sections_bear_is_not_guessed() -> None:
    text = (
        "# Code\n\n## Beer\n\n### Exceptions\n\nA.\n\n## Wine\n\nSee Exceptions. See Exceptions above.\n\n"
        "## Gin\n\n### Exceptions\n\nB.\n"
    )

    drafts = cut(text)
    first, second = resolve_references(text, drafts)

    assert first.targets == ()
    assert [drafts[at].path for at in second.targets] == [("Code", "Beer", "Exceptions")]


def test_a_reference_says_where_it_stands() -> None:
    text = BOOK.format("See section 4.1.")

    (reference,) = resolve_references(text, cut(text, "rules"))

    assert reference == Reference(4, text.index("4.1."), text.index("4.1.") + 3, "number", (0,))
    assert resolve_references("", []) == ()


def test_of_a_section_that_is_meant_the_first_chunk_counts_once() -> None:
    long = " ".join(f"Sentence number {at} tells more about beer." for at in range(60))
    text = f"# Code\n\n## Beer\n\n{long}\n\n## Wine\n\nSee Beer. See Beer above.\n\n## Gin\n\nNothing.\n"

    drafts = cut(text)
    beer = [at for at, draft in enumerate(drafts) if draft.path[-1] == "Beer"]
    (wine,) = (at for at, draft in enumerate(drafts) if draft.path[-1] == "Wine")

    assert len(beer) > 1
    assert sections_meant(text, drafts) == {wine: (beer[0],)}
