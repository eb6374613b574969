"""What is a command, and what is a question that begins like one."""

from datetime import date

import pytest

from bot.commands.grammar import Ask, Command, ShowHelp, ShowSettings, Subscribe, Unsubscribe, parse
from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, Intent
from rag_core.understanding.understand import understand

TODAY = date(2026, 3, 2)
SOURCES = [PolicySource("google", "Google Ads", ("google",)), PolicySource("meta", "Meta")]


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "?", "??", "help", "HELP", " Help ", "help me", "help!", "help please", "\u201chelp\u201d", "`help`",
        "\u00a0help\u00a0", "\u200bhelp", "<@UBOT> help", "<@UBOT>", "@adpolicy help", "<at>adpolicy</at> help",
        "/adpolicy help", "/help", "commands", "usage",
        # chosen from a list of commands, and sent as it stands
        "compare", "Compare:", "as of", "as at",
    ],
)  # fmt: skip
def test_help(text: str) -> None:
    assert parse(text, TODAY) == ShowHelp()


@pytest.mark.parametrize(
    "text", ["settings", "Settings", "show settings", "channel settings", "open the settings please", "SETTINGS."]
)
def test_settings(text: str) -> None:
    assert parse(text, TODAY) == ShowSettings()


@pytest.mark.parametrize(
    "text",
    [
        "unsubscribe", "UNSUBSCRIBE", "unsubscribe please", "unsubscribe this channel",
        "unsubscribe from policy changes",
        "unsubscribe from all", "Unsubscribe us from the updates.", "unsubscribe from everything",
    ],
)  # fmt: skip
def test_unsubscribe(text: str) -> None:
    assert parse(text, TODAY) == Unsubscribe()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("subscribe", Subscribe()),
        ("Subscribe!", Subscribe()),
        ("subscribe daily", Subscribe("", "daily")),
        ("SUBSCRIBE Weekly", Subscribe("", "weekly")),
        ("subscribe uk google", Subscribe("uk google")),
        ("subscribe daily UK, Germany", Subscribe("UK, Germany", "daily")),
        ("subscribe to alcohol changes in the UK", Subscribe("alcohol changes in the UK")),
        ("subscribe weekly to Meta", Subscribe("Meta", "weekly")),
        ("subscribe to Meta weekly", Subscribe("Meta", "weekly")),
        ("subscribe every week Germany", Subscribe("Germany", "weekly")),
        ("subscribe at once Germany", Subscribe("Germany", "at_once")),
        ("subscribe us to the UK rules", Subscribe("UK rules")),
        ("subscribe this channel", Subscribe()),
        ("subscribe me to a daily digest", Subscribe("", "daily")),
    ],
)
def test_subscribe(text: str, meant: Subscribe) -> None:
    assert parse(text, TODAY) == meant


@pytest.mark.parametrize(
    "text",
    [
        "can I advertise alcohol in the UK",
        "changes to alcohol rules in the UK?",
        "changes in the rules for gambling ads",
        "changes of ownership: do I have to verify again?",
        "changes needed in my landing page for finance ads",
        "changes since the pandemic in the rules for masks",
        "settings for targeting minors",
        "settings of frequency caps: any rules?",
        "what are the settings for age targeting",
        "help with alcohol ads",
        "help wanted ads: which rules?",
        "help lines in gambling ads",
        "helping people quit smoking",
        "sources of income claims in ads",
        "sources of funding in political ads?",
        "documents required for gambling certification",
        "source code ads",
        "subscribe buttons in ads?",
        "subscribe and save offers",
        "subscribe & save",
        "subscribe links in emails",
        "subscribe to win offers: allowed?",
        "subscribe now banners",
        "subscription traps",
        "subscribers only content",
        "unsubscribe links in email ads",
        "unsubscribe links required?",
        "unsubscribe option in newsletters: is it needed",
        "compare prices in ads?",
        "compare alcohol rules in UK and Germany",
        "comparison ads: are they allowed?",
        "comparative advertising",
        "compared to competitors: can I say we are better?",
        "as of today can I advertise CBD",
        "as of what age can I target people?",
        "as of March 2026 are betting ads allowed",
        "privacy policy needed on landing page?",
        "privateer themed game ads",
        "commands in voice ads",
        "usage rights for music in ads",
        "what changed since March?",
        "is private lending allowed",
        "show changes in price in the ad",
        "settings?: can I target by age",
        "questions about alcohol",
    ],
)
def test_a_question_that_only_begins_like_a_command_stays_one(text: str) -> None:
    assert parse(text, TODAY) == Ask(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("private can I advertise alcohol", Ask("can I advertise alcohol", private=True)),
        ("Private: alcohol in the UK", Ask("alcohol in the UK", private=True)),
        ("private - loans", Ask("loans", private=True)),
        ("privately, can we do this?", Ask("can we do this?", private=True)),
        ("in private: is CBD ok", Ask("is CBD ok", private=True)),
        ("PRIVATE what changed since March", Ask("what changed since March", private=True)),
        ("private sources", Ask("Which documents do you have?", private=True)),
        ("private changes this week", Ask("What changed this week?", private=True)),
        ("private as of 1 March 2026: beer ads", Ask("beer ads", date(2026, 3, 1), private=True)),
        ("private: settings", Ask("settings", private=True)),
    ],
)
def test_private(text: str, meant: Ask) -> None:
    assert parse(text, TODAY) == meant


@pytest.mark.parametrize(
    "text", ["private loans ads", "private healthcare in Germany?", "private jets", "Private label vodka: allowed?"]
)
def test_in_doubt_about_private_the_question_is_whole_and_nobody_else_reads_the_answer(text: str) -> None:
    assert parse(text, TODAY) == Ask(text, private=True)


