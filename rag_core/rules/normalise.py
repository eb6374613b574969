"""What never changes what a rule says or a question asks is taken away before either is read: numbering, bullets,
quotation marks, "please note that", greetings and politeness."""

import re
import unicodedata

_MARKER = re.compile(
    r"^(?:[\s•·▪‣*\-–—>#]+|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)](?=\s)|\d{1,3}(?:\.\d{1,3})+(?=\s))\s*"
)
_QUOTES = str.maketrans(dict.fromkeys('"“”„«»*', "") | dict.fromkeys("‘’`´", "'") | dict.fromkeys("–—", "-"))
_REMARK = re.compile(
    r"^(?:(?:please|kindly|also|do|and)\s+)*(?:note|remember|be\s+aware|keep\s+in\s+mind|bear\s+in\s+mind|be\s+advised)"
    r"(?:\s+that|\s*[:,])\s+",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|hiya|dear|good\s+(?:morning|afternoon|evening|day)|morning|greetings)(?:\s+(?:there|all|team|everyone|folks|guys))?"
    r"\s*[,!.:;-]+|(?:quick|one|a|short)\s+(?:quick\s+)?question\s*[,!.:;-]+)\s*",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:\s*[,.!;-]+\s*|\s+)(?:(?:many\s+)?thanks(?:\s+(?:a\s+lot|so\s+much|in\s+advance|again))?|thank\s+you(?:\s+(?:so\s+much|in\s+advance|very\s+much))?"
    r"|thx|cheers|pls|please|kind\s+regards|regards)\s*[.!]*$|^(?:please|pls|kindly)\s*,?\s+",
    re.IGNORECASE,
)


def plain_rule(text: str) -> str:
    """`text` of a rule without what stands before it in a list and without remarks that it is to be noted."""
    text = folded(text)
    while (shorter := without_remark(_MARKER.sub("", text, count=1))) != text:
        text = shorter
    return text


def without_remark(text: str) -> str:
    """`text` without an opening "note that"."""
    return _REMARK.sub("", text, count=1)


def plain_question(text: str) -> str:
    """`text` of a question without greeting, thanks and "please"; all of it where nothing else is left."""
    asked = folded(text)
    while (shorter := _POLITE.sub("", _GREETING.sub("", asked, count=1)).strip(" ,;-")) != asked and shorter:
        asked = shorter
    return asked


def folded(text: str) -> str:
    """`text` in one Unicode form, without quotation marks, invisible letters and runs of white space."""
    visible = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return " ".join(visible.translate(_QUOTES).split())
