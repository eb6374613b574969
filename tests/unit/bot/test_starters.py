"""Questions to begin with: of titles that make a sentence, with an answer, for each set of groups by itself."""

from datetime import date
from typing import Any

from bot.commands.home import Starters
from bot.wording.home import permission_question, starter_question
from rag_core.answers import AskTrace, Reply
from rag_core.ports import Watching
from rag_core.questions import AskRequest
from tests.fakes.kites import BRIM, HIDDEN, SECRET, TOYS, document, kites
from tests.fakes.policies import Desk, open_desk
from tests.fakes.service import REPLY, TRACE

TODAY = date(2026, 6, 1)
LEGAL = frozenset({"legal"})


class Refusing:
    """AsksPolicies that has no answer to anything."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        self.asked.append(request.text)
        return REPLY, TRACE


def starters(desk: Desk, **changes: Any) -> Starters:
    return Starters(desk.asker, desk.store, {"acme": "Acme", "brim": "Brim"}, today=lambda: TODAY, **changes)


async def test_each_has_an_answer_and_names_a_place_with_a_rule_of_its_own() -> None:
    own = kites("Ads for kites are not allowed.", "be", heading="Belgium")
    write = document("acme_kites", kites("Ads for kites are allowed."), own, title="Kites")
    assert await starters(open_desk(write)).of(frozenset()) == ("What are the rules on kites in Belgium?",)


async def test_what_only_a_group_may_see_is_offered_to_that_group_alone() -> None:
    hidden = document("acme_kites", kites("Ads for kites are allowed."), title="Kites of the board", **HIDDEN)
    desk = open_desk(TOYS, BRIM, hidden, SECRET)
    made = starters(desk)
    assert any("board" in each for each in await made.of(LEGAL))
    assert not any("board" in each or "ecret" in each for each in await made.of(frozenset()))
    await made.aclose()


async def test_titles_that_are_no_words_are_left_out() -> None:
    odd = [document(f"acme_k{n}", kites("Ads for kites are allowed."), title=title) for n, title in enumerate(ODD)]
    fine = document("acme_kites", kites("Ads for kites are allowed."), title="Kites")
    assert await starters(open_desk(*odd, fine)).of(frozenset()) == ("What are the rules on kites?",)


ODD = ("Kites <!channel>", "Kites [here](https://evil.example)", "Kites `x`", "https://kites.example", "Kites " * 30)


async def test_nothing_is_offered_that_has_no_answer() -> None:
    desk, refusing = open_desk(TOYS, BRIM), Refusing()
    made = Starters(refusing, desk.store, {}, today=lambda: TODAY)
    assert await made.of(frozenset()) == ()
    assert len(refusing.asked) == 2


async def test_the_library_is_looked_through_once_in_a_while() -> None:
    desk = open_desk(document("acme_kites", kites("Ads for kites are allowed."), title="Kites"))
    now = [0.0]
    made = starters(desk, seconds=600, clock=lambda: now[0])
    first = await made.of(frozenset())
    asked = len(desk.index.queries)
    assert await made.of(frozenset()) == first
    assert len(desk.index.queries) == asked
    now[0] = 600.0
    assert await made.of(frozenset()) == first
    assert len(desk.index.queries) > asked


def test_platform_and_place_are_named_and_capitals_stay() -> None:
    assert starter_question("Alcohol", "Acme", "the UK") == "What are the rules on alcohol in the UK on Acme?"
    assert permission_question("Alcohol", "Acme") == "Can we advertise alcohol on Acme?"
    assert starter_question("CBD products") == "What are the rules on CBD products?"
