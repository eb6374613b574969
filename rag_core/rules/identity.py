"""How a rule is recognised again: in another version of its document, and by what is kept beside it."""

import hashlib

from rag_core.rules.reader import RuleText

RULES_VERSION = "1"
"""Raised whenever the same text has other rules, other headings above them, or another opinion of its cues: what was
read before counts no more, and is read again."""


def rule_hash(rule: RuleText) -> str:
    """SHA-256 (hex) over the words of lead-in and body: the same wherever the sentence stands."""
    return _sha256("\n".join(" ".join(part.split()) for part in (rule.lead, rule.body)))


def text_hash(rule: RuleText) -> str:
    """SHA-256 (hex) of what a reader and an embedder get: equal hashes share a reading and a vector."""
    return _sha256(rule.text)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
