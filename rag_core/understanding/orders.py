"""Orders, claims and mark-up in a question: words that are no part of what is asked, and must decide nothing.

A question says what somebody wants to know. What it says of how to answer, of who is asking, of what the rules are from
now on, and whatever is written in the form of a prompt, is read over.
"""

import re

_END = r"[^.:;!?]*(?:[.:;!?]+|$)"
_PART = r"[^.:;!?,]*(?:[.:;!?,]+|$)"
_START = r"(?:^\W*|(?<=[.:;!?,>\])]\s)|(?<=[.:;!?,>\])])|\b(?:and|so|then|please|pls|just|now|but)\s+)"
_OLDER = (
    r"(?:(?:all|any|every|each|the|this|that|these|those|your|my|of|other|previous|prior|earlier|older|above|preceding|former|existing|system|safety|policy)\s+)*"
    r"(?:instructions?|rules?|prompts?|polic(?:y|ies)|context|documents?|guidelines?|restrictions?|above|sources?|checks?|training|limits?)\b"
)
_ANSWER = r"(?:allowed|permitted|approved|fine|ok(?:ay)?|prohibited|yes|no)"
_OBEYED = (
    rf"{_START}(?:ignore|disregard|forget|override|overrule|bypass|skip)\s+{_OLDER}{_PART}",
    rf"{_START}(?:ignore|disregard|forget)\s+(?:everything|anything|whatever|what)\b{_PART}",
    r"\b(?:system|admin|developer|root|sudo)\s+(?:override|mode|access)\b\W*",
    rf"(?:\bfor\s+this\s+(?:one\s+)?question,?\s+)?{_START}(?:treat|consider|read|interpret|count|take)\s+(?:every|each|all|any)\b[^.:;!?,]*\bas\b{_PART}",
    rf"\bfor\s+this\s+(?:one\s+)?question,?\s+(?:treat|consider|read|interpret|count|take)\b{_PART}",
    rf"{_START}(?:a\s+)?(?:new|my|updated|special)\s+(?:rules?|polic(?:y|ies)|instructions?)(?:\s+(?:from|by)\s+(?:me|us|my\s+\w+|legal|the\s+\w+))?\s*:[^.;!?]*(?:[.;!?]+|$)",
    rf"{_START}from\s+now\s+on\b,?\s+(?:you\b|answer|reply|respond|say|treat|ignore|all|every|the\s+rules?){_END}",
    rf"{_START}(?:you\s+are|you're|u\s+are)\s+(?:now|no\s+longer|free|an?\s+(?:assistant|bot|ai|expert|lawyer|pirate|\w*gpt)|(?:\w*gpt|dan)\b){_END}",
    rf"{_START}(?:pretend|imagine|role-?play|act\s+(?:as|like)|behave\s+(?:as|like)|assume)\s+(?:that\s+)?(?:you\b|there\s+(?:is|are)\b|no\b|an?\s+\w+\s+(?:who|that|with)|the\s+(?:rules?|polic\w+)|(?:to\s+be\s+)?an?\s+"
    rf"(?:assistant|bot|ai|expert|lawyer|pirate|\w*gpt)){_PART}",
    rf"{_START}(?:always\s+|only\s+|simply\s+|just\s+)*(?:say|answer|reply|respond|output|print|write)\s+(?:only\s+|just\s+|simply\s+|always\s+)*(?:with\s+)?(?:the\s+words?\s+|a\s+|one\s+)*"
    rf"(?:[\"'“‘][^\"'”’]{{1,80}}[\"'”’]|(?:it'?s|it\s+is|that\s+it'?s|that\s+it\s+is)\s+{_ANSWER}\b|{_ANSWER}\b(?!\s+or\b))(?:\s*,\s*it'?s\s+{_ANSWER})?",
    rf"{_START}(?:always\s+|only\s+|just\s+)*(?:answer|reply|respond)\s+(?:only\s+)?(?:without|in\s+(?:json|xml|yaml|one\s+word|capitals|caps)|as\s+(?:json|if)|every|all\s+questions|this\s+with){_PART}",
    rf"{_START}(?:answer|reply|respond)\s+only\s+with\b{_END}",
    r"\b(?:just\s+|please\s+)?confirm\s+(?:that\s+)?the\s+(?:verdict|answer)\b[^.:;!?,]*",
    r"\brepeat\s+(?:after\s+me|(?:it|them|this|that)\s+word\s+(?:by|for)\s+word)\b\W*",
    r"\bwithout\s+(?:any\s+)?(?:citations?|checking)(?:\s+and\s+without\s+(?:any\s+)?(?:citations?|checking))?\b\W*",
    r"\b(?:base64|rot13|hex)?\s*decode\s+\S+(?:\s+and\s+(?:obey|follow|do|execute|run)\b[^.:;!?,]*)?",
    r"(?<![\w/=.:-])(?=[A-Za-z\d+/]*\d)(?=[A-Za-z\d+/]*[a-z])(?=[A-Za-z\d+/]*[A-Z])[A-Za-z\d+/]{24,}={0,2}",
)
_WRITTEN_AS = (
    r"(?:^|(?<=[.!?>\])]\s))(?:system|assistant|developer|ai|bot)\s*:.*?(?=\b(?:user|human|question|me)\s*:|$)(?:(?:user|human|question|me)\s*:)?",
    r"(?:^|(?<=[.!?>\])]\s))(?:user|human)\s*:",
    r"\[doc\s?\d*\].*?\[/doc\s?\d*\]",
    r"<(context|answer|system|assistant|instructions?|prompt|script|style)\b[^<>]*>.*?</\1\s*>",
    r"\[/?(?:doc\s?\d*|inst|source:[^\]]*|context[^\]]*|system[^\]]*)\]|\(context:[^)]*\)|<\|[\w ]+\|>|<</?sys>>",
    r"<https?:[^|<>\s]*(?:\|(?=[^<>]*>)|>)|</?[a-z][^<>]{0,200}>|<[!@#][^<>]{0,100}>|(?<!\w)@(?:everyone|here|channel|all)\b",
    r"\]\([^()\s]*(?:\([^()]*\))?[^()\s]*\)|\bhttps?://[^\s\"'<>)\]]+|```|=hyperlink\(|\{[^{}]{0,200}\}",
)
_READ_OVER = [
    re.compile("|".join(f"(?:{each})" for each in _OBEYED), re.IGNORECASE),
    *(re.compile(each, re.IGNORECASE) for each in _WRITTEN_AS),
]
_SIGN = re.compile(
    r"[<\[{@=]|https?:|\b(?:system|assistant|developer|user|human|bot|ai|ignore|disregard|forget|overrid\w*|overrule|bypass|skip|treat|consider|read|interpret|count|take"
    r"|rules?|polic\w+|instructions?|from\s+now|you\s+are|you're|u\s+are|pretend|imagine|role|roleplay|act|behave|assume|say|answer|reply|respond|output|print|write|confirm|repeat"
    r"|without|no|decode)\b|[A-Za-z\d+/]{24}",
    re.IGNORECASE,
)


def as_asked(text: str) -> str:
    """`text` without what must not be read, to be asked again or written on."""
    return " ".join(without_orders(text).split())


def without_orders(text: str) -> str:
    """`text` with as many spaces in the place of what must not be read: offsets stay."""
    if not _SIGN.search(text):
        return text
    for pattern in _READ_OVER:
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text
