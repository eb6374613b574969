"""Small sections joined with what follows them."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import size
from rag_core.layout import BlockKind, read_blocks


@dataclass(frozen=True, slots=True)
class _Limits:
    """`headings`: where the line of each heading of the text begins."""

    headings: Sequence[int]
    count: TokenCounter
    max_tokens: int
    least: int
    most: int
    after_heading: int


def join_small(
    text: str,
    drafts: Sequence[ChunkDraft],
    count: TokenCounter,
    max_tokens: int,
    *,
    least: int,
    most: int,
    after_heading: int,
) -> list[ChunkDraft]:
    """`drafts` with those below `least` characters joined to their neighbours of the next section, within `most`.

    Only under a common heading and for the same places and rule. The text of a joined draft begins with its first
    heading, where that is no longer in its path. A heading inside keeps `after_heading` characters, or its whole
    section.
    """
    blocks = read_blocks(text)
    headings = [text.rfind("\n", 0, block.start) + 1 for block in blocks if block.kind is BlockKind.HEADING]
    limits = _Limits(headings, count, max_tokens, least, most, after_heading)
    found: list[ChunkDraft] = []
    for at, draft in enumerate(drafts):
        following = drafts[at + 1] if at + 1 < len(drafts) else None
        taken = found[-2].end if len(found) > 1 else 0
        joined = _joined(text, found[-1], draft, following, limits, taken) if found else None
        if joined is not None:
            found[-1] = joined
        else:
            found.append(draft)
    return found


def _joined(
    text: str, one: ChunkDraft, other: ChunkDraft, following: ChunkDraft | None, limits: _Limits, taken: int
) -> ChunkDraft | None:
    """`taken`: up to where the text belongs to drafts before `one`, which may hold for other places."""
    lengths = (one.end - one.start, other.end - other.start)
    common = _common(one.path, other.path)
    if min(lengths) >= limits.least or other.lead_in or one.path == other.path or not common:
        return None
    if one.places != other.places or one.rule_number != other.rule_number:
        return None
    goes_on = following is not None and following.path == other.path
    if goes_on and lengths[1] < limits.after_heading:
        return None
    level = one.level if common == one.path else max(min(one.level, other.level) - 1, 0)
    start = one.start if common == one.path else _heading_start(limits.headings, one.start)
    joined = replace(one, start=start, end=other.end, path=common, level=level, is_atomic=False)
    fits = taken <= start and other.end - start <= limits.most and size(text, joined, limits.count) <= limits.max_tokens
    return joined if fits else None


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """The path of the joined draft: that of the one above, or the parent of both; () if they are further apart."""
    if tuple(other[: len(one)]) == tuple(one):
        return tuple(one)
    return tuple(one[:-1]) if one[:-1] == other[:-1] else ()


def _heading_start(headings: Sequence[int], start: int) -> int:
    """Where the line of the last heading at or before `start` begins; `start` where there is none."""
    at = bisect_right(headings, start)
    return headings[at - 1] if at else start
