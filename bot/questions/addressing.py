"""Whether a message is meant for the bot, and what was typed in it. Precision before recall."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from rag_core.documents import PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, Intent
from rag_core.understanding.cleaning import clean_question
from rag_core.understanding.intents import RULES
from rag_core.understanding.leaning import Lean, is_aspect, leaning_of
from rag_core.understanding.reading import Reading, read

_I = re.IGNORECASE

_COURTESY = re.compile(
    r"(?:(?:hi|hello|hey|hiya|good\s+(?:morning|afternoon|evening)|thanks?(?:\s+(?:you|a\s+lot|so\s+much|again|team|all|everyone|both|man|mate))*|thank\s+you"
    r"(?:\s+(?:so\s+much|very\s+much|all))*|many\s+thanks|thx|ty|cheers|great|cool|nice(?:\s+one)?|perfect|awesome|excellent|super|brilliant|amazing|wow|ok(?:ay)?|k|got\s+it"
    r"|understood|noted|will\s+do|makes?\s+sense|sounds?\s+good|good\s+(?:point|catch|to\s+know|bot|question|idea)|fair(?:\s+(?:enough|point))?|exactly|agreed?|right|true|indeed"
    r"|same\s+here|same|me\s+too|lol|haha+|hehe|lmao|oops|sorry|my\s+bad|no\s+(?:worries|problem|rush)|never\s?mind|yes|yep|yeah|yup|no|nope|nah|sure|of\s+course|done|on\s+it"
    r"|bye|see\s+you|well\s+done|congrats|welcome|you'?re\s+welcome|np|hm+|uh+|um+|oh|ah|aha|interesting|fun|funny|wild|crazy|really|seriously|huh|what|wait(?:\s+what)?|eh"
    r"|please|there|all|team|everyone|guys|folks|bot|then|now|today|so\s+much|a\s+lot|for\s+(?:that|this|now|the\s+(?:info|help|answer|quick\s+(?:reply|answer)))|very|helpful"
    r"|useful|this\s+is|that'?s|that\s+(?:is|was|helps?)|it'?s|\+1|and|but|so)[\s,.!?;:)(-]*)+",
    _I,
)  # fmt: skip


def is_courtesy(text: str) -> bool:
    """Nothing but thanks, agreement, surprise; nothing at all, as well."""
    return not text.strip() or _COURTESY.fullmatch(text.strip()) is not None or not any(each.isalnum() for each in text)


_OPENING = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks?(?:\s+(?:you|a\s+lot|so\s+much))?|thank\s+you|thx|great|cool|nice|perfect|got\s+it|understood|hm+|good\s+to\s+know|interesting|i\s+see|alright"
    r"|right|sorry|oh|ah|yes|yeah|no|wait|hi|hello|hey|one\s+more(?:\s+(?:thing|question))?|quick\s+(?:question|one|follow-?up)|follow-?up(?:\s+question)?|another\s+(?:one|question)"
    r"|question|just\s+to\s+be\s+sure|to\s+be\s+clear|makes\s+sense|fair\s+enough|sounds\s+good)[\s,.!:;\u2013\u2014-]+)+(?=\w)",
    _I,
)  # fmt: skip


def without_opening(text: str) -> str:
    """Without the courtesies with which people begin a question."""
    return _OPENING.sub("", text)


_TEAM = (
    r"(?:client|customer\s+success|boss|ceo|cmo|cfo|coo|manager|lawyers?|counsel|colleagues?|agency|designers?|developers?|engineers?|team(?!s\b)|everyone|everybody|anyone|anybody"
    r"|someone|somebody|nobody|no\s+one|guys|folks|people\s+here|account\s+(?:manager|rep)|rep|vendor|intern|sales|finance\s+team|compliance(?:\s+team)?|marketing\s+(?:team|lead)|product\s+team)"
)
_NAME = (
    r"(?!(?:And|Or|But|So|Also|Ok|Okay|What|Which|Who|How|When|Where|Why|Is|Are|Was|Were|Do|Does|Did|Can|Could|May|Will|Would|Should|Must|In|On|For|With|Without|Since|As|If|Thanks|Thank"
    r"|Great|Hi|Hello|Hey|Yes|No|Hmm?|Then|Only|Even|Same|Plus|Sorry|Wait|Right|Cool|Nice|Perfect|Quick|Question|Now|Well|Actually|Btw|Fyi|Understood|Alright|Interesting|Until|From|Under)\b)"
    r"[A-Z][a-z]{2,}"
)
_TALK = (
    # said to somebody
    re.compile(rf"^(?:(?:hi|hello|hey|thanks|thank\s+you|ok(?:ay)?|morning|sorry)[\s,]+)?(?:{_TEAM}|all)\b\s*[,:!-]", _I),
    re.compile(rf"^(?:(?:[Hh]i|[Hh]ello|[Hh]ey|[Tt]hanks|[Oo]k(?:ay)?|[Ss]orry|[Mm]orning)[\s,]+){_NAME}\b(?!\s+(?:ads?|rules?|polic))"),
    re.compile(rf"^{_NAME}\s*[,:]\s+(?:can|could|would|will|do|did|have|are|were|please|pls|what|when|where|any|how|is|i|we|thoughts)\b"),
    re.compile(r"[,]\s+(?:mate|man|dude|guys|folks|team|buddy|boss)\s*\?*$"),
    re.compile(
        r"\b(?:can|could|would|will|did|do|have|are|were|should|may|might|won'?t|can'?t|didn'?t|don'?t|haven'?t|aren'?t)\s+(?:you|u|ya)\b"
        r"(?!\s+(?:advertise|promote|target|be\s+allowed|legally|actually\s+advertise|need\s+(?:an?|any|to\s+(?:show|have|be\s+certified))\s))",
        _I,
    ),
    re.compile(r"\b(?:your|yours|you\s+(?:guys|all|think|mean|sure|want|know|there|two|both)|thoughts|wdyt|opinions?|y'?all|let'?s|shall\s+we|ping\s+me|dm\s+me|tell\s+me\s+when|remind)\b", _I),
    re.compile(r"\b(?:how|what)\s+about\s+(?:we|you|i|us|me|him|her|them|(?-i:" + _NAME + r")'s)\b|\band\s+(?:you|him|her|me|us)\s*\?*$", _I),
    # about somebody
    re.compile(rf"\b(?:the|our|my|their|a|an)\s+(?:\w+\s+)?{_TEAM}\b|\b{_TEAM}\b\s+(?:say|said|says|think|know|ok|approve|want|need|ask|confirm|sign|agree|happy|here|else)|\b(?:does|did|has|is|can|could|will)\s+{_TEAM}\b", _I),
    re.compile(r"\b(?:from|by|with|ask(?:ed|ing)?|told|tell|to|via|loop(?:ed|ing)?\s+in|at|check\w*\s+with)\s+legal\b(?!\s+(?:age|drinking|rules?|requirements?|ways?|limits?|text|notice|reasons?))", _I),
    re.compile(r"\b(?:did|does|has|will|is|can|would|should|when\s+(?:will|does|did)|what\s+(?:did|does|do|will|would))\s+legal\s+\w+|\blegal(?:'s)?\s+(?:said|says|say|team|sign\w*|approv\w+|think|thinks|confirm\w*|feedback|review\w*|ok)\b", _I),
    re.compile(r"\b(?:he|she|him|his|hers|i'?m|i'?ll|i'?ve|i'?d|we'?ll|we'?ve|we'?re|we'?d|they'?ll|they'?ve|they'?re)\b", _I),
    re.compile(r"^(?:and\s+|so\s+|but\s+)?(?:who(?:'s|se|\s+(?!says\b|said\b|may\b|can\s+(?:be|see)\b|counts\b|is\s+(?:allowed|considered)\b))|when\s+(?:do|did|will|can|should|are|were|is\s+(?:the|our|your))\s+(?:we|i|our|the)\b|(?:did|have|had|were|didn'?t|haven'?t|weren'?t)\s+(?:we|i)\b)", _I),
    re.compile(r"\b(?:why|when|where|how|what)\s+(?:did|were|have|had)\s+(?:we|i)\b", _I),
    # about the work itself
    re.compile(
        r"\b(?:meetings?|calls?\s+(?:with|at|on|tomorrow|today)|(?:a|the|our|quick)\s+call|lunch|coffee|beers\s+(?:after|tonight)|drinks\s+(?:after|tonight)|standup|stand-up|sync|deck|slides?|spreadsheet|google\s+docs?"
        r"|jira|tickets?|e-?mails?\s+(?:from|to|thread)|forward\w*|zoom|calendar|invites?|agenda|deadline|budget|invoice|sprint|backlog|screenshots?|pto|access\s+to|vacation|holiday\s+(?:plans|request)|office|weekend|offsite|at\s+the\s+party|from\s+home|afford"
        r"|lunch|dinner|friday\s+(?:beers|drinks)|onboarding|hiring|salary|wfh|brief(?:ing)?\b(?!\s+text)|figma|dropbox|confluence|asana|trello|notion|excel|pdf|eta|eod|asap|signed?\s+off|sign-off|go\s+live|going\s+live|launch(?:ing|ed)?"
        r"|ship(?:ping)?\s+(?:it|this|today|tomorrow)|roll\s?out|kick-?off|revert|reschedul\w+|postpon\w+|escalat\w+|approved\s+(?:it|this|the)|feedback|final\s+version|version\s+\d|v\d\b|mock-?ups?|drafts?)\b",
        _I,
    ),
    re.compile(r"\b(?:are|is)\s+(?:the|this|that|our|my)\s+(?:headlines?|images?|copy|texts?|creatives?|designs?|banners?|wordings?|tones?|videos?|visuals?|bot|thing|app|answer|slogan|logo)\s+(?:\w+\s+)?(?:ok(?:ay)?|fine|good|better|final|approved|ready|done|right|wrong|broken|nice|too\s+\w+|live|working|down|up|there|saying)\b", _I),
    re.compile(r"\b(?:can|should|could|may|might|will|do|would|must|shall)\s+(?:we|i|they)\s+(?:\w+ly\s+|just\s+|still\s+|also\s+|maybe\s+|please\s+|then\s+|all\s+)?(?:talk|meet|call|discuss|sync|chat|move|schedule|check|ask|wait|loop|pause|resume|spend|increase|test|create|launch|open|run\s+(?:this|it|that)\s+(?:by|past)|get(?!\s+(?:certified|approv\w+|whitelisted|permission|an?\s+licen[cs]e))|go|push|tell|wrap|close|start|stop|finish|decide|agree|know|have|send|share|join|leave|split|swap|take|book|order|find|bring|add\s+(?:you|him|her|this\s+to)|try|look|think|work|trust|believe|rely|see|really|drop|skip|forget|keep|make|put|update|set|do|want|care|plan|assume|need\s+(?:to\s+(?:talk|ask|meet|wait|decide|tell|discuss|check|do|update|change|redo|fix|rush|worry|panic)|more\s+time|help|you|this|that|it|another|someone))\b", _I),
    re.compile(r"\b(?:do|does)\s+(?:we|i|they)\s+have\s+(?!to\b)", _I),
    re.compile(r"\b(?:should|shall)\s+(?:i|we)\s*\?*$|\b(?:ok|okay|fine|good|works?)\s+(?:for|with)\s+(?:you|everyone|all|me|us|now|today)\b", _I),
    re.compile(r"\b\d{1,2}(?::\d{2})?\s?(?:am|pm|o'?clock)\b|\bat\s+\d{1,2}(?::\d{2})?\b(?!\s*%)|\b\d{1,2}:\d{2}\b(?!\s*(?:ratio|video))", _I),
    re.compile(r"\b(?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next\s+(?:week|month|quarter|sprint)|this\s+(?:afternoon|morning|evening|week)|later|soon|in\s+(?:an?|\d+|five|ten)\s+(?:minutes?|mins?|hours?))\b", _I),
    re.compile(r"\b(?:isn'?t\s+it|right|no|correct|yeah|huh|innit|don'?t\s+you\s+think|am\s+i\s+right)\s*\?+$|\b(?:weird|insane|ridiculous|stupid|crap|shit|fuck|damn|wtf|omg|lol|haha+|joke|kidding|hate|love|funny|annoying|silly)\b", _I),
    re.compile(r"^(?:i|we)\s+(?!(?:can|may)\b)\w+|^(?:maybe|perhaps|probably|apparently|honestly|imo|imho|fyi|btw|nvm|tbh|guess|fwiw)\b", _I),
    re.compile(r"\b(?:is|are|was|were|why\s+(?:is|are|was|were))\s+(?:the|our|my|this|that|those|these)\s+(?:\w+\s+)?(?:ads?|accounts?|campaigns?|creatives?|videos?)\s+(?:still\s+|already\s+|now\s+)?(?:rejected|disapproved|approved|live|paused|running|suspended|under|up|down|stuck|on|off|delivering|performing|banned\s+again)\b|\bjust\s+me\b|\binternally\b", _I),
    re.compile(r"\b(?:last|bot'?s?|previous)\s+(?:answer|reply|message)|\b(?:this|the|that|our)\s+(?:bot|thread|channel|chat)\b", _I),
    re.compile(r"https?://\S+\s*$", _I),
)  # fmt: skip


def is_talk(text: str) -> bool:
    """Whether it is said to somebody, about somebody of the team, or about the work itself."""
    return is_courtesy(text) or any(each.search(text) for each in _TALK)


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


_BEGIN, _END, _BOT = "\ue000", "\ue001", "\ue002"
_STAND_INS = re.compile(f"[{_BEGIN}-{_BOT}]")
_STAND_IN = re.compile(f"{_BEGIN}([0-9]{{1,6}}){_END}")
_LEFT_OUT = re.compile(f"^(?:\\s*{_BOT})+[\\s,:;\u2013\u2014-]*|(?<!\\s)\\s*+{_BOT}\\s*(?=[?.!,;:])")
"""The mention of the bot, with punctuation behind one in front, and spaces before punctuation."""
_SPACES = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_INVISIBLE = re.compile(r"[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Marks of direction among them: they come with what is typed from right to left, and stand before and behind names."""
CODE = re.compile(r"```(.*?)```", re.DOTALL)
"""Spaces inside the marks are no part of it: where nothing closes them, they would be gone through in every way."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`raw` pieces are still formatted and escaped. `calls`: "bot", "other" or nobody."""

    text: str
    raw: bool = False
    calls: str = ""


