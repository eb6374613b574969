"""A document read in this process, without the limits of `ingest.reader.process`: for those that somebody trusts."""

from datetime import datetime

from ingest.chunkers.drafts import TokenCounter
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.contents import Contents, ReadingTask, contents_of
from ingest.reader.parsing import parse
from ingest.reader.version import Reading, reading_of, task_of


def read_here(task: ReadingTask, count: TokenCounter, max_tokens: int) -> Contents:
    """Raises Rejected as `parse` and `contents_of` do."""
    return contents_of(parse(task.content, task.mime_type), task, count, max_tokens)


def read_document(
    raw: RawDocument, name: str, defaults: SourceDefaults, now: datetime, count: TokenCounter, max_tokens: int
) -> Reading:
    """`reading_of` what is read here and now. Raises Rejected."""
    contents = read_here(task_of(raw, defaults, now.date()), count, max_tokens)
    return reading_of(contents, raw, name, defaults, now, max_tokens)
