"""An answer on record, held against the versions it was given from, and against what would be answered now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bot.model.outcomes import kind_of
from rag_core.answering.statements import is_verbatim
from rag_core.answers import Answer, Quote, Reply
from rag_core.documents import Passage, content_hash


class Standing(StrEnum):
    """What the store has of a quote today. `MISSING`: the chunk is not there; `TEXT_DIFFERS`: it is, with other text at
    that place; `CONTENT_DIFFERS`: the quote stands there, and something else in the chunk is different."""

    STANDS = "stands"
    MISSING = "missing"
    TEXT_DIFFERS = "text_differs"
    CONTENT_DIFFERS = "content_differs"


@dataclass(frozen=True, slots=True)
class QuoteStanding:
    chunk_id: str
    doc_id: str
    quote: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Differences:
    """Then and now. `gone`, `come`: texts of statements; the same goes for `left`, `new`: versions cited."""

    kinds: tuple[str, str]
    verdicts: tuple[tuple[str, ...], tuple[str, ...]]
    gone: tuple[str, ...]
    come: tuple[str, ...]
    left: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether the same would be answered, from the same versions."""
        same = self.kinds[0] == self.kinds[1] and self.verdicts[0] == self.verdicts[1]
        return same and not (self.gone or self.come or self.left or self.new)


def quoted_chunks(facts: Mapping[str, Any]) -> list[str]:
    """Ids of the chunks that an answer on record quotes."""
    of_statements = [quote["chunk_id"] for each in facts.get("statements", ()) for quote in each["quotes"]]
    return list(dict.fromkeys([each["chunk_id"] for each in facts.get("citations", ())] + of_statements))


def standings(facts: Mapping[str, Any], passages: Mapping[str, Passage]) -> list[QuoteStanding]:
    """Every citation and every quote of a statement, byte for byte. `passages`: what the store has, by chunk."""
    hashes = {each["chunk_id"]: each["content_hash"] for each in facts.get("chunks", ())}
    found = []
    for each in facts.get("citations", ()):
        passage = passages.get(each["chunk_id"])
        found.append(_standing(each, each["doc_id"], passage, hashes, _cited(each, passage)))
    known = {each["chunk_id"]: each["doc_id"] for each in facts.get("citations", ())}
    for statement in facts.get("statements", ()):
        for value in statement["quotes"]:
            quote, passage = Quote(**value), passages.get(value["chunk_id"])
            doc_id = passage.chunk.doc_id if passage else known.get(quote.chunk_id, "")
            holds = passage is not None and is_verbatim(quote, passage)
            found.append(_standing({**value, "quote": quote.text}, doc_id, passage, hashes, holds))
    return found


def _cited(citation: Mapping[str, Any], passage: Passage | None) -> bool:
    if passage is None:
        return False
    chunk = passage.chunk
    start, end = citation["char_start"] - chunk.char_start, citation["char_end"] - chunk.char_start
    return bool(0 <= start < end and chunk.chunk_text[start:end] == citation["quote"])


def _standing(
    quoted: Mapping[str, Any], doc_id: str, passage: Passage | None, hashes: Mapping[str, str], holds: bool
) -> QuoteStanding:
    standing = Standing.STANDS
    if passage is None:
        standing = Standing.MISSING
    elif not holds:
        standing = Standing.TEXT_DIFFERS
    elif hashes.get(quoted["chunk_id"], "") not in ("", _hash(passage)):
        standing = Standing.CONTENT_DIFFERS
    return QuoteStanding(quoted["chunk_id"], doc_id, quoted["quote"], standing)


def _hash(passage: Passage) -> str:
    chunk = passage.chunk
    return content_hash(chunk.policy_path, chunk.lead_in, chunk.chunk_text)


def differences(kind: str, facts: Mapping[str, Any], now: Reply) -> Differences:
    """What was answered then (its kind and facts) beside what is answered now."""
    answer = now if isinstance(now, Answer) else None
    verdicts = [(each.region, each.policy_source, str(each.verdict)) for each in answer.verdicts] if answer else []
    then = [(each["region"], each["policy_source"], each["verdict"]) for each in facts.get("verdicts", ())]
    said_then = [each["text"] for each in facts.get("statements", ())]
    said_now = [each.text for each in answer.statements] if answer else []
    from_then = [each["doc_id"] for each in facts.get("citations", ())]
    from_now = [each.doc_id for each in answer.citations] if answer else []
    return Differences(
        (kind, kind_of(now)),
        (_named(then), _named(verdicts)),
        _without(said_then, said_now),
        _without(said_now, said_then),
        _without(from_then, from_now),
        _without(from_now, from_then),
    )


def _named(verdicts: Iterable[tuple[str | None, str, str]]) -> tuple[str, ...]:
    return tuple(sorted(" ".join(filter(None, each)) for each in verdicts))


def _without(these: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    known = set(others)
    return tuple(each for each in dict.fromkeys(these) if each not in known)
