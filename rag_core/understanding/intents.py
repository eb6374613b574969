"""What kind of answer a question wants, by its wording."""

import re

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


def intent_of(text: str) -> Intent:
    """The intent; a bare topic ("alcohol UK?") asks for permission."""
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
