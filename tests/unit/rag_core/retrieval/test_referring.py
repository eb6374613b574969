"""A section that a quoted rule refers to is offered as a choice; it is never drawn in, and never hinted at."""

from dataclasses import replace
from typing import Any

from ingest.ports import VersionWrite
from rag_core.answers import Answer, Choice
from rag_core.questions import Filters
from rag_core.retrieval.finder import MOST_REFERRED, referred_sections
from rag_core.retrieval.found import Found
from rag_core.retrieval.stored import PassageReader
from tests.fakes.documents import Section, passages_of
from tests.fakes.kites import HIDDEN, answer, document, kites, said
from tests.fakes.policies import FakePolicyStore, open_desk

RULE = "Ads for kites are allowed, subject to the section on permits."
PERMITS = Section("Permits", "A board of flying hands out papers within nine weeks.")


def referring(
    *others: Section, first: Section | None = None, to: tuple[int, ...] = (1,), **version: Any
) -> VersionWrite:
    """A rule on kites that refers to the sections numbered `to`."""
    write = document("acme_toys", first or kites(RULE), *others, **version)
    return replace(write, chunks=(replace(write.chunks[0], refers_to=to), *write.chunks[1:]))


def sections(reply: Answer) -> list[Choice]:
    return [each for each in reply.choices if each.kind == "section"]


async def test_it_is_offered_as_a_question_for_the_section_and_the_place_asked() -> None:
    reply = await answer(open_desk(referring(PERMITS)), "can I advertise kites in the UK?")
    (choice,) = sections(reply)
    assert choice.subject == "Permits"
    assert choice.question == "Acme Toys: Permits"
    assert choice.filters == Filters(("acme",), ("uk",), sections=("permits",))
    assert said(reply) == [RULE]


async def test_the_offer_can_be_asked() -> None:
    desk = open_desk(referring(PERMITS))
    (choice,) = sections(await answer(desk, "can I advertise kites?"))
    reply = await answer(desk, choice.question, filters=choice.filters)
    assert said(reply) == [PERMITS.body]


async def test_a_section_for_another_place_is_not_offered() -> None:
    belgian = replace(PERMITS, regions=("be",))
    assert sections(await answer(open_desk(referring(belgian)), "can I advertise kites in the UK?")) == []
    assert len(sections(await answer(open_desk(referring(belgian)), "can I advertise kites in Belgium?"))) == 1
    left_out = replace(PERMITS, excluded=("uk",))
    assert sections(await answer(open_desk(referring(left_out)), "can I advertise kites in the UK?")) == []


async def test_a_section_that_is_quoted_anyway_is_not_offered() -> None:
    write = referring(kites("Kites must show their string.", heading="Strings"))
    reply = await answer(open_desk(write), "can I advertise kites?")
    assert any("string" in each for each in said(reply))
    assert sections(reply) == []


async def test_what_the_asker_may_not_see_is_not_hinted_at() -> None:
    write = referring(PERMITS, **HIDDEN)
    cited = passages_of(write)[:1]
    reader = PassageReader(FakePolicyStore(write))
    assert await referred_sections(cited, cited, (), reader, frozenset()) == ([], ())
    shown, _ = await referred_sections(cited, cited, (), reader, frozenset({"legal"}))
    assert [each.chunk.policy_section for each in shown] == ["Permits"]


class CountingStore(FakePolicyStore):
    sections_read = 0

    async def section(self, *args: Any) -> Any:
        self.sections_read += 1
        return await super().section(*args)


async def test_few_are_offered_and_what_was_found_is_not_read_again() -> None:
    others = [Section(f"Part {number}", "Papers.") for number in range(9)]
    write = referring(*others, to=tuple(range(1, 9)))
    passages = passages_of(write)
    store = CountingStore(write)
    found = [Found(each, 0.5).passage for each in passages]
    shown, _ = await referred_sections(passages[:1], found, (), PassageReader(store), frozenset())
    assert [each.chunk.policy_section for each in shown] == ["Part 0", "Part 1", "Part 2"]
    assert len(shown) == MOST_REFERRED
    assert store.sections_read == 0
    await referred_sections(passages[:1], passages[:1], (), PassageReader(store), frozenset())
    assert store.sections_read == 2 * MOST_REFERRED