def test_private_alone_is_no_command() -> None:
    assert parse("private", TODAY) == Ask("private")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("as of 1 March 2026: can I advertise alcohol", Ask("can I advertise alcohol", date(2026, 3, 1))),
        ("As Of March 2025: gambling", Ask("gambling", date(2025, 3, 31))),
        ("as of 2025-12-22: alcohol in the UK?", Ask("alcohol in the UK?", date(2025, 12, 22))),
        ("as of yesterday - alcohol", Ask("alcohol", date(2026, 3, 1))),
        ("as of last month: ratio 16:9 videos", Ask("ratio 16:9 videos", date(2026, 2, 28))),
        ("\u201cas of 2025: beer\u201d", Ask("beer", date(2025, 12, 31))),
        ("as\u00a0of\u00a01\u00a0March 2026: beer", Ask("beer", date(2026, 3, 1))),
        ("<@UBOT> as of 2025: beer", Ask("beer", date(2025, 12, 31))),
        ("as of 2025: compare UK and Germany: beer", Ask("Compare UK and Germany: beer", date(2025, 12, 31))),
        ("as of 2025: private can I advertise beer", Ask("can I advertise beer", date(2025, 12, 31), private=True)),
    ],
)
def test_as_of(text: str, meant: Ask) -> None:
    assert parse(text, TODAY) == meant


@pytest.mark.parametrize(
    "text",
    [
        "as of 31 June 2026: beer",
        "as of blah: beer",
        "as of the new law: beer",
        "changes since blah",
        "changes since 31 June",
    ],
)
def test_a_day_that_cannot_be_read_is_never_today(text: str) -> None:
    with pytest.raises(Rejected, match="unclear_day"):
        parse(text, TODAY)


def test_a_day_without_a_question_is_no_question() -> None:
    with pytest.raises(Rejected, match="question_empty"):
        parse("as of 1 March 2026:", TODAY)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("changes", "What changed?"),
        ("Changes?", "What changed?"),
        ("changes since March", "What changed since March?"),
        ("changes since 2026-01-05", "What changed since 5 January 2026?"),
        ("changes from 05.01.2026", "What changed since 5 January 2026?"),
        ("changes 2026-01-05", "What changed since 5 January 2026?"),
        ("changes since 2025", "What changed since 2025?"),
        ("changes this week", "What changed this week?"),
        ("changes in the last 30 days", "What changed in the last 30 days?"),
        ("changes since last month", "What changed since last month?"),
        ("changes since yesterday", "What changed since yesterday?"),
        ("show me the changes since 1 February", "What changed since 1 February?"),
        ("sources", "Which documents do you have?"),
        ("list sources", "Which documents do you have?"),
        ("sources on alcohol", "Which documents do you have on alcohol?"),
        ("documents for the UK", "Which documents do you have for the UK?"),
        ("compare UK and Germany: alcohol", "Compare UK and Germany: alcohol"),
        ("COMPARE google vs. meta: gambling ads", "Compare google and meta: gambling ads"),
        ("compare google with meta - gambling ads", "Compare google and meta: gambling ads"),
        ("compare the UK, Germany and France: alcohol", "Compare the UK and Germany and France: alcohol"),
    ],
)
def test_these_stand_for_a_question(text: str, asked: str) -> None:
    assert parse(text, TODAY) == Ask(asked)


@pytest.mark.parametrize(
    ("text", "intent", "regions", "sources", "since"),
    [
        ("sources", Intent.LIST_SOURCES, (), (), None),
        ("sources on alcohol", Intent.LIST_SOURCES, (), (), None),
        ("documents for the UK", Intent.LIST_SOURCES, ("uk",), (), None),
        ("changes", Intent.WHAT_CHANGED, (), (), None),
        ("changes since March", Intent.WHAT_CHANGED, (), (), date(2026, 3, 1)),
        ("changes since 2026-01-05", Intent.WHAT_CHANGED, (), (), date(2026, 1, 5)),
        ("changes 05.01.2026", Intent.WHAT_CHANGED, (), (), date(2026, 1, 5)),
        ("changes this week", Intent.WHAT_CHANGED, (), (), date(2026, 3, 2)),
        ("changes yesterday", Intent.WHAT_CHANGED, (), (), date(2026, 3, 1)),
        ("changes in the last 30 days", Intent.WHAT_CHANGED, (), (), date(2026, 1, 31)),
        ("changes to alcohol rules in the UK?", Intent.WHAT_CHANGED, ("uk",), (), None),
        ("compare UK and Germany: alcohol", Intent.COMPARISON, ("uk", "de"), (), None),
        ("compare google vs meta: gambling ads", Intent.COMPARISON, (), ("google", "meta"), None),
        ("compare the UK, Germany and France: alcohol", Intent.COMPARISON, ("uk", "de", "fr"), (), None),
    ],
)
def test_what_is_handed_on_is_understood_as_it_was_meant(
    text: str, intent: Intent, regions: tuple[str, ...], sources: tuple[str, ...], since: date | None
) -> None:
    meant: Command = parse(text, TODAY)
    assert isinstance(meant, Ask)
    question = understand(AskRequest(meant.text, TODAY, as_of=meant.as_of), SOURCES)
    assert question.intent is intent
    assert (question.scope.regions, question.scope.policy_sources, question.scope.since) == (regions, sources, since)


def test_a_compared_topic_is_all_that_is_looked_for() -> None:
    asked = parse("compare UK and Germany: alcohol", TODAY)
    assert isinstance(asked, Ask)
    assert [term.text for term in understand(AskRequest(asked.text, TODAY), SOURCES).terms] == ["alcohol"]
