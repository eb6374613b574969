"""Slack's text as plain text, and who is called in it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.messages import as_written, plain_text, said_in
from bot.questions.addressing import Said, mention_asks


@pytest.mark.parametrize(
    ("sent", "plain"),
    [
        ("A &amp; B &lt;b&gt; &amp;lt;", "A & B <b> &lt;"),
        ("see <https://example.com/a?b=1&amp;c=2>", "see https://example.com/a?b=1&c=2"),
        (
            "on <http://example.com|example.com> and <mailto:a@example.com|a@example.com>",
            "on example.com and a@example.com",
        ),
        ("<mailto:a@example.com>", "a@example.com"),
        ("<@U1> and <@U2|anna>", "@somebody and @anna"),
        ("in <#C1|ads> or <#C2>?", "in #ads or ?"),
        ("<!subteam^S1|@legal> <!here> <!date^1^{date}|1 May>", "@legal @group 1 May"),
        ("*can* I _really_ ~not~ `do` it", "can I really not do it"),
        ("```code\nblock```", "code\nblock"),
        ("snake_case_name and 2*3*4 stay", "snake_case_name and 2*3*4 stay"),
        ("&gt; quoted\nline", "quoted\nline"),
        (":beer: allowed? :thumbsup::skin-tone-2: 16:9 and 10:30:15", "allowed? 16:9 and 10:30:15"),
        ("beer\u00a0in\u202fFrance\u200b?", "beer in France?"),
        ("a\ue0000\ue001b \ue002", "a0b"),
        ("<not closed", "<not closed"),
        ("", ""),
    ],
)
def test_plain(sent: str, plain: str) -> None:
    assert plain_text(sent) == plain


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("Yes, *if* it is labelled :+1:", "Yes, *if* it is labelled :+1:"),
        ("see <https://evil.example/a?b=1&amp;c=2|our policy>", "see our policy (https://evil.example/a?b=1&c=2)"),
        ("see <https://example.com>", "see https://example.com"),
        ("<mailto:a@example.com|a@example.com>", "a@example.com"),
        ("<@U1> and <@U2|anna> in <#C1|ads> or <#C2>", "@somebody and @anna in #ads or #C2"),
        ("<!channel> <!subteam^S1|@legal> <!date^1^{date}|1 May>", "@group @legal 1 May"),
        ("A &amp; B &lt;!here&gt; &amp;lt;", "A & B <!here> &lt;"),
        ("two\nlines ", "two\nlines"),
    ],
)
def test_what_a_person_answers_is_as_it_was_written_and_shows_where_links_lead(sent: str, written: str) -> None:
    assert as_written(sent) == written


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("<@UBOT> beer?", Said("beer?", before_bot="")),
        ("<@UBOT>, beer?", Said("beer?", before_bot="")),
        ("<@UBOT|adpolicy>: beer?", Said("beer?", before_bot="")),
        ("beer <@UBOT>?", Said("beer?", before_bot="beer")),
        ("*<@UBOT>* beer", Said("beer", before_bot="")),
        ("<@U2> ask <@UBOT>", Said("@somebody ask", before_bot="@somebody ask", calls_others=True, others_first=True)),
        ("<@UBOT> <@U2> wants to know", Said("@somebody wants to know", before_bot="", calls_others=True)),
        ("<!here> beer?", Said("@group beer?", calls_others=True, others_first=True)),
        ("is <@U2> here?", Said("is @somebody here?", calls_others=True)),
        ("&gt; beer?\nno", Said("beer?\nno", quotes=True)),
    ],
)
def test_who_is_called(sent: str, said: Said) -> None:
    assert said_in(sent, "UBOT") == said


@pytest.mark.parametrize(
    "sent",
    [
        "<@UBOT> can I advertise beer?",
        "hi <@UBOT>! beer in France?",
        "Hey <@UBOT> is beer ok in France?",
        "ok, <@UBOT>: and in Spain?",
        "question for <@UBOT>: is beer ok?",
        "This one is for <@UBOT> - are lotteries allowed?",
        "is beer ok in France? <@UBOT>",
        "are lotteries allowed in Spain <@UBOT>?",
        "alcohol ads in the UK <@UBOT>",
        "<@UBOT>",
        "We want to run beer ads. <@UBOT> is that ok?",
        "<@UBOT> <@U2> wants to know if beer is ok in France",
        "thanks! <@UBOT> and in Spain?",
        "&gt; the client wants beer\n<@UBOT> can I advertise beer?",
        "FYI all\n<@UBOT> can I advertise beer?",
        "new client, beer\n  *<@UBOT>* is that ok?",
        "can I advertise <@UBOT> beer in the UK?",
        "Are we, <@UBOT>, allowed to run ads for beer?",
        "hey can we <@UBOT> promote lotteries in Spain?",
    ],
)
def test_a_mention_that_asks(sent: str) -> None:
    assert mention_asks(said_in(sent, "UBOT"))


@pytest.mark.parametrize(
    "sent",
    [
        "ask <@UBOT>",
        "can you ask <@UBOT>?",
        "have you tried <@UBOT>?",
        "<@U2> <@UBOT> can tell you",
        "<@U2> what does <@UBOT> say?",
        "I think <@UBOT> is wrong here",
        "we should use <@UBOT> for this",
        "I asked <@UBOT> and it said no",
        "according to <@UBOT>",
        "thanks <@UBOT>!",
        "<@UBOT> thanks a lot",
        "<@UBOT> :thumbsup: great",
        "love <@UBOT> so much, it saved me an hour",
        "the <@UBOT> answer above is outdated",
        "did <@UBOT> reply?",
        "why does <@UBOT> not answer?",
        "no mention at all?",
        "<!here> try <@UBOT>",
        "can I advertise what <@UBOT> allowed for beer?",
        "can I show <@UBOT> our beer ads?",
        "can we <@UBOT> this?",
        "can <@U2> <@UBOT> the beer ads?",
        "should we let legal know what answer <@UBOT> gave on beer ads?",
        "Anna can we tell <@UBOT> of our ads?",
        "we can advertise <@UBOT> everywhere",
    ],
)
def test_a_mention_that_does_not_ask(sent: str) -> None:
    assert not mention_asks(said_in(sent, "UBOT"))


@given(st.text(max_size=200) | st.text(alphabet="<>@#!|&;*_~`:\n U\ue000\ue001\ue0020", max_size=60))
def test_whatever_is_sent_is_read(text: str) -> None:
    said_in(text, "UBOT")


@pytest.mark.parametrize("text", ["```" + " " * 100_000 + "beer?", "beer" + " " * 200_000 + "ads?"])
def test_no_text_keeps_the_server_busy(text: str) -> None:
    began = time.process_time()
    said_in(text, "U1")
    assert time.process_time() - began < 10  # of the processor, far above what is measured


def test_code_is_read_without_its_marks() -> None:
    assert plain_text("```\n beer ads \n```") == "beer ads"
    assert plain_text("see ``` beer``` and ```wine ```") == "see beer and wine"
