"""What a question means that names no place or platform: said, never wider than it was set, and easy to leave."""

from typing import Any

import pytest

from bot.wording import scope_hint, scope_line
from rag_core.answers import Answer, Verdict, WarningCode
from rag_core.documents import PolicySource
from rag_core.questions import Background, Filters, Scope, Turn
from tests.fakes.kites import BRIM, DARTS, HIDDEN, NO, TOYS, answer, ask, document, kites, refusal, verdicts
from tests.fakes.policies import open_desk

UK = Filters(regions=("uk",))
ACME = Filters(policy_sources=("acme",))
NAMES = {"acme": "Acme", "brim": "Brim"}


async def scope_of(text: str, defaults: Filters = UK, **changes: Any) -> Scope:
    return (await ask(open_desk(TOYS, BRIM, DARTS), text, defaults=defaults, **changes)).scope


async def test_a_question_that_names_no_place_means_the_default_one_and_says_so() -> None:
    reply = await answer(open_desk(TOYS), "can I advertise kites?", defaults=UK)
    assert verdicts(reply) == {("uk", "acme"): Verdict.RESTRICTED}
    assert reply.scope.assumed == ("as_of", "regions")
    assert "Place: United Kingdom (assumed: the default of this channel)" in scope_line(reply.scope, NAMES)
    assert scope_hint(reply.scope) == "Not what you meant? Name the place and ask again."


async def test_a_platform_likewise() -> None:
    reply = await answer(open_desk(TOYS, BRIM), "can I advertise kites?", defaults=ACME)
    assert {source for _, source in verdicts(reply)} == {"acme"}
    assert "Platform: Acme (assumed: the default of this channel)" in scope_line(reply.scope, NAMES)
    assert "Name the platform" in scope_hint(reply.scope)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("can I advertise kites in Belgium?", {}),
        ("can I advertise kites?", {"filters": Filters(regions=("be",))}),
        ("and for kites?", {"history": (Turn("user", "can I advertise darts in Belgium?"),)}),
    ],
)
async def test_words_filters_and_the_conversation_win(text: str, changes: dict[str, Any]) -> None:
    scope = await scope_of(text, **changes)
    assert (scope.regions, scope.assumed) == (("be",), ("as_of",))


@pytest.mark.parametrize(
    "text",
    [
        "can I advertise kites anywhere?",
        "can I advertise kites globally?",
        "Are kites allowed worldwide?",
        "in which countries can I advertise kites?",
        "can I advertise kites in all our markets?",
        "are kites allowed in any country?",
        "Where can I advertise kites?",
        "can I advertise kites around the world?",
        "can I advertise kites in other countries?",
        "are kites banned in some countries?",
        "are there countries where kites are prohibited?",
        "kite rules by country",
        "what are the country restrictions for kites?",
        "can I advertise kites in the rest of the world?",
        "can we run one campaign for kites cross-border?",
        "can I advertise kites in multiple jurisdictions?",
    ],
)
async def test_who_asks_for_anywhere_is_not_narrowed(text: str) -> None:
    scope = await scope_of(text)
    assert (scope.regions, scope.assumed) == ((), ("as_of",))


@pytest.mark.parametrize(
    "text",
    [
        "can I advertise kites in Europe?",
        "can I advertise kites in the Middle East?",
        "can I advertise kites in latam?",
        "can I advertise kites to Asian customers?",
        "can I advertise kites in Bavaria?",
        "can I advertise kites across Atlantis?",
    ],
)
async def test_a_place_that_is_not_known_is_not_taken_for_the_default_one(text: str) -> None:
    scope = await scope_of(text)
    assert (scope.regions, scope.assumed) == ((), ("as_of",))


async def test_south_america_is_not_the_united_states() -> None:
    for text in ("South America", "Latin America", "Central America", "latin American markets"):
        assert (await scope_of(f"can I advertise kites in {text}?")).regions == (), text
    assert (await scope_of("can I advertise kites in America?")).regions == ("us",)


@pytest.mark.parametrize(
    "text",
    [
        "on which platforms can I advertise kites?",
        "can I advertise kites on all platforms?",
        "can I advertise kites on other networks?",
    ],
)
async def test_who_asks_for_any_platform_is_not_narrowed(text: str) -> None:
    assert (await scope_of(text, ACME)).policy_sources == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"history": (Turn("user", "can I advertise darts in Belgium?"), Turn("assistant", "Yes."))},
        {"history": (Turn("user", "can I advertise darts anywhere?"),)},
        {"background": Background(topics=("darts",), regions=("be",))},
    ],
)
async def test_a_conversation_about_another_place_is_not_narrowed(changes: dict[str, Any]) -> None:
    scope = await scope_of("can I advertise kites?", **changes)
    assert (scope.regions, scope.assumed) == ((), ("as_of",))


async def test_a_conversation_in_which_the_default_counted_goes_on_with_it() -> None:
    history = (Turn("user", "can I advertise darts?"),)
    scope = await scope_of("and kites?", history=history)
    assert (scope.regions, scope.assumed) == (("uk",), ("as_of", "regions"))


async def test_a_conversation_about_another_platform_is_not_narrowed() -> None:
    history = (Turn("user", "can I advertise darts on Brim?"),)
    assert (await scope_of("can I advertise kites?", ACME, history=history)).policy_sources == ()


async def test_a_platform_without_documents_is_not_answered_from_the_default_one() -> None:
    desk = open_desk(TOYS, platforms=(PolicySource("glide", "Glide", (), 1),))
    reply = await refusal(desk, "can I advertise kites on Glide?", defaults=ACME)
    assert reply.scope.policy_sources == ()
    assert "Glide" in repr(reply)


async def test_help_and_lists_of_documents_are_of_everything() -> None:
    both = Filters(("acme",), ("uk",))
    for text in ("help", "which policies do you have?"):
        assert (await scope_of(text, both)).assumed == ("as_of",)


async def test_what_is_not_known_any_more_is_left_out_with_a_warning() -> None:
    defaults = Filters(("gone", "brim"), ("xx", "uk", "global"))
    reply = await ask(open_desk(TOYS, BRIM), "can I advertise kites?", defaults=defaults)
    assert (reply.scope.policy_sources, reply.scope.regions) == (("brim",), ("uk",))
    assert WarningCode.DEFAULT_IGNORED in {each.code for each in reply.warnings}


async def test_a_platform_that_the_asker_may_not_see_is_no_default_and_is_not_named() -> None:
    hidden = document("vault_toys", kites(NO), policy_source="vault", **HIDDEN)
    reply = await ask(open_desk(TOYS, hidden), "can I advertise kites?", defaults=Filters(("vault",)))
    assert isinstance(reply, Answer)
    assert reply.scope.policy_sources == ()
    assert "vault" not in repr(reply)


async def test_no_more_places_than_are_answered_for_at_once() -> None:
    many = Filters(regions=("uk", "be", "fr", "de", "it", "es", "pt"))
    assert (await scope_of("can I advertise kites?", many)).regions == ("uk", "be", "fr", "de", "it")


async def test_with_a_default_place_nothing_is_allowed_there_that_is_not_allowed_there() -> None:
    """The place's own ban counts although nobody named the place."""
    general = document("acme_toys", kites("Ads for kites are allowed."), kites(NO, "uk", heading="Britain"))
    reply = await answer(open_desk(general), "can I advertise kites?", defaults=UK)
    assert verdicts(reply) == {("uk", "acme"): Verdict.PROHIBITED}
