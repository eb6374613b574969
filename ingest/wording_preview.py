"""The sentences of `preview`: how one document is read."""

from collections.abc import Mapping, Sequence

_WARNINGS = {
    "table_split": "a table did not fit: this is a part of it, with its header repeated",
    "list_split": "a numbered list did not fit: this is a part of it",
}


def title(title_: str, document_id: str) -> str:
    return f"{title_} ({document_id})"


def day(day_: str | None) -> str:
    return f"holds from {day_}" if day_ else "states no date: it would hold from the day it is first read"


def kind(mime_type: str, pages: int | None, chunker: str, detected: str | None) -> str:
    """What it was read as."""
    paged = f", {pages} pages" if pages else ""
    found = f" (by its look: {detected})" if detected else ""
    return f"{mime_type}{paged}; cut by the chunker {chunker}{found}"


def of_source(source_id: str | None) -> str:
    if source_id:
        return f"read as a document of the source {source_id} of the catalogue"
    return "in no folder that the catalogue names: read as a document of nobody in particular"


def parse_warning(code: str, details: Mapping[str, object]) -> str:
    facts = ", ".join(f"{name}: {value}" for name, value in details.items() if value not in (None, ""))
    return f"warning: {code.replace('_', ' ')}{f' ({facts})' if facts else ''}"


OUTLINE = "Outline, with the number of chunks under each heading:"


def no_outline(chunks: int) -> str:
    return f"No headings; {chunks} chunks."


def heading(level: int, text: str, chunks: int) -> str:
    return f"{'  ' * level}{text} [{chunks}]"


def before_headings(chunks: int) -> str:
    return f"  (before the first heading) [{chunks}]"


def chunk(number: int, tokens: int, path: str) -> str:
    return f"{number}. {path} [{tokens} tokens]"


def regions(holds_in: Sequence[str], excluded: Sequence[str], mentioned: Sequence[str], *, doubt: bool) -> str:
    """Where a chunk holds, in one line."""
    parts = [f"holds in: {', '.join(holds_in)}"]
    if excluded:
        parts.append(f"not in: {', '.join(excluded)}")
    if mentioned:
        parts.append(f"names: {', '.join(mentioned)}")
    if doubt:
        parts.append("in doubt")
    return "; ".join(parts)


def place(page: int | None, rule: str | None, anchor: str | None, content_type: str, *, is_atomic: bool) -> str:
    """Where a chunk stands, in one line."""
    parts = [f"page {page}" if page else "", f"rule {rule}" if rule else "", f"#{anchor}" if anchor else ""]
    return "; ".join([*filter(None, parts), f"content type: {content_type}", *(["kept whole"] if is_atomic else [])])


def label(summary: str) -> str:
    return f"label: {summary}"


def chunk_warning(code: str) -> str:
    return f"warning: {_WARNINGS.get(code, code.replace('_', ' '))}"


def reference(words: str, targets: Sequence[int]) -> str:
    """A cross reference and the chunks that it means."""
    if not targets:
        return f"refers to “{words}”: not found in this document, or not clear which one"
    named = ", ".join(str(each) for each in targets)
    return f"refers to “{words}”: chunk{'s' if len(targets) > 1 else ''} {named}"


LEAD_IN = "read after:"
RULES = "its rules, each with what it does:"
