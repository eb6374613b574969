"""Parts of a section as drafts that the embedder can read whole."""

from collections.abc import Callable, Sequence

from ingest.chunkers.atoms import Atom, Line
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import PATH_SEPARATOR, ChunkDraft, TokenCounter
from ingest.chunkers.outline import Section
from ingest.chunkers.parts import word_spans
from rag_core.documents import search_text
from rag_core.layout import BlockKind

Division = Callable[[Cutter, int], list[list[Atom]]]
"""(the lines of a section, tokens left for a chunk's lead-in and text) -> the atoms of each chunk, in order."""

_TRIES = 8


def fitted_drafts(cutter: Cutter, section: Section, max_tokens: int, divide: Division) -> list[ChunkDraft]:
    """The drafts of the lines in `cutter`, all below the headings of `section`; none with more than `max_tokens`."""
    path = fitted_path(section.path, max_tokens // 4, cutter.count)
    room = max_tokens - cutter.count(PATH_SEPARATOR.join(path))
    drafts: list[ChunkDraft] = []
    for _ in range(_TRIES):
        drafts = [draft_of(cutter, section, path, part) for part in divide(cutter, room)]
        largest = max((size(cutter.text, draft, cutter.count) for draft in drafts), default=0)
        if largest <= max_tokens:
            break
        # this tokenizer counts more for the whole than for its lines
        room = max(cutter.most_lead_in + max_tokens // 8, room * max_tokens // largest - 1)
    return drafts


def draft_of(cutter: Cutter, section: Section, path: tuple[str, ...], part: Sequence[Atom]) -> ChunkDraft:
    """The draft from the first to the last of the atoms `part`."""
    first, last = part[0], part[-1]
    lead = cutter.lead_in(first)
    places, rule = first.scope
    atomic = not lead and _is_whole_group(cutter.lines, part)
    warning = _warning(cutter.lines[first.block], lead)
    return ChunkDraft(first.start, last.end, lead, path, section.level, places, rule, section.anchor, atomic, warning)


def _warning(first: Line, lead_in: str) -> str | None:
    if not lead_in:
        return None
    if first.block.kind is BlockKind.ROW:
        return "table_split"
    return "list_split" if first.block.kind is BlockKind.ITEM and first.block.marker != "-" else None


def _is_whole_group(lines: Sequence[Line], part: Sequence[Atom]) -> bool:
    """Whether a part is one list or one table, complete, with the paragraph before it at most."""
    kinds = [lines[atom.block].block.kind for atom in part]
    body = kinds[1:] if kinds[0] is BlockKind.PARAGRAPH else kinds
    after = lines[part[-1].block + 1].block.kind if part[-1].block + 1 < len(lines) else None
    is_list = bool(body) and set(body) == {BlockKind.ITEM} and after is not BlockKind.ITEM
    is_table = bool(body) and set(body) <= {BlockKind.HEADER_ROW, BlockKind.ROW} and after is not BlockKind.ROW
    return is_list or is_table


def size(text: str, draft: ChunkDraft, count: TokenCounter) -> int:
    """The tokens that the embedder reads of `draft`: headings, lead-in, text."""
    return count(search_text(PATH_SEPARATOR.join(draft.path), draft.lead_in, text[draft.start : draft.end]))


def fitted_path(path: tuple[str, ...], most_tokens: int, count: TokenCounter) -> tuple[str, ...]:
    """`path` within `most_tokens`: the headings between the first and the last go first, then words at the ends."""
    while len(path) > 2 and count(PATH_SEPARATOR.join(path)) > most_tokens:
        path = (path[0], *path[2:])
    if len(path) == 2 and count(PATH_SEPARATOR.join(path)) > most_tokens:
        path = path[1:]
    if len(path) == 1 and count(path[0]) > most_tokens:
        fitting = [start for start, _ in word_spans(path[0]) if count(path[0][:start]) < most_tokens]
        path = (path[0][: fitting[-1]].rstrip() or path[0][: most_tokens // 2],)
    return path
