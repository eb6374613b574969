"""A document parsed in this process, without the limits of `parsing_process`: for those that somebody trusts."""

from datetime import datetime

from ingest.chunkers.drafts import TokenCounter
from ingest.parsing import parse
from ingest.ports import RawDocument, SourceDefaults
from ingest.reading import Reading, read_parsed


def read_document(
    raw: RawDocument, name: str, defaults: SourceDefaults, now: datetime, count: TokenCounter, max_tokens: int
) -> Reading:
    """`read_parsed` of what is parsed here and now. Raises Rejected as that does, and as `parse` does."""
    return read_parsed(parse(raw.content, raw.mime_type), raw, name, defaults, now, count, max_tokens)
