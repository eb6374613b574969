"""The grammar after `/adpolicy`, and after a mention: what is asked of the bot, on any platform.

    (nothing) | help | ? | compare | as of ...    how to ask
    sources [on TOPIC]                            which documents there are
    changes [since DATE | PERIOD]                 what changed
    compare A and B: TOPIC
    as of DATE: QUESTION                          by the rules of that day
    private QUESTION                              for the asker's eyes only; also "private: QUESTION"
    subscribe [daily | weekly] [WHAT]             the channel hears of changes
    unsubscribe
    settings                                      of the channel
    anything else                                 a question

A word of these makes a command only where what follows fits it: "changes to alcohol rules in the UK?", "settings for
targeting minors" and "subscribe buttons in ads?" are questions. Where it cannot be told whether "private" is the
command or belongs to the question ("private loans ads"), the question stays whole and is for the asker's eyes only.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from bot.wording.commands import changes_asked, comparison_asked, sources_asked, written_out
from rag_core.errors import Rejected
from rag_core.questions import Filters
from rag_core.understanding.cleaning import MAX_QUESTION
from rag_core.understanding.days import parse_day


@dataclass(frozen=True, slots=True)
class Ask:
    """A question. `private`: for the asker's eyes only."""

    text: str
    as_of: date | None = None
    private: bool = False
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class ShowHelp:
    """Nothing typed, `help`, or a command that is nothing by itself."""


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`subscribe [daily|weekly] [places and platforms]`: `wanted` as it was typed; `rhythm` "daily", "weekly",
    "at_once", or "" where nothing was said of it."""

    wanted: str = ""
    rhythm: str = ""


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """`unsubscribe`: the channel hears of no changes any more."""


@dataclass(frozen=True, slots=True)
class ShowSettings:
    """`settings`: of the channel."""


Command = Ask | ShowHelp | Subscribe | Unsubscribe | ShowSettings

_NAMES: Mapping[type[Command], str] = {
    Subscribe: "subscribe",
    Unsubscribe: "unsubscribe",
    ShowSettings: "settings",
}


def command_name(command: Command) -> str:
    """As what is no question is typed."""
    return _NAMES[type(command)]


_SPACES = re.compile(r"[\s\u00a0\u2007\u202f\u200b\u2060\ufeff]+")
_BOT_IN_FRONT = re.compile(r"^(?:(?:<@[^<>]*>|<at>[^<>]*</at>|@?/?adpolicy\b)[\s,:;-]*)+", re.IGNORECASE)
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb", '\'\'"""""')
_AROUND = "\"'`*_ "
_END = r"(?:\s+(?:please|pls))?[.!]*"

_HELP = re.compile(
    rf"\?*|/?help(?:\s+me)?{_END}\??|usage{_END}|commands{_END}"
    r"|(?:compare|as\s+(?:of|at))\s*[:.!?]?",  # half of a command
    re.IGNORECASE,
)
_SETTINGS = re.compile(
    rf"(?:(?:show|open|change|channel)\s+(?:the\s+|this\s+channel'?s\s+|channel\s+|my\s+)?)?settings{_END}",
    re.IGNORECASE,
)
_FROM_WHAT = (
    r"(?:\s+(?:me|us|here|all|everything|this\s+channel|the\s+channel|from|to|the|of|policy|changes?|updates?|alerts?|digests?"
    r"|notifications?|news|adpolicy|again|now))*"
)
_UNSUBSCRIBE = re.compile(rf"unsubscribe{_FROM_WHAT}{_END}", re.IGNORECASE)
_SUBSCRIBE = re.compile(r"subscribe\b(?P<what>.*)", re.IGNORECASE)
_NOT_SUBSCRIBED_TO = re.compile(
    r"\s*(?:-|/|'|&|and\b|or\b|buttons?\b|links?\b|boxe?s?\b|forms?\b|pop-?ups?\b|banners?\b|cta\b|calls?\b|now\b\s*\S|offers?\b"
    r"|models?\b|services?\b|traps?\b|pages?\b|ads?\b|campaigns?\b|messages?\b|flows?\b|options?\b)"
    r"|.*\?\s*$|.*\b(?:can|may|is|are|do|does|allowed|allow|okay?|permitted|prohibited|banned|need|must|should)\b",
    re.IGNORECASE,
)
_TO = re.compile(
    r"^(?:me|us|this\s+channel|here)?\s*\b(?:to|for)\b\s*(?:the\s+)?|^(?:me|us|this\s+channel|here)\s*$", re.IGNORECASE
)
_RHYTHM = re.compile(
    r"(?:\b(?:a|the|as\s+a)\s+)?\b(?P<rhythm>daily|weekly|at\s+once|immediately|instantly)\b(?:\s+digest)?[\s,:]*",
    re.IGNORECASE,
)
_EVERY_DAY = re.compile(r"\b(?:every|each|once\s+a)\s+(day|week)\b", re.IGNORECASE)

