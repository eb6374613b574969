"""Reading the rules of what is stored: those of chunks that nobody has read yet, or not with what reads now."""

import asyncio
from collections.abc import Mapping, Sequence

from ingest.indexing import embed_texts
from ingest.model.report import Progress, no_progress
from ingest.model.rules import ReadChunk, ReadRule, ReadWith, RuleStore
from ingest.model.turns import turn
from ingest.parts import IndexingParts
from ingest.rules import wording
from rag_core.documents import Passage
from rag_core.ports import Embedder
from rag_core.rules.cues import opinion_of
from rag_core.rules.reader import Reader, RuleReading, RuleText
from rag_core.rules.rule import Rule, rule_hash, rules_in, text_hash

RULE_WORK = "rules"
"""The name under which `LeaderLease` keeps two processes from reading the same rules."""

CHUNKS_AT_ONCE = 32
"""Chunks read and kept in one go: after a kill, no more than these are read twice."""

_TEXTS_AT_ONCE = 256


async def read_rules(parts: IndexingParts, progress: Progress = no_progress) -> int:
    """Read and embed the rules that are not kept as reader, embedder and rules are now; how many chunks those were.

    What was read before, in whatever version of whatever document, is not read or embedded again. Raises Misconfigured
    where the reader has no weights, and Unavailable; what is kept by then stays.
    """
    reader = parts.rule_reader
    if reader is None:
        return 0
    read_with = await read_with_now(reader, parts.embedder)
    if not await parts.rules.count_lacking(read_with):
        return 0
    async with turn(parts.lease, RULE_WORK):
        return await read_lacking(parts, reader, read_with, progress)


async def read_with_now(reader: Reader, embedder: Embedder) -> ReadWith:
    """What rules are read with. Raises Misconfigured where the reader has no weights."""
    version = await asyncio.to_thread(lambda: reader.version)  # it reads a file
    return ReadWith(version, embedder.model)


async def read_lacking(
    parts: IndexingParts, reader: Reader, read_with: ReadWith, progress: Progress = no_progress
) -> int:
    """`read_rules`, for who holds the lease. A chunk is tried once, whatever comes of it."""
    total = await parts.rules.count_lacking(read_with)
    done, last = 0, ""
    while passages := await parts.rules.lacking(read_with, CHUNKS_AT_ONCE, last):
        progress(done, max(total, done), wording.STEP)
        await _read(passages, parts, reader, read_with)
        done, last = done + len(passages), passages[-1].chunk.chunk_id
    progress(done, done, "")
    return done


async def _read(passages: Sequence[Passage], parts: IndexingParts, reader: Reader, read_with: ReadWith) -> None:
    rules = {passage.chunk.chunk_id: rules_in(passage) for passage in passages}
    texts = {text_hash(rule.as_read()): rule for of_chunk in rules.values() for rule in of_chunk}
    readings = await _readings(texts, parts.rules, reader, read_with.reader)
    await embed_texts({hash_: rule.as_read().text for hash_, rule in texts.items()}, parts.embeddings, parts.embedder)
    kept = [
        ReadChunk(
            each.chunk.chunk_id,
            each.chunk.doc_id,
            each.version.document_id,
            _numbered(rules[each.chunk.chunk_id], readings),
        )
        for each in passages
    ]
    await parts.rules.keep(read_with, kept)  # last: a chunk that is kept lacks nothing


async def read_texts(texts: Sequence[RuleText], reader: Reader) -> list[RuleReading]:
    """What each of them does, in their order, however many there are: a reader takes only so many at once."""
    found: list[RuleReading] = []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        found += await reader.read(texts[start : start + _TEXTS_AT_ONCE])
    return found


async def _readings(
    texts: Mapping[str, Rule], store: RuleStore, reader: Reader, version: str
) -> Mapping[str, RuleReading]:
    known = await store.known(version, list(texts))
    missing = [hash_ for hash_ in texts if hash_ not in known]
    read = await read_texts([texts[hash_].as_read() for hash_ in missing], reader)
    return {**known, **dict(zip(missing, read, strict=True))}


def _numbered(rules: Sequence[Rule], readings: Mapping[str, RuleReading]) -> tuple[ReadRule, ...]:
    return tuple(
        ReadRule(
            number,
            rule_hash(rule.as_read()),
            text_hash(rule.as_read()),
            rule.kind,
            rule.body[0].start,
            rule.body[-1].end,
            readings[text_hash(rule.as_read())],
            opinion_of(rule.as_read()),
        )
        for number, rule in enumerate(rules)
    )
