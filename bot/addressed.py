"""Is a message meant for the bot? Precision before recall: talk among people is left alone.

A mention asks the bot unless the sentence is about it ("ask @adpolicy", "I asked @adpolicy yesterday") or is said to
somebody else who is mentioned first. Without a mention, in a thread in which the bot has answered, a message is for the
bot only if all of this holds:

1. It calls nobody else, quotes nobody, and is short.
2. It asks: a question mark at its end, or words that ask ("and in France", "since when").
3. It is no talk among people: nobody is spoken to ("can you send me ...", "Anna, ..."), it is about nobody of the team
   ("did legal sign off"), and not about the work itself (meetings, deadlines, drafts, who does what).
4. It goes on with the answer: another place, platform, day, kind of ad, people or goods ("and in France?", "what about
   beer?"), something about the rule itself ("since when?", "any exceptions?"), or it is a question on rules of its own
   ("do I need a licence for that?").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.talk import is_courtesy, is_talk, without_opening
from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, Intent
from rag_core.understanding.cleaning import clean_question
from rag_core.understanding.intents import RULES
from rag_core.understanding.leaning import Lean, is_aspect, leaning_of
from rag_core.understanding.reading import Reading, read

MOST_CHARACTERS = 300
"""A message that nobody addressed to the bot and that is longer is no follow-up."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as plain text, without the mention of the bot. `before_bot`: what stands before that mention, None
    where there is none. `calls_others`: somebody else, or a group, is mentioned; `others_first`: before the bot, or at
    the beginning. `quotes`: it begins with a quotation."""

    text: str
    before_bot: str | None = None
    calls_others: bool = False
    others_first: bool = False
    quotes: bool = False

    @property
    def mentions_bot(self) -> bool:
        return self.before_bot is not None


_ABOUT_THE_BOT = re.compile(
    r"(?:\b(?:ask(?:s|ed|ing)?|tr(?:y|ied|ying)|us(?:e|es|ed|ing)|via|with|from|to|tag(?:ged)?|ping(?:ed)?|mention(?:ed)?|invit(?:e|ed)"
    r"|add(?:ed)?|remov(?:e|ed)|the|our|like|because|said|says|says:|of|about|by|call(?:ed)?|wrote|meet|see|saw|check|trust|than|and"
    r"|or|what|told|tell|giv(?:e|es|en)|gave|let|does|did|is|was|has|have|will|would|can|could|why|how|when|where|think|believe)\b"
    r"|\()\W*$",
    re.IGNORECASE,
)
_FOR_THE_BOT = re.compile(r"\b(?:question|one|this\s+is|this\s+one)s?\s+(?:is\s+)?(?:for|to)\W*$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;,\n]\s*$")


def mention_asks(said: Said) -> bool:
    """Whether a message that mentions the bot is said to it."""
    if said.before_bot is None or said.others_first:
        return False
    before, end = said.before_bot, said.before_bot[-_MOST_BEFORE:]
    if is_courtesy(said.text) and said.text:
        return False
    if not before or _SENTENCE_END.search(end) or _FOR_THE_BOT.search(end) or is_courtesy(before):
        return True
    at_the_end = said.text.rstrip(" ?.!") == before.rstrip(" ?.!")
    if _ABOUT_THE_BOT.search(end):
        return False
    if at_the_end:
        return said.text.endswith("?") or before.rstrip(" .!").count(" ") <= _MOST_BARE
    return _goes_around_it(said, end)


def _goes_around_it(said: Said, before: str) -> bool:
    """Whether the mention stands in the middle of a question of one's own on advertising."""
    about_it = _TO_THE_BOT.search(before) or _BY_THE_BOT.match(said.text.removeprefix(said.before_bot or ""))
    if about_it or said.calls_others or not said.text.endswith("?") or is_talk(said.text):
        return False
    return bool(_OWN_QUESTION.match(said.text))


_TO_THE_BOT = re.compile(r"\b(?:show|send|feed|teach|forward|paste|share|expect|want|need)\W*$", re.IGNORECASE)
_BY_THE_BOT = re.compile(
    r"\s*(?:['\u2019]s|gave|gives?|sa(?:id|ys?)|wrote|writes?|told|tells?|show(?:s|ed)?|post(?:s|ed)?|answer(?:s|ed)?|sent|sends?|quot(?:es?|ed)"
    r"|cit(?:es?|ed)|found|finds?|knows?|knew|can|could|does|did|is|was|has|had)\b",
    re.IGNORECASE,
)
_OWN_QUESTION = re.compile(
    r"(?:(?:hi|hello|hey|so|and|but|ok(?:ay)?|please)[\s,]+)*(?:can|could|may|must|should|are)\s+(?:i|we)\b[^.!?]{0,200}"
    r"\b(?:advertis\w+|promot\w+|ads?|adverts?|campaigns?|sponsor\w*)\b",
    re.IGNORECASE,
)


