"""What kind of answer a question wants, by its wording."""

import re
from collections.abc import Callable

from rag_core.questions import Intent

_DEFINITION = re.compile(
    r"\b(define[sd]?|definition|mean(?:s|t|ing)?\b(?! of)|counts? as|considered (?:as|to be)|classed as"
    r"|qualif\w+ as)\b",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"\b(can|may|could|allow\w*|permit\w*|okay|ok|legal|possible|doable|fine|prohibit\w*|ban(?:ned)?|forbid\w*"
    r"|accept\w*|eligible|restricted|are we able|am i able|is it alright)\b",
    re.IGNORECASE,
)
_REQUIREMENT = re.compile(
    r"\b(require\w*|need\w*|must|have to|(?:condi|restric)tions?|rules?|policy|policies|limits?|max|min"
    r"|how (?:many|much|long|old|big|often|do|should)|which (?:licen[cs]e|certificat\w+|documents?)|disclaimers?)\b",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(
    r"^\W*what(?:'s|’s|\s+is|\s+are)\s+(?:an?\s+)?(?!(?:allowed|the)\b)[\w-]+(?:\s+[\w-]+){0,3}\W*$", re.IGNORECASE
)
_WH = re.compile(r"^\W*(who|when|why|where|which|what|how)\b", re.IGNORECASE)
_CHANGED = re.compile(
    r"\bwhat(?:'s|’s|\s+is|\s+has|\s+have|\s+was|\s+were)?\s+(?:been\s+)?(?:new|changed|different|updated|added|removed"
    r"|changing)\b"
    r"|\bwhat\s+(?:\w+\s+){0,3}(?:changed|got\s+updated|is\s+different|changes)\b"
    r"|\b(?:has|have|had|did|does|do|is|are|were|was)\s+(?:\w+[\s-]+){0,6}?(?:changed|changing|been\s+updated"
    r"|change\s+(?:since|in|on|after|between|recently|lately))\b"
    r"|\b(?:any|the|recent|latest|last|policy|rule)\s+(?:policy\s+|rule\s+)?(?:changes?|updates?)\b(?!\s+your)"
    r"|\b(?:any|latest)\s+(?:policy\s+)?news(?:\s+(?:on|about|from|for|since|regarding)\b|\W*$)|^\W*news\W*$"
    r"|^\W*(?:changes?|updates?)\b(?=\W*$|\s+(?:to|in|since|for|on|of|from|between|this|last)\b)|\bchange\s?log\b"
    r"|\bhow\s+(?:has|have|did)\s+.+\bchange|\b(?:changes|updates)\s+since\b|\bwhen\s+(?:did|was|were)\s+.+\b(?:change|updated|added)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:compare[sd]?|comparing|comparison|versus|vs\.?|v\.|differences?\s+between|compared\s+(?:to|with)"
    r"|side\s+by\s+side)(?!\w)|\bdiffer(?:s|ent)?\s+(?:between|from|in|on|across)\b|\b(?:stricter|looser|more\s+lenient)\b",
    re.IGNORECASE,
)
_SOURCES = re.compile(
    r"\b(?:which|what|list|show(?:\s+me)?|name)\s+(?:all\s+)?(?:of\s+)?(?:the\s+|your\s+)?(?:policies|policy\s+documents"
    r"|documents|sources|platforms|policy\s+sources|publishers|countries)\s*(?:do|are|can|have|does|you|$|\?|that\s+you)"
    r"(?!\s*(?:i|we|they|allow|restrict|need|require|ban|prohibit)\b)"
    r"|\bwhere\s+do\s+you\s+get\s+your\b|\bwhat\s+do\s+you\s+(?:know|cover|have)\b|^\W*(?:sources|documents)\W*$"
    r"|\blist\s+(?:of\s+)?(?:all\s+)?(?:the\s+|your\s+)?(?:sources|documents|platforms|policies)\b",
    re.IGNORECASE,
)
_SOURCES_OF_YOURS = re.compile(
    r"\b(?:you|your|known|covered|loaded|indexed|available)\b|^\W*(?:list|sources|documents|show)"
)
_HELP = re.compile(
    r"^\W*(?:help(?:\s+me)?|commands|usage|\?+|how\s+(?:do|can)\s+i\s+(?:use|ask)\s+(?:this|you|it|the\s+bot)"
    r"|what\s+(?:can|do)\s+you\s+do|what\s+can\s+i\s+ask(?:\s+you)?|how\s+does\s+(?:this|it|the\s+bot)\s+work"
    r"|who\s+are\s+you|what\s+are\s+you(?:\s+for)?)"
    r"(?:\s+(?:please|pls|here|with))?\W*$",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|hiya|yo|howdy|good\s+(?:morning|afternoon|evening|day)|thanks?(?:\s+you)?|thx|ty|cheers"
    r"|thank\s+you|great|cool|nice(?:\s+one)?|perfect|awesome|ok(?:ay)?|got\s+it|understood|lol|haha+|bye|goodbye|see\s+you"
    r"|how\s+are\s+you(?:\s+doing)?|what'?s\s+up|sorry|never\s?mind|yes|no|yep|nope|sure|well\s+done|good\s+bot|makes\s+sense"
    r"|there|all|everyone|bot|team|again|today|so\s+much|very\s+much|a\s+lot|for\s+(?:that|the\s+help|your\s+help)|mate|then"
    r"|and|for\s+now|that'?s\s+all)[\s,.!?;:)]*)+\W*$",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"\bwho\s+(?:said|says|wrote|posted|stated|decided|announced|published|mentioned|replied|answered|confirmed|claims?)\b"
    r"|\bwhere\s+(?:does\s+it|do\s+they|is\s+(?:it|that|this)|did\s+\w+|was\s+(?:it|that|this))\s+(?:\w+\s+)?(?:sa(?:y|id)|stated"
    r"|written|posted|announced|mention(?:ed)?|come\s+from)\b|\baccording\s+to\s+(?:who|whom|which|what)\b|\bsource\s+(?:for|of)\s+"
    r"(?:that|this|the)\b|\bwhich\s+(?:post|document|page|policy|section|rule)\s+(?:says|states|covers|is\s+that)\b"
    r"|\bwhat\s+did\s+.+\b(?:say|post|write|announce)\b",
    re.IGNORECASE,
)
_NOT_OF_RULES: tuple[tuple[Intent, Callable[[str], object]], ...] = (
    (Intent.SMALL_TALK, _SMALL_TALK.match),
    (Intent.HELP, _HELP.match),
    (Intent.LIST_SOURCES, lambda text: _SOURCES.search(text) and _SOURCES_OF_YOURS.search(text.lower())),
)
_OF_RULES = (
    (Intent.WHAT_CHANGED, _CHANGED),
    (Intent.COMPARISON, _COMPARED),
    (Intent.ATTRIBUTION, _ATTRIBUTION),
)


def intent_of(text: str) -> Intent:
    """The intent; a bare topic ("alcohol UK?") asks for permission."""
    for intent, asks in _NOT_OF_RULES:
        if asks(text):
            return intent
    return next((intent for intent, pattern in _OF_RULES if pattern.search(text)), None) or _of_a_rule(text)


def _of_a_rule(text: str) -> Intent:
    if _DEFINITION.search(text):
        return Intent.DEFINITION
    if _WHAT_IS.match(text) and not _REQUIREMENT.search(text):
        return Intent.DEFINITION
    opens_with_wh = bool(_WH.search(text))
    if _REQUIREMENT.search(text) and (opens_with_wh or not _PERMISSION.search(text)):
        return Intent.REQUIREMENT
    if _PERMISSION.search(text) or not opens_with_wh:
        return Intent.PERMISSION
    return Intent.INFORMATION