_SOURCES = re.compile(
    r"(?:(?:list|show)\s+(?:me\s+)?(?:the\s+|all\s+|your\s+)?)?(?:sources|documents)"
    rf"(?:\s+(?P<about>(?:on|about|for)\s+(?!(?:of|that)\b)[^?:]+?))?{_END}\??",
    re.IGNORECASE,
)
_CHANGES = re.compile(r"(?:show\s+(?:me\s+)?(?:the\s+)?)?changes(?:\s+(?P<when>[^:]+?))?[.!?]*", re.IGNORECASE)
_SINCE = re.compile(r"(?P<how>since|from|after)\s+(?P<date>.+)", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:(?:in|of|over|during|within|for|from)\s+)?(?:the\s+)?(?:this|last|past|previous)\s+(?:(?:\d{1,3}|two|three|four|six|few"
    r"|couple\s+of|twelve)\s+)?(?:day|week|month|quarter|year)s?|today|yesterday|(?:since\s+)?recently|lately",
    re.IGNORECASE,
)
_MOST_WORDS_OF_A_DAY = 3
_COMPARE = re.compile(
    r"compare\s+(?P<one>[^:]{1,100}?)\s*(?:,|&|\band\b|\bwith\b|\bto\b|\bvs\.?(?=\s)|\bversus\b)\s*(?P<other>[^:]{1,200}?)\s*"
    r"(?::|\s-\s|\s\u2013\s)\s*(?P<topic>.*\S)",
    re.IGNORECASE | re.DOTALL,
)
_AS_OF = re.compile(
    r"as\s+(?:of|at)\s+(?P<date>[^:?]{1,60}?)\s*(?::|\s-\s|\s\u2013\s)\s*(?P<question>.*)", re.IGNORECASE | re.DOTALL
)
_PRIVATE = re.compile(
    r"(?:in\s+)?private(?:ly)?\b(?P<sign>\s*[:,\u2013\u2014]|\s+-)?\s*(?P<question>.*)", re.IGNORECASE | re.DOTALL
)
_ASKS = re.compile(
    r"(?:can|could|may|might|do|does|did|is|are|was|were|will|would|should|shall|must|am|have|has|what|what's|which|who|whose|how"
    r"|when|where|why|whether|tell|show|list|compare|changes?|as\s+of|sources|explain|give|i|we|my|our|please|ask|question"
    r"|/?adpolicy)\b",
    re.IGNORECASE,
)


def parse(text: str, today: date) -> Command:
    """What is asked; `text` is plain text. Raises Rejected("unclear_day", value=...) for a day that cannot be read:
    an answer for today would pass for one about that day. What is too long is a question, and refused as that."""
    typed = _BOT_IN_FRONT.sub("", _SPACES.sub(" ", text).strip())
    if len(typed) > MAX_QUESTION:
        return Ask(typed, private=bool(_PRIVATE.match(typed)))
    plain = typed.translate(_STRAIGHT).strip(_AROUND)
    if _HELP.fullmatch(plain):
        return ShowHelp()
    if _SETTINGS.fullmatch(plain):
        return ShowSettings()
    if _UNSUBSCRIBE.fullmatch(plain):
        return Unsubscribe()
    if (found := _SUBSCRIBE.fullmatch(plain)) and not _NOT_SUBSCRIBED_TO.match(found["what"]):
        return _subscription(found["what"])
    return _question(typed, plain, today)


def _question(typed: str, plain: str, today: date) -> Ask:
    if (found := _PRIVATE.fullmatch(plain)) and found["question"]:
        return _private(typed, found, today)
    if found := _AS_OF.fullmatch(plain):
        return _as_of(found["date"], found["question"], today)
    return Ask(_stands_for(plain, today) or typed)


def _private(typed: str, found: re.Match[str], today: date) -> Ask:
    if not found["sign"] and not _ASKS.match(found["question"]):
        return Ask(typed, private=True)
    said = parse(found["question"], today)
    return replace(said, private=True) if isinstance(said, Ask) else Ask(found["question"], private=True)


def _stands_for(plain: str, today: date) -> str:
    """The question in words that a command stands for; "" for none."""
    if found := _SOURCES.fullmatch(plain):
        return sources_asked(found["about"] or "")
    if (found := _COMPARE.fullmatch(plain)) and not found["topic"].endswith("?"):
        return comparison_asked(f"{found['one']} and {found['other']}", found["topic"])
    found = _CHANGES.fullmatch(plain)
    return _changes(found["when"] or "", today) if found else ""


def _as_of(words: str, question: str, today: date) -> Ask:
    day = parse_day(words, today)
    if day is None:
        raise Rejected("unclear_day", value=words)
    if not question:
        raise Rejected("question_empty")
    said = _question(question, question, today)
    return replace(said, as_of=day) if said.as_of is None else said


def _changes(when: str, today: date) -> str:
    """The question on changes; "" if `when` is no time, so that it is a question like any other."""
    if not when or _PERIOD.fullmatch(when):
        return changes_asked(when)
    since = _SINCE.fullmatch(when)
    words = since["date"] if since else when
    if _PERIOD.fullmatch(words):
        return changes_asked(when)
    day = parse_day(words, today)
    if day is None:
        if since and since["how"].lower() == "since" and len(words.split()) <= _MOST_WORDS_OF_A_DAY:
            raise Rejected("unclear_day", value=words)
        return ""
    if re.fullmatch(r"[\d./-]+", words) and not re.fullmatch(r"\d{4}(?:-\d\d)?", words):
        words = written_out(day.year, day.month, day.day)
    return changes_asked(f"since {words}")


def _subscription(what: str) -> Subscribe:
    rest = _EVERY_DAY.sub(lambda found: "daily" if found[1].lower() == "day" else "weekly", what).strip(" :,.!")
    rhythm = ""
    if found := _RHYTHM.search(rest):
        said = found["rhythm"].lower()
        rhythm = said if said in ("daily", "weekly") else "at_once"
        rest = f"{rest[: found.start()]}{rest[found.end() :]}"
    rest = _TO.sub("", rest.strip(" :,"))
    return Subscribe(rest.strip(" :,"), rhythm)