_MOST_BEFORE = 400
"""Characters in front of a mention that tell what it is for."""
_MOST_BARE = 8
"""Spaces in a bare question in front of a mention: "alcohol ads in the UK @adpolicy"."""

_SHORT = re.compile(
    r"(?:(?:since|until|till|from|as\s+of)\s+when|why(?:\s+(?:not|so|(?:is|was)\s+(?:that|this|it)(?:\s+\w+)?))?|how\s+come|how\s+so"
    r"|when\s+(?:did|does|was|will)\s+(?:that|this|it|they|the\s+rules?)\s+(?:\w+\s+)?(?:change|start|begin|apply|end|come|take)[\w\s]*"
    r"|(?:in\s+)?(?:which|what)\s+(?:section|rule|policy|document|page|part|paragraph|version)s?(?:\s+(?:is\s+(?:that|this|it)|says\s+(?:so|that|this)))?"
    r"|where(?:'s|\s+is|\s+does|\s+do)\s+(?:that|it|they|this|the\s+policy)\s+(?:written|stated|say|come)[\w\s]*|where\s+does\s+it\s+say[\w\s]*"
    r"|(?:are\s+there\s+|is\s+there\s+)?(?:any|an|no|what|which|some)\s+(?:other\s+)?(?:exceptions?|exemptions?|conditions?|requirements?|limits?"
    r"|restrictions?|carve-?outs?)(?:\s+(?:to|for|from)\s+(?:that|this|it))?|what(?:\s+are|\s+is|'s|’s)\s+the\s+(?:exact\s+)?(?:exceptions?|exemptions?"
    r"|conditions?|requirements?|limits?|restrictions?|penalt(?:y|ies)|wording|rules?|minimum\s+age|age\s+limit)[\w\s]{0,30}"
    r"|(?:what(?:'s|\s+is)\s+the\s+)?source|says\s+who|what\s+(?:has\s+)?changed(?:\s+(?:since|in)\s+.{1,30})?"
    r"|is\s+(?:that|this|it)\s+(?:still|already)\s+(?:valid|current|in\s+force|true|the\s+case|so)"
    r"|(?:under|on|with)\s+(?:what|which)\s+conditions?|what\s+(?:kind|sort|type)\s+of\s+\w+|what\s+if\s+not|what\s+does\s+.{1,40}\s+mean"
    r"|(?:at|from|over)?\s*what\s+age|(?:between|at|during|from|until)\s+(?:what|which)\s+(?:hours?|times?|ages?|days?|dates?)\b.{0,30}"
    r"|(?:what\s+about\s+)?(?:(?:in|on|for|which|what|all|any|the|other)\s+){1,3}(?:countries|places|platforms|states|regions|markets)"
    r"|(?:what\s+about\s+)?(?:everywhere|anywhere)\s+else|elsewhere)",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"(?:(?:and|or|but|also|plus|so)\s+)?(?:(?:what|how)\s+about|what\s+if|in\s+case|the\s+same|same|and|or|also|even|only|in|on|for|with|without"
    r"|as\s+of|since|before|after|under|if|when\s+(?!do\b|does|did|is|are|was|were|will|can)|does\s+(?:that|this|it|the\s+same)|do\s+(?:they|those|these|the\s+same)"
    r"|is\s+(?:that|this|it)\s+(?:also|the\s+same|different))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:can|could|may|do|does|did|is|are|was|were|will|would|should|must|am|has|have|what|which|who|how|when|where|why|whose)\b",
    re.IGNORECASE,
)
_ON_RULES = frozenset(
    {
        Intent.PERMISSION,
        Intent.REQUIREMENT,
        Intent.DEFINITION,
        Intent.COMPARISON,
        Intent.WHAT_CHANGED,
        Intent.ATTRIBUTION,
    }
)
_BARE_TIME = re.compile(
    r"\b(?:today|tomorrow|tonight|now|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next\s+\w+|this\s+\w+)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:teen(?:ager)?s?|minors?|kids?|children|adults?|youth|seniors?|students?|women|men|(?:under|over)[\s-]?\d+s?|\d\d\+)(?!\w)",
    re.IGNORECASE,
)
_SPEAKS_OF = re.compile(r"\b(?:it|that|this|they|those|these|them|there|such|ones?)\b", re.IGNORECASE)


