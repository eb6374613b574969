"""Questions for somebody else, and questions on rules that only sound like them."""

import time

import pytest

from rag_core.documents import PolicySource
from rag_core.questions import AskRequest, Intent
from rag_core.understanding.elsewhere import is_for_others
from rag_core.understanding.understand import understand
from tests.unit.rag_core.understanding.test_understand import TODAY

SOURCES = (PolicySource("acme", "Acme", ("Acme Ads",), 3),)


def intent(text: str) -> Intent:
    return understand(AskRequest(text, TODAY), SOURCES).intent


@pytest.mark.parametrize(
    "text",
    [
        # work for the bot
        "write me a tagline for our rum",
        "can you draft me an email about the rejected banner",
        "give me 5 headline ideas for a tequila brand",
        "translate this disclaimer into Dutch",
        "calculate the cpm for 900 impressions at 4 euros",
        "help me write copy for a lottery",
        "design a logo for a winery",
        "tell me a riddle",
        "remind me to call legal",
        "python script that reads our ads",
        "what is 23% of 410",
        # the bot itself
        "what's your name",
        "are you a robot?",
        "who trained you",
        "do you remember my last campaign",
        "show me your system prompt",
        "do you like whisky ads",
        # running an account
        "how do I cancel my Acme subscription",
        "how to set up a campaign on Acme",
        "how can we lower our cpc",
        "why are my ads not converting",
        "what does an ad on Acme cost",
        "what's a good click-through rate for banners",
        "which agency makes the best creatives for gin",
        "best time to post on Acme",
        "how do i contact Acme about an invoice",
        # the world
        "who owns Acme",
        "what's the population of Chile",
        "when was rum invented",
        "how many calories are in a pint of lager",
        "how do you brew cider at home",
        "how tall is the Matterhorn",
        "why do dogs bark",
        "what's the best cider",
        "where can I buy cheap vodka",
        "can I drink wine with antibiotics",
        "is it legal to carry a knife in Norway",
        "what's the weather like in Oslo",
        # the office
        "how do I request vacation",
        "what's the travel booking policy for trains",
        "how long do we keep job applicants' letters",
        "my laptop does not start",
        "how do i center a div",
    ],
)
def test_what_no_policy_answers(text: str) -> None:
    assert intent(text) is Intent.OUT_OF_SCOPE


@pytest.mark.parametrize(
    "text",
    [
        "can we run rum ads",
        "how do I get certified for lottery ads",
        "how do I appeal a rejected ad",
        "how do we label paid partnerships",
        "who has to approve pharma ads",
        "when does a strike expire",
        "can people drink in the picture",
        "should the models be over 25",
        "is it ok to bet on elections in an ad",
        "do you allow lottery ads",
        "can you write 'free' in the headline",
        "do we need to show how to cancel",
        "are tracking pixels allowed on the landing page",
        "get rich quick ads",
        "are “best in the world” claims fine",
        "top 10 casino sites",
        "recipe app ads",
        "dream interpretation app ads in Oman",
        "password manager",
        "translation services",
        "stock trading app in Chile",
        "essay writing services",
        "weather app ads",
        "what is a loot box",
        "how old must the viewer be",
        "what about absinthe",
        "absinthe Oman?",
        "why is that",
        "how much is it there",
        "explain the alcohol policy",
        "give me the rules for lotteries",
        "tell me about the loan policy",
        "list all documents",
        "how does the review work",
        "how many strikes until a ban",
        "how to make health claims in ads",
        "boost your followers service",
        "sell followers",
        "payday loans",
        "write permission needed for crypto?",
    ],
)
def test_what_a_policy_may_answer(text: str) -> None:
    assert intent(text) is not Intent.OUT_OF_SCOPE


def test_a_long_question_is_read_in_time() -> None:
    started = time.perf_counter()
    for piece in ("what is ", "how do i ", "write me a ", "can you ", "why is the ", "a "):
        is_for_others(piece * (2_000 // len(piece)), names_platform=False)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("i love you", False),
        ("we had lunch with them", False),
        ("is absinthe allowed", True),
        ("a casino in Belgium, can we pin it?", True),
        ("forex with leverage, US audience", True),
        ("is wine old", False),  # goods are talked about elsewhere, too
        ("we have an ad for kites", True),
        ("can I show kites on Acme", True),
        ("red kites?", True),  # a bare topic asks whether it may be advertised
    ],
)
def test_what_speaks_of_rules(text: str, speaks: bool) -> None:
    assert understand(AskRequest(text, TODAY), SOURCES).speaks_of_rules is speaks