def without_invisible(text: str) -> str:
    return _INVISIBLE.sub("", text)


def said(pieces: Sequence[Piece], plain: Callable[[str], str], *, quotes: bool) -> Said:
    """The mention of the bot is left out. `plain`: a text without formatting and escaping."""
    at = next((number for number, each in enumerate(pieces) if each.calls == "bot"), None)
    return Said(
        text=joined(pieces, plain),
        before_bot=None if at is None else _before(pieces[:at], plain),
        calls_others=any(each.calls == "other" for each in pieces),
        others_first=any(each.calls == "other" for each in pieces[:at]) if at else _begins_with_other(pieces),
        quotes=quotes,
    )


def joined(pieces: Sequence[Piece], plain: Callable[[str], str]) -> str:
    # formatting may go around a mention, so it is taken off the whole; what is no raw text is kept from being read as
    # formatting by standing in for it
    kept: list[str] = []
    whole = ""
    for each in pieces:
        if each.raw:
            whole += _STAND_INS.sub("", each.text)
        elif each.calls == "bot":
            whole += _BOT
        else:
            whole += f"{_BEGIN}{len(kept)}{_END}"
            kept.append(each.text)
    whole = _LEFT_OUT.sub("", without_invisible(plain(whole))).replace(_BOT, " ")
    # an escaped character may have become what looks like a stand-in, and stands for nothing
    whole = _STAND_IN.sub(lambda found: "".join(kept[int(found[1]) :][:1]), whole)
    lines = (_SPACES.sub(" ", line).strip() for line in _STAND_INS.sub("", whole).splitlines())
    return "\n".join(lines).strip()


def _before(pieces: Sequence[Piece], plain: Callable[[str], str]) -> str:
    """With the break of a line at its end, which `joined` takes away; nothing for what is only half of a formatting."""
    behind = "x"
    text = joined([*pieces, Piece(behind, calls="other")], plain).removesuffix(behind)
    worded = max((at for at, each in enumerate(text, 1) if each.isalnum()), default=0)
    return f"{text[:worded]}\n" if worded and "\n" in text[worded:] else text.rstrip() if worded else ""


def _begins_with_other(pieces: Sequence[Piece]) -> bool:
    first = next((each for each in pieces if each.calls or without_invisible(each.text).strip()), None)
    return first is not None and first.calls == "other"