def follows_up(said: Said, today: date, sources: Sequence[PolicySource] = ()) -> bool:
    """Whether a message without a mention, in a thread in which the bot has answered, is a question to the bot.
    `sources`: the platforms that are known by name."""
    text = " ".join(said.text.split())
    if said.mentions_bot or said.calls_others or said.quotes or len(text) > MOST_CHARACTERS or is_talk(text):
        return False
    text = without_opening(text)
    body = text.rstrip(" ?.!")
    if is_courtesy(body):
        return False
    return bool(_SHORT.fullmatch(_AND.sub("", body))) or _asks_on(text, body, today, sources)


_AND = re.compile(r"^(?:and|but|so|ok(?:ay)?)[\s,]+", re.IGNORECASE)


def _asks_on(text: str, body: str, today: date, sources: Sequence[PolicySource]) -> bool:
    asks = text.endswith("?")
    try:
        reading = read(clean_question(text), AskRequest(text, today), sources)
    except Rejected:
        return False
    if _ELLIPSIS.match(body):
        return _goes_on(reading, asks=asks)
    return (asks or bool(_ASKS.match(body))) and _is_on_rules(reading, body)


_OF_THE_PAST = re.compile(r"(?:did|has|have|had)\b|(?:what|why|when|how)\s+(?:did|has|had)\b", re.IGNORECASE)
_MAY = re.compile(r"(?:can|could|may|must|should|would)\b", re.IGNORECASE)
_DOES_IN_ADS = re.compile(
    r"\b(?:show|mention|claim|target|advertis\w+|promot\w+|feature|depict|sponsor\w*|say\s+(?:that\s+)?(?:it|this|they)\s+(?:is|are)|use\s+(?:an?\s+)?"
    r"(?:celebrit\w+|influencers?|models?|testimonials?|music|images?|emojis?|trademarks?|names?)|ads?\s+\w+|be\s+shown)\b",
    re.IGNORECASE,
)


def _goes_on(reading: Reading, *, asks: bool) -> bool:
    """Whether it is the same for something else, which the policies may speak of."""
    leaning, said = leaning_of(reading), reading.text
    topics = [each for each in reading.subject if not is_aspect(each)]
    named = bool(reading.places or reading.platforms or reading.materials or reading.rule or reading.labels)
    on_rules = reading.question.about_advertising or reading.question.intent in (Intent.COMPARISON, Intent.WHAT_CHANGED)
    of_trade = any(each.is_of_the_trade for each in topics)
    of_people = bool(_PEOPLE.search(said))
    a_day = reading.day is not None and not _BARE_TIME.search(said)
    an_aspect = len(topics) < len(reading.subject)
    if not (named or of_trade or of_people or a_day or an_aspect or on_rules):
        return False
    if leaning is None or leaning.how is Lean.WHY:
        return asks and (on_rules or of_trade) and reading.question.intent in _ON_RULES
    if topics and not of_trade and not of_people and not on_rules:
        return asks and leaning.how is Lean.ADDS and (named or an_aspect)
    return asks or len(said.split()) <= _MOST_WORDS_UNASKED


_MOST_WORDS_UNASKED = 6


def _is_on_rules(reading: Reading, body: str) -> bool:
    """Whether it is a question on rules that stands alone, or points to what was answered."""
    question = reading.question
    if question.intent not in _ON_RULES and question.intent is not Intent.INFORMATION:
        return False
    of_trade = any(each.is_of_the_trade for each in reading.terms)
    named = bool(reading.places or reading.platforms or reading.materials or reading.rule)
    about = of_trade or named or question.about_advertising or bool(_PEOPLE.search(body))
    if not _ASKS.match(body):  # a bare topic: "gambling in Spain?"
        return of_trade or (named and question.about_advertising)
    if _OF_THE_PAST.match(body) and question.intent is not Intent.WHAT_CHANGED:
        return False  # of an account, not of the rules
    if question.intent in (Intent.COMPARISON, Intent.WHAT_CHANGED):
        return True
    if RULES.search(body):
        return about or bool(_SPEAKS_OF.search(body)) or bool(question.terms)
    return bool(_MAY.match(body)) and (of_trade or bool(_DOES_IN_ADS.search(body)))
