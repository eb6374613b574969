"""What one sentence does with a thing: prohibits, restricts or allows it, and which thing that is.

Patterns of the English of policies. What no pattern recognises says nothing: a verdict is read, never guessed.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from rag_core.answering.plain_speech import plainly
from rag_core.answering.subjects import has_content


class Effect(StrEnum):
    PROHIBITS = "prohibits"
    RESTRICTS = "restricts"
    ALLOWS = "allows"


@dataclass(frozen=True, slots=True)
class Clause:
    """`subject` is the words about the thing that the clause is on ("Ads for beer"), "" where it names none.

    `about_content` marks rules on how an ad must be ("must not show ..."), which condition it but do not ban it;
    `negative` those among them that forbid. `exception` is what follows "except", "unless" ...
    """

    effect: Effect
    subject: str
    about_content: bool = False
    negative: bool = False
    exception: str = ""


_NOT = r"(?:\s+(?:not|never)|n?['’]t|not)"
_ADV = r"(?:\s+(?:also|strictly|currently|generally|always|only|completely|explicitly|therefore|still|expressly|all))*"
_BE = r"(?:is|are|was|were|be|being|remains?|stays?)"
_MODAL = r"(?:may|must|can|should|shall|will|could)"
_OK = (
    r"(?:allowed|permitted|accepted|acceptable|eligible|approved|permissible|available|possible|authori[sz]ed"
    r"|supported|"
    r"welcome|ok(?:ay)?)"
)
_BANNED = (
    r"(?:prohibited|banned|forbidden|disallowed|unacceptable|ineligible|not\s+" + _OK + r"|off[- ]limits|unavailable)"
)
_THEN = r"(?:in|for|if|with|only|where|when|to|everywhere|worldwide|globally|anywhere|unless|except)\b"
_LIMITED = r"(?:restricted|limited|regulated|subject\s+to|conditional)"
_RUN = (
    r"(?:be\s+(?:"
    + _ADV.replace(r"\s+", "")
    + r"\s*)?(?:advertised|promoted|marketed|run|shown|served|placed|published|"
    r"displayed|delivered|accepted|approved|targeted|used|offered|sold|directed)|run|appear(?!\s+(?:in|on|with|next"
    r"|as|to|beside)\b)|advertise|promote|market|"
    r"be\s+" + _OK + r")"
)

_IN_A_MANNER = (
    r"(?:as|while|being|with|without|in\s+(?:use|action|an?|any)|together|during)\b(?!\s+(?:country|market|place))"
)
"""Behind "must not be shown": how it must not be shown, not that it must not."""

_RULES: tuple[tuple[Effect, re.Pattern[str]], ...] = tuple(
    (effect, re.compile(pattern, re.IGNORECASE))
    for effect, pattern in (
        # "X is no longer prohibited" and its like say nothing certain
        (Effect.PROHIBITS, rf"(?P<before>.*?)\b{_BE}{_ADV}{_NOT}{_ADV}\s+(?:be\s+)?{_OK}\b(?P<after>.*)"),
        (
            Effect.PROHIBITS,
            rf"(?P<before>.*?)\b(?:{_BE}|remains?){_ADV}\s+(?:(?!not\b)\w+\s+)?{_BANNED}\b(?P<after>.*)",
        ),
        (
            Effect.PROHIBITS,
            rf"(?P<before>.*?)\b(?:{_MODAL}{_NOT}|cannot|can['’]t|won['’]t){_ADV}\s+{_RUN}\b"
            rf"(?!\s+(?:to\b(?!\s+the\s+(?:general\s+)?public)|at\b(?!\s+all\b)|beside\b|next\b)"
            rf"|\s+{_IN_A_MANNER})(?P<after>.*)",
        ),
        (
            Effect.PROHIBITS,
            rf"(?P<actor>.{{0,80}}?)\b(?:do|does){_NOT}\s+(?:allow|permit|accept|run|authori[sz]e"
            rf"|support)\b(?P<after>.*)",
        ),
        (Effect.PROHIBITS, r"(?P<actor>.{0,80}?)\b(?:prohibits?|bans?|forbids?|disallows?|rejects?)\b(?P<after>.*)"),
        (
            Effect.PROHIBITS,
            r"(?P<actor>.{0,40}?)\b(?:prohibition|ban)\s+(?:also\s+)?(?:covers|includes|(?:applies"
            r"|extends)\s+to)\b(?P<after>.*)",
        ),
        (Effect.PROHIBITS, rf"^\W*(?:not\s+{_OK}|{_BANNED})\b(?=\s*(?:[:.,;–-]|$|{_THEN}))[:.]?(?P<after>.*)"),
        (Effect.PROHIBITS, r"^\W*no\s+(?P<after>.*?\b(?:ads?|advertis\w+|promotions?)\b.*)"),
        (Effect.RESTRICTS, rf"(?P<before>.*?)\b{_BE}{_ADV}\s+(?:(?!not\b)\w+\s+)?{_LIMITED}\b(?P<after>.*)"),
        (Effect.ALLOWS, rf"(?P<before>.*?)\b{_BE}{_ADV}\s+(?:(?!not\b)\w+ly\s+)?{_OK}\b(?P<after>.*)"),
        (Effect.ALLOWS, rf"(?P<before>.*?)\b(?:may|can){_ADV}\s+{_RUN}\b(?P<after>.*)"),
        (
            Effect.ALLOWS,
            r"(?P<actor>.{0,80}?)\b(?:allows?|(?<!\ba\s)(?<!\bthe\s)(?<!\byour\s)(?<!\bvalid\s)permits?"
            r"|accepts?)\b(?P<after>.*)",
        ),
        (Effect.ALLOWS, rf"^\W*{_OK}\b(?=\s*(?:[:.,;–-]|$|{_THEN}))[:.]?(?P<after>.*)"),
    )
)

_CONTENT_RULE = re.compile(
    rf"(?P<before>.*?)\b(?:(?P<demand>must|should|shall|need\s+to|ha(?:s|ve)\s+to|{_BE}\s+required\s+to|requires?"
    rf"|needs?)"
    rf"|may|can|(?P<do>do(?:es)?))\b(?P<not>{_NOT})?(?P<after>\W.*|$)",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\s+only\b", re.IGNORECASE)
_QUALIFIED = re.compile(
    r"\b(?:in\s+(?:certain|some|selected)|if|provided|providing|only|subject\s+to|as\s+long\s+as|so\s+long\s+as"
    r"|when|where|once|after|must|require\w*"
    r"|with\s+(?:\w+\s+){0,3}(?:approval|permission|authori[sz]ation|certificat\w+|licen[cs]\w+|restrictions?"
    r"|conditions?|limits?)"
    r"|on\s+condition|(?:ask|contact|talk\s+to|check\s+with|write\s+to)\s+(?:us|our|the|your)|conditions?"
    r"|restrict\w*|limited|under\s+(?:the\s+)?conditions|approval|licen[cs]\w*)\b",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(r"\b(?:following|below)\b|:\s*$", re.IGNORECASE)
_LEADS_TO_THINGS = re.compile(
    r"\b(?:ads?|adverts?|advertisements?|campaigns?|promotions?)\s+(?:for|of|on)\s*:\s*$", re.IGNORECASE
)
_NOT_LIMITED = re.compile(r",?\s*\b(?:but|and)\s+(?:is|are)?\s*not\s+limited\s+to\b", re.IGNORECASE)
_NO_DEMAND = re.compile(
    r"\b(?:needs?|requires?|with|there\s+(?:is|are))?\s*\b(?:no|without|not\s+(?:need"
    r"|require)\w*)\s+(?:\w+\s+){0,2}?(?:approval|licen[cs]e|"
    r"certification|permission|age\s+limit|conditions?|restrictions?|authori[sz]ation)\b"
    r"|\band\s+(?:there(?:['’]s|\s+is)\s+)?nothing\s+(?:extra|else|more|further|has)\b[^.;]*",
    re.IGNORECASE,
)
_NEEDS_CONSENT = re.compile(
    r"\b(?:approv\w+|permission|authori[sz]\w+|certif\w+|licen[cs]\w+|consent|agreed?|regist\w+|verified"
    r"|whitelisted|permit|"
    r"meets?|compl(?:y|ies)|age[- ]gated|prescri\w+)\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"[,;(–—]?\s*\b(?:except(?:ion)?(?:\s+(?:for|in|where|when|that|as))?|unless|other\s+than"
    r"|with\s+the\s+exception\s+of"
    r"|excluding|apart\s+from|save\s+for|without|outside(?:\s+of)?|but\s+not(?!\s+limited\b)|but(?=\s+(?-i:[A-Z]))"
    r"|this\s+(?:\w+\s+)?does\s+not\s+apply(?:\s+(?:in|to|for))?)\b(?P<what>.*)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|no\s+longer)\s+(?:\w+\s+)?(?:prohibited|banned|forbidden|restricted)\b|\bnot\s+only\b"
    r"|\bno\s+restrictions?\b",
    re.IGNORECASE,
)
_NOT_SURELY = re.compile(
    r"\b(?:no\s+longer|used\s+to|rarely|seldom|hardly|scarcely|might|until|nobody|no\s+one|will\s+be\b.*\b\d{4}"
    r"|(?:was|were)\s+(?:\w+\s+)?" + _OK + r")\b",
    re.IGNORECASE,
)
"""Makes of "allowed" something that holds no more, not yet or hardly ever."""

_RELATIVE_END = re.compile(r"\b(?:that|which|who)\s*$", re.IGNORECASE)
_ADVERTISED_BEFORE = re.compile(rf"\b(?:may|can){_ADV}\s+{_RUN}\b.*\b(?:that|which|who|whose)\b", re.IGNORECASE)
_DENYING = re.compile(
    r"\b(?:not|never|unable|nobody|no\s+one|nothing|none|neither|nor|cannot|hardly)\b|n['’]t\b", re.IGNORECASE
)

_ON_THE_PLATFORM = re.compile(r"\b(?:to\s+run\s+)?on\s+(?-i:[A-Z])\w*(?:\s+(?-i:[A-Z])\w*)*")

_FROM_DOING = re.compile(r"\s*from\s+(?P<verb>\w+ing)\b(?P<what>.*)", re.IGNORECASE)
_PROMOTING = re.compile(r"(?:advertis|promot|market)ing", re.IGNORECASE)
_MAY = re.compile(r"\b(?:may|might|can|could)\s*$", re.IGNORECASE)
_TO_PROMOTE = re.compile(r"\s*to\s+(?:advertise|promote|market|run\s+ads\s+for)\b", re.IGNORECASE)
_PROMOTES = re.compile(r"\b(?:advertise|promote|market)$", re.IGNORECASE)
_ADS = re.compile(
    r"\W*(?:(?:all|any|our|the|no|your)\s+)?(?:ads?|adverts?|advertisements?|campaigns?)\W*", re.IGNORECASE
)
_QUALIFIER = re.compile(
    r"\s+(?:if|when|where|provided|providing|only|as\s+long\s+as|so\s+long\s+as|once|after|subject\s+to|with"
    r"|in\s+(?:certain|some"
    r"|selected|the\s+following|these|those))\b.*$",
    re.IGNORECASE,
)
"""What begins a condition behind the thing that is allowed: "We accept ads for kites if the buyer is an adult"."""

_CONCESSION = re.compile(
    r",?\s*\b(?:even\s+(?:though|if|when)|although|though|regardless\s+of|whether\s+or\s+not|no\s+matter)\b[^,;:]*",
    re.IGNORECASE,
)
"""What changes nothing: "allowed even though they are sharp"."""

_ACTOR = re.compile(
    r"\W*(?:(?:all|any|our|the|no)\s+)?(?:advertisers?|you|we|it|they|publishers?|partners?|businesses|companies"
    r"|accounts?|"
    r"users?)?\W*",
    re.IGNORECASE,
)


_PARTS = re.compile(r";\s+|(?<=[.!?])\s+(?=[A-Z])|(?<=\w),?\s+but\s+(?!not\b|[A-Z])")


@lru_cache(maxsize=20_000)
def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """The clauses of a sentence (or list item, or table cell) that say something about what may be advertised."""
    sentence = _CONCESSION.sub("", _NOT_LIMITED.sub(" ", sentence))
    parts = [plainly(part.strip()) for part in _PARTS.split(sentence)]
    read = [(part, _clause(part)) for part in parts]
    left_open = any(clause is None and _QUALIFIED.search(part) for part, clause in read)
    return tuple(_unless_left_open(clause, left_open) for _, clause in read if clause is not None)


def _unless_left_open(clause: Clause, left_open: bool) -> Clause:
    """What is allowed, but the sentence goes on with a condition that was not understood, is no plain permission."""
    return replace(clause, effect=Effect.RESTRICTS) if left_open and clause.effect is Effect.ALLOWS else clause


def _clause(text: str) -> Clause | None:
    if not text or _DENIED.search(text):
        return None
    main, excepted = split_exception(text)
    for effect, pattern in _RULES:
        if match := pattern.match(main):
            if effect is Effect.ALLOWS and _is_of_another(match):
                continue
            if effect is Effect.ALLOWS and (_NOT_SURELY.search(main) or _denies(match)):
                return None
            return _ruling(effect, match, main, excepted)
    match = _CONTENT_RULE.match(main)
    if match and match["do"] and match["before"].strip(r" \W"):
        return None  # "tours that do not focus on drinking": no rule, unless it is an order ("Do not ...")
    if match and (match["not"] or match["demand"] or _ONLY.match(match["after"])):
        negative = bool(match["not"])
        return Clause(Effect.RESTRICTS, match["before"], about_content=True, negative=negative, exception=excepted)
    return None


def _is_of_another(match: re.Match[str]) -> bool:
    """Whether what is allowed is somebody inside of the rule: "may be advertised by firms that are approved"."""
    before = match.groupdict().get("before") or ""
    return bool(_RELATIVE_END.search(before)) or bool(_ADVERTISED_BEFORE.search(before))


def _denies(match: re.Match[str]) -> bool:
    """Whether who allows does not: "we are unable to accept", "nothing that we allow"."""
    return bool(_DENYING.search(match.groupdict().get("actor") or ""))


def split_exception(text: str) -> tuple[str, str]:
    """The main clause and what it excepts: "Unless listed below, X is not allowed" has its exception in front."""
    match = _EXCEPTION.search(text)
    if match is None:
        return text, ""
    if match.start() == 0:
        excepted, _, main = match["what"].partition(",")
        return main.strip(), excepted.strip()
    return text[: match.start()], match["what"].strip(" .,:")


def _ruling(effect: Effect, match: re.Match[str], main: str, excepted: str) -> Clause:
    found = match.groupdict()
    before, after = found.get("before") or "", found.get("after") or ""
    subject = after if _ACTOR.fullmatch(before) or _is_promoted(before, match) else before
    if "actor" in found:
        subject = after
    if promoted := _TO_PROMOTE.match(after):
        anyone = _ACTOR.fullmatch(_MAY.sub("", before)) or _ADS.fullmatch(_MAY.sub("", before))
        after = after[promoted.end() :]
        subject = after if anyone or effect is Effect.ALLOWS else f"{before}{after}"
        effect = effect if anyone or effect is not Effect.ALLOWS else Effect.RESTRICTS  # allowed to some only
    if effect is Effect.PROHIBITS and (doing := _FROM_DOING.match(after)):
        if not _PROMOTING.fullmatch(doing["verb"]):  # banned from a way of advertising, not from advertising
            return Clause(Effect.RESTRICTS, before, about_content=True, negative=True, exception=excepted)
        subject = doing["what"]
    if effect is Effect.PROHIBITS and _NEEDS_CONSENT.search(excepted):
        effect = Effect.RESTRICTS  # "prohibited unless licensed" is a yes with a condition
    elif effect is Effect.ALLOWS and _MAY.search(before):
        effect = Effect.RESTRICTS  # "may be allowed": somebody will decide
    elif effect is Effect.ALLOWS:
        said = main[match.end("before") :] if before else main
        narrowed = subject is before and has_content(_ON_THE_PLATFORM.sub(" ", _NO_DEMAND.sub(" ", after)))
        effect = Effect.RESTRICTS if excepted or narrowed or _is_qualified(said, subject) else effect
    if effect is Effect.RESTRICTS and subject is after:
        subject = _QUALIFIER.sub("", subject)
    return Clause(effect, subject, exception=excepted)


def _is_promoted(before: str, match: re.Match[str]) -> bool:
    """Whether it is "Ads may not promote kites", which is on kites as "Advertisers may not promote kites" is."""
    return bool(_ADS.fullmatch(before) and _PROMOTES.search(match.string[: match.start("after")]))


def _is_qualified(said: str, subject: str) -> bool:
    """Whether a permission comes with conditions; "the following are allowed:" leads to things, not to conditions."""
    demands = _NO_DEMAND.sub(" ", said)
    enumerates = "following" in subject.lower() or not subject.strip(" :") or bool(_LEADS_TO_THINGS.search(subject))
    return bool(_QUALIFIED.search(demands)) or (not enumerates and bool(_LEADS_ON.search(demands)))
