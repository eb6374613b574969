"""A source whose documents a test writes, changes, breaks and removes as it goes."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from ingest.model.document_types import mime_type_of
from ingest.ports import Discovered, RawDocument, SourceDefaults
from rag_core.documents import PolicySource
from rag_core.errors import PolicyBotError, Rejected

ACME_DEFAULTS = SourceDefaults(PolicySource("acme", "Acme Ads", ("Acme",)))


class FakeSource:
    """`ingest.ports.Source` over `documents`: origin -> text, bytes, or the error that fetching it raises."""

    def __init__(
        self,
        documents: dict[str, str | bytes | PolicyBotError],
        source_id: str = "acme-docs",
        defaults: SourceDefaults = ACME_DEFAULTS,
    ) -> None:
        self.documents = documents
        self.closed = 0
        self._source_id = source_id
        self._defaults = defaults

    @property
    def source_id(self) -> str:
        return self._source_id

    @property
    def defaults(self) -> SourceDefaults:
        return self._defaults

    async def discover(self) -> Sequence[Discovered]:
        if not self.documents:
            raise Rejected("source_empty", source_id=self._source_id, path="acme")
        return [Discovered(origin, PurePosixPath(origin).name) for origin in sorted(self.documents)]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        content = self.documents[item.origin]
        if isinstance(content, PolicyBotError):
            raise content
        raw = content.encode() if isinstance(content, str) else content
        return RawDocument(item.origin, item.file_name, raw, mime_type_of(item.file_name) or "")

    async def aclose(self) -> None:
        self.closed += 1
