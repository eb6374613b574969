"""Platforms that are asked about and of which there are no documents."""

import pytest

from ops.platforms import known_platforms
from rag_core.answers import Answer, Notice, Refusal, RefusalReason, WarningCode
from rag_core.documents import PolicySource
from rag_core.questions import AskRequest, Filters
from rag_core.understanding.absent import find_absent
from tests.fakes.kites import TODAY, TOYS
from tests.fakes.policies import open_desk

PLATFORMS = (
    PolicySource("kiteflix", "Kiteflix", ("Kiteflix Ads", "Kiflix")),
    PolicySource("acme", "Acme", ("Acme Ads",)),
)
KNOWN = (PolicySource("acme", "Acme", ("Acme Ads", "Oldname"), 3),)


@pytest.mark.parametrize(
    "text",
    [
        "can I run gin ads on Kiteflix in Peru?",
        "gin on kiteflix",
        "Kiteflix: gin?",
        "kiteflix ads for gin",
        "kiteflix age limit for gin campaigns",
        "what are Kiteflix's rules for gin",
        "does Kiteflix allow gin",
        "gin ads kiteflix?",
        "compare Acme and Kiteflix on gin",
        "is gin allowed on Kiflix ads",
        "gin on Kitflix",
        "gin via the Kiteflix ads manager",
    ],
)
def test_where_the_ads_would_run(text: str) -> None:
    assert find_absent(text, PLATFORMS, KNOWN).names == ("Kiteflix",)


@pytest.mark.parametrize(
    "text",
    [
        "Kiteflix ads on Acme",
        "are Kiteflix ads allowed on Acme?",
        "is Kiteflix ok in Peru on Acme",
        "Kiteflix on Acme: ok?",
    ],
)
def test_where_the_ads_run_is_said_another_name_is_what_they_are_for(text: str) -> None:
    assert find_absent(text, PLATFORMS, KNOWN).names == ()


@pytest.mark.parametrize(
    "text",
    [
        "gin on Acme and Kiteflix",
        "does Kiteflix allow what may run on Acme",
        "what runs on Acme vs Kiteflix",
        "Kiteflix rules against those on Acme",
    ],
)
def test_a_platform_beside_the_known_one_is_one(text: str) -> None:
    assert find_absent(text, PLATFORMS, KNOWN).names == ("Kiteflix",)


@pytest.mark.parametrize(
    "text",
    [
        "sell Kiteflix followers on Acme",
        "can our ad mention Kiteflix?",
        "Kiteflix gift cards as a prize",
        "ads that show the Kiteflix logo",
        "ads for Kiteflix premium",
        "a competitor of Kiteflix",
        "gin on Acme",
        "gin on Oldname",
        "gin",
    ],
)
def test_what_is_only_advertised_or_mentioned(text: str) -> None:
    assert find_absent(text, PLATFORMS, KNOWN).names == ()


def test_the_platforms_known_by_name_have_each_name_once() -> None:
    platforms = known_platforms()
    names = [name.lower() for each in platforms for name in (each.display_name, *each.aliases)]
    assert len(platforms) > 30
    assert len(names) == len(set(names))
    assert all(each.documents == 0 for each in platforms)


async def test_a_question_about_them_is_refused_with_their_name_and_nothing_looked_up() -> None:
    desk = open_desk(TOYS, platforms=PLATFORMS)
    reply, trace = await desk.asker.ask(AskRequest("can I advertise kites on Kiteflix?", TODAY))
    assert isinstance(reply, Refusal)
    assert reply.reason is RefusalReason.NOT_COVERED
    assert reply.warnings == (Notice(WarningCode.NO_DOCUMENTS, ("Kiteflix",)),)
    assert trace.candidates == ()


async def test_beside_one_that_is_on_file_it_is_named_in_a_warning() -> None:
    desk = open_desk(TOYS, platforms=PLATFORMS)
    asked = AskRequest("can I advertise kites on Kiteflix?", TODAY, filters=Filters(policy_sources=("acme",)))
    reply, _ = await desk.asker.ask(asked)
    assert isinstance(reply, Answer)
    assert Notice(WarningCode.NO_DOCUMENTS, ("Kiteflix",)) in reply.warnings
